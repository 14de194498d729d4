/** One run of a command: what it was given, and how it prints. */
import { relative, resolve } from 'node:path';
import { longPiece, plain, type Redact, redactor } from '../client/text';
import type { ReadOptions } from '../manifest/read';
import { marker, type Run } from '../reconciler/render/comment';
import { counted, type RenderOptions, renderJson } from '../reconciler/render/text';
import { interruptible } from './errors';
import { flags as allFlags, type Flags, type Report } from './flags';
import { Progress } from './progress';
import { refuseReports, writeReport } from './reports';

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** The world of a command; tests bring their own. */
export interface Io {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths of flags and arguments start here. */
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Asks the user at the terminal; null where there is none. Rejects on Ctrl-C. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
}

export type ExitCode = 0 | 1 | 2 | 130;

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** A shorter text would be masked wherever it happens to occur. */
const shortestHidden = 8;

/** The others change what is printed, or how long it takes. */
const repeated = ['profile', 'address', 'maxDeletes', 'acceptMissing', 'writeSecrets'] as const;

export class Call {
  readonly render: RenderOptions;
  readonly renderError: RenderOptions;
  /** The flag, else `TETHER_PROFILE`; undefined: the manifests decide. */
  readonly profile: string | undefined;
  readonly progress: Progress;
  /** What was sent, each attempt of a request for itself; undefined while there is no service. */
  sent: { reads: number; writes: number } | undefined;
  /** The result has been printed: there is no second one. */
  hasEnded = false;
  readonly #level: LogLevel;
  /** None until it is known that all of them may be written. */
  #reports: readonly Report[] = [];
  readonly #secrets: string[] = [];
  #redactor: Redact | undefined;

  /** `command` is all its words. */
  constructor(
    readonly command: string,
    readonly flags: Flags,
    readonly args: readonly string[],
    readonly io: Io,
  ) {
    const { q, v = 0 } = flags;
    this.#level = q ? 'error' : v >= 2 ? 'debug' : v === 1 ? 'info' : 'warn';
    this.render = this.#renderOptions(io.stdout);
    this.renderError = this.#renderOptions(io.stderr);
    this.profile = flags.profile ?? this.variable('TETHER_PROFILE');
    const { isTTY = false } = io.stderr;
    const isLine = isTTY && this.variable('TERM') !== 'dumb' && this.#level === 'warn';
    const form = isLine ? 'line' : this.admits('warn') ? 'lines' : 'none';
    this.progress = new Progress(form, (text) => io.stderr.write(this.#redact(text)), io);
  }

  get readOptions(): ReadOptions {
    return { cwd: this.io.cwd, profile: this.profile, organization: this.flags.organization };
  }

  /** Another command for the same folder, with the flags that decide what is planned. */
  again(command: string): string {
    const given = repeated.flatMap((name) => {
      const { long = '' } = allFlags[name];
      const value = this.flags[name];
      return value === undefined ? [] : value === true ? [long] : [long, String(value)];
    });
    return plain(['tether', command, ...this.args.map(shellWord), ...given.map(shellWord)].join(' '));
  }

  /** Absent and empty are the same. */
  variable(name: string): string | undefined {
    return this.io.env[name] || undefined;
  }

  /** Never prints this text again, whoever puts it into a message: a second line of defence. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= shortestHidden));
    this.#redactor = undefined;
  }

  /** Whether the text holds what `hide` was given. */
  reveals(text: string): boolean {
    return this.#redact(text) !== text;
  }

  #redact(text: string): string {
    this.#redactor ??= redactor(this.#secrets, longPiece);
    return this.#redactor(text);
  }

  /** Text on stdout; silent with `--json`. */
  print(text: string): void {
    this.progress.clear();
    if (!this.flags.json) this.io.stdout.write(this.#redact(text));
  }

  /** A line on stderr. */
  log(level: LogLevel, text: string): void {
    if (!this.admits(level)) return;
    this.progress.clear();
    this.io.stderr.write(this.#redact(text.endsWith('\n') ? text : `${text}\n`));
  }

  /** With `-v`, when nothing is in flight any more. */
  logSent(): void {
    if (this.sent === undefined) return;
    const { reads, writes } = this.sent;
    const sum = counted(reads + writes, 'request');
    this.log('info', `${sum} in all: ${reads} GET, ${counted(writes, 'write')}`);
  }

  admits(level: LogLevel): boolean {
    return logLevels.indexOf(level) <= logLevels.indexOf(this.#level);
  }

  /** For work that changes nothing: shows it as progress, and rejects with an `AbortError` on Ctrl-C. */
  read<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return interruptible(this.progress.during(name, work), this.io.signal);
  }

  /** Ends with this exit code, the JSON document on stdout with `--json`, and every report file; `comment` makes what Markdown has. */
  end(exitCode: ExitCode, members: object, comment: (run: Run) => string = () => ''): number {
    this.progress.end();
    this.#report({ version: 1, command: this.command, exitCode, ...members }, this.flags.json, comment);
    return exitCode;
  }

  /** Ends with a result that is JSON with and without `--json`. */
  endWithJson(value: unknown, exitCode: ExitCode = 0): number {
    this.progress.end();
    this.#report(value, true);
    return exitCode;
  }

  refuseReports(): void {
    const { report = [] } = this.flags;
    const files = report.map(({ file }) => file);
    refuseReports(files, this.io.cwd);
    this.#reports = report;
  }

  #report(value: unknown, isShown = false, comment: (run: Run) => string = () => ''): void {
    const { command, args, io } = this;
    const redact = (text: string) => this.#redact(text);
    // Of a large plan it is long, and most runs need none.
    const isWanted = isShown || this.#reports.some(({ format }) => format === 'json');
    const json = isWanted ? redact(renderJson(value)) : '';
    if (isShown) io.stdout.write(json);
    this.hasEnded = true;
    const folder = relative(io.cwd, resolve(io.cwd, args[0] ?? '')) || '.';
    for (const { format, file } of this.#reports) {
      const text = () => `${marker(command, folder)}\n${redact(comment({ folder, redact }))}`;
      writeReport(file, format === 'json' ? json : text(), io.cwd);
    }
  }

  #renderOptions({ isTTY = false, columns = 80 }: Stream): RenderOptions {
    const wanted = this.flags.color !== false && this.variable('NO_COLOR') === undefined;
    const forced = (this.variable('FORCE_COLOR') ?? '0') !== '0';
    return {
      color: wanted && (forced || (isTTY && this.variable('TERM') !== 'dumb')),
      width: isTTY ? columns : null,
      ...((this.flags.v ?? 0) > 0 && { all: true }),
    };
  }
}

/** As a POSIX shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
