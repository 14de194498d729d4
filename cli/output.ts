/** What a command prints: the result on stdout (text or one JSON document) and in report files, the rest on stderr by level. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LONG_PIECE, type Redact, redactor } from '../client/text';
import { ledgerName, systemCode } from '../reconciler/ledger/disk';
import { type RenderOptions, renderJson } from '../reconciler/render/text';
import { readPlainFile } from '../resources/plain-file';
import { OutputRefused, ReportUnwritten } from './errors';
import type { Flags } from './flags';
import { type Io, profileOf, variable } from './io';

/** One run of a command: its flags checked, its arguments, what it prints with, the world. */
export interface Call {
  readonly command: string;
  readonly flags: Flags;
  readonly args: readonly string[];
  readonly output: Output;
  readonly io: Io;
}

/** What every JSON document begins with; a command adds its own members. */
interface Document {
  readonly command: string;
  readonly exitCode: number;
  readonly [member: string]: unknown;
}

/** From what is always on stderr to what only a bug needs. */
const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** A shorter text is hardly a secret, and would be masked wherever it happens to occur. */
const shortestHidden = 8;

export class Output {
  /** For text on stdout. */
  readonly render: RenderOptions;
  /** For text on stderr. */
  readonly renderError: RenderOptions;
  readonly #level: LogLevel;
  readonly #secrets: string[] = [];
  #redact: Redact = redactor([]);

  constructor(
    private readonly flags: Flags,
    private readonly io: Io,
  ) {
    const { q, v = 0 } = flags;
    this.#level = q ? 'error' : v >= 2 ? 'debug' : v === 1 ? 'info' : 'warn';
    this.render = renderOptions(flags, io, io.stdout);
    this.renderError = renderOptions(flags, io, io.stderr);
  }

  /** Never lets this text out again, whoever puts it into a message: a second line of defence. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= shortestHidden));
    this.#redact = redactor(this.#secrets, LONG_PIECE);
  }

  /** Text on stdout; silent with `--json`. */
  print(text: string): void {
    if (!this.flags.json) this.io.stdout.write(this.clean(text));
  }

  /** One message on stderr, when the level admits it. */
  log(level: LogLevel, text: string): void {
    this.logPart(level, text.endsWith('\n') ? text : `${text}\n`);
  }

  /** The same without a line break at its end. */
  logPart(level: LogLevel, text: string): void {
    if (this.admits(level)) this.io.stderr.write(this.clean(text));
  }

  admits(level: LogLevel): boolean {
    return logLevels.indexOf(level) <= logLevels.indexOf(this.#level);
  }

  /** The JSON document of this run: on stdout with `--json`, and in every report file. */
  document(document: Document): void {
    this.#report(this.printDocument(document));
  }

  /** The same without the report files; returns its text. */
  printDocument(document: Document): string {
    const text = this.clean(renderJson({ version: 1, ...document }));
    if (this.flags.json) this.io.stdout.write(text);
    return text;
  }

  /** A result that is JSON anyway: on stdout with and without `--json`, and in every report file. */
  printJson(value: unknown): void {
    const text = renderJson(value);
    this.io.stdout.write(text);
    this.#report(text);
  }

  #report(text: string): void {
    for (const { file } of this.flags.report ?? []) {
      try {
        writeReport(resolve(this.io.cwd, file), text);
      } catch (cause) {
        const code = systemCode(cause) ?? 'unknown error';
        throw new ReportUnwritten(`the report ${file} cannot be written (${code})`);
      }
    }
  }

  clean(text: string): string {
    return this.#redact(text);
  }
}

function renderOptions(flags: Flags, io: Io, output: Io['stdout']): RenderOptions {
  const terminal = output.isTTY === true;
  const wanted = flags.color !== false && variable(io, 'NO_COLOR') === undefined;
  const forced = (variable(io, 'FORCE_COLOR') ?? '0') !== '0';
  return {
    color: wanted && (forced || (terminal && variable(io, 'TERM') !== 'dumb')),
    width: terminal ? (output.columns ?? 80) : null,
  };
}

/** Larger than any manifest or profile. */
const mostRead = 5_000_000;

/**
 * Throws `OutputRefused` for every report that would overwrite what arguments, flags and variables name, or that cannot
 * be written. Called before anything else happens.
 */
export function refuseReports(flags: Flags, args: readonly string[], io: Io): void {
  const { report: reports = [] } = flags;
  if (reports.length === 0) return;
  const inputs = [
    ...args,
    ...(args.length === 0 ? ['.'] : args).map((folder) => join(folder, ledgerName)),
    profileOf(flags, io) ?? '',
    variable(io, 'TETHER_TOKEN_FILE') ?? '',
  ];
  const read = new Set(inputs.map((input) => identityOf(resolve(io.cwd, input))));
  const written = new Set<string>();
  const mistakes = reports.flatMap(({ format, file }) => {
    const path = resolve(io.cwd, file);
    const identity = identityOf(path);
    const why =
      obstacle(path) ??
      (read.has(identity) ? 'is read by this run' : written.has(identity) ? 'is named twice' : null);
    written.add(identity);
    return why === null ? [] : [`--report ${format}=${file}: that file ${why}; choose another name`];
  });
  if (mistakes.length > 0) throw new OutputRefused(mistakes.join('\n'));
}

function obstacle(path: string): string | null {
  const found = attempt(() => lstatSync(path));
  if (found?.isFile()) return isInput(path) ? 'is a manifest or a profile' : null;
  if (found !== null) return 'is a link, a folder or a device';
  return attempt(() => statSync(dirname(path)).isDirectory()) ? null : 'has no folder yet';
}

/** By content: which files manifests will be found in, or name, is not known yet. */
function isInput(path: string): boolean {
  const text = attempt(() => readPlainFile(path, mostRead).toString('utf8')) ?? '';
  return /^\W*apiVersion\W*:\s*\W?tether\/|"serviceProviders"\s*:/m.test(text);
}

/** Equal for two names of one file, also where it does not exist yet. */
function identityOf(path: string): string {
  const found = attempt(() => statSync(path));
  if (found !== null) return `${found.dev} ${found.ino}`;
  return join(attempt(() => realpathSync(dirname(path))) ?? dirname(path), basename(path));
}

function attempt<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/** Puts a new file, for its owner only, in the place of the old, whose other names keep the old one. */
function writeReport(path: string, text: string): void {
  const temporary = join(dirname(path), `.tether-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
