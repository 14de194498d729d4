/** How a command speaks: the result on stdout (text or one JSON document) and in reports, the rest on stderr by level. */
import { resolve } from 'node:path';
import { LONG_PIECE, type Redact, redactor } from '../client/text';
import { type RenderOptions, renderJson } from '../reconciler/render/text';

import { codeOf, ReportUnwritten } from './errors';
import type { OutputFlags } from './flags';
import { type Io, variable } from './io';
import { writeOutput } from './outputs';

/** What every JSON document begins with; a command adds its own members. */
export interface Document {
  readonly command: string;
  readonly exitCode: number;
}

/** From what is always on stderr to what only a bug needs. */
const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** A shorter text is no secret worth its name, and would be masked wherever it happens to stand. */
const shortestHidden = 8;

export class Voice {
  readonly level: LogLevel;
  readonly json: boolean;
  /** For text on stdout. */
  readonly render: RenderOptions;
  /** For text on stderr. */
  readonly renderError: RenderOptions;
  readonly #secrets: string[] = [];
  #redact: Redact = redactor([]);

  constructor(
    private readonly flags: OutputFlags,
    private readonly io: Io,
  ) {
    this.level = levelOf(flags);
    this.json = flags.json === true;
    this.render = renderOptions(flags, io, io.stdout);
    this.renderError = renderOptions(flags, io, io.stderr);
  }

  /** Never lets this text out again, whoever puts it into a message: a second line of defence for the token. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= shortestHidden));
    this.#redact = redactor(this.#secrets, LONG_PIECE);
  }

  /** Text for people on stdout; silent with `--json`. */
  say(text: string): void {
    if (!this.json) this.io.stdout.write(this.clean(text));
  }

  /** One message on stderr, when the level admits it. */
  log(level: LogLevel, text: string): void {
    if (this.admits(level)) this.io.stderr.write(this.clean(text.endsWith('\n') ? text : `${text}\n`));
  }

  admits(level: LogLevel): boolean {
    return logLevels.indexOf(level) <= logLevels.indexOf(this.level);
  }

  /** The JSON document of this run: on stdout with `--json`, and in every report file. */
  document(document: Document & Readonly<Record<string, unknown>>): void {
    this.report(this.printDocument(document));
  }

  /** The same without the report files; returns its text. */
  printDocument(document: Document & Readonly<Record<string, unknown>>): string {
    const text = this.clean(renderJson({ version: 1, ...document }));
    if (this.json) this.io.stdout.write(text);
    return text;
  }

  /** A result that is JSON anyway: on stdout with and without `--json`, and in every report file. */
  print(value: unknown): void {
    const text = renderJson(value);
    this.io.stdout.write(text);
    this.report(text);
  }

  private report(text: string): void {
    for (const { file } of this.flags.report ?? []) {
      try {
        writeOutput(resolve(this.io.cwd, file), text);
      } catch (cause) {
        throw new ReportUnwritten(`the report ${file} cannot be written (${codeOf(cause)})`);
      }
    }
  }

  clean(text: string): string {
    return this.#redact(text);
  }
}

function levelOf(flags: OutputFlags): LogLevel {
  if (flags.q) return 'error';
  const verbose = flags.v ?? 0;
  return verbose >= 2 ? 'debug' : verbose === 1 ? 'info' : 'warn';
}

function renderOptions(flags: OutputFlags, io: Io, output: Io['stdout']): RenderOptions {
  const terminal = output.isTTY === true;
  const wanted = flags.color !== false && variable(io, 'NO_COLOR') === undefined;
  const forced = variable(io, 'FORCE_COLOR') !== undefined && variable(io, 'FORCE_COLOR') !== '0';
  return {
    color: wanted && (forced || (terminal && variable(io, 'TERM') !== 'dumb')),
    width: terminal ? (output.columns ?? 80) : null,
  };
}
