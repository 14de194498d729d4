/** Holds the input of one run of a command, and prints its output. */
import { readSetting, type SettingSource } from '../client/account';
import { plain, type Redact, redactor, wholeSecret } from '../client/text';
import { packageVersion } from '../client/transport';
import { renderJson } from '../reconciler/render/text';
import { type Flags, repeatedFlags } from './flags';
import { type Outcome, toExitCode } from './outcome';

export interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface Io {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Its event `quit` comes right before a second Ctrl-C ends the process. */
  readonly signal: AbortSignal;
  now(): number;
  /** It is null if there is no terminal, and it rejects on Ctrl-C. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
}

const levels = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof levels)[number];

/** A shorter secret would mask too much. */
const minHiddenLength = 8;
const eraseLine = '\r\u001b[K';
/** Some terminals break the line in the last column. */
const maxLineWidth = 78;

export class Call {
  readonly color: boolean;
  readonly errorColor: boolean;
  readonly settings: SettingSource = { variable: (name) => this.io.env[name], folder: () => this.io.cwd };
  readonly #secrets: string[] = [];
  #redactor: Redact = redactor([]);
  readonly #level: Level;
  readonly #hasProgress: boolean;
  #isProgressShown = false;

  constructor(
    readonly command: string,
    readonly flags: Flags,
    readonly args: readonly string[],
    readonly io: Io,
  ) {
    const { q, v = 0 } = flags;
    this.#level = q ? 'error' : v >= 2 ? 'debug' : v === 1 ? 'info' : 'warn';
    this.color = this.#isColored(io.stdout);
    this.errorColor = this.#isColored(io.stderr);
    this.#hasProgress =
      io.stderr.isTTY === true && this.variable('TERM') !== 'dumb' && this.#level === 'warn';
  }

  /** The profile of `--profile` or the environment. When absent, the manifests decide. Throws `AccountError`. */
  get profile(): string | undefined {
    return this.flags.profile ?? readSetting(this.settings, 'TETHER_PROFILE')?.value;
  }

  /** Returns undefined for a variable that is not set, or empty. */
  variable(name: string): string | undefined {
    return this.io.env[name] || undefined;
  }

  /** Writes a command for the same folders, with the flags that change what it does there. */
  again(command: 'plan' | 'apply', ...folders: readonly string[]): string {
    const flagWords = repeatedFlags.flatMap((flag) => {
      const value = this.flags[flag.attributeName() as keyof Flags];
      return value === undefined ? [] : [`${flag.long}`, shellWord(String(value))];
    });
    const place = folders.join() === '.' ? [] : folders.map(shellWord);
    return plain(
      ['tether', this.command === 'destroy' ? 'destroy' : command, ...place, ...flagWords].join(' '),
    );
  }

  /** Returns the present time in ISO 8601, in whole seconds. */
  time(): string {
    return `${new Date(this.io.now()).toISOString().slice(0, 19)}Z`;
  }

  /** Masks this text in all later output. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= minHiddenLength));
    this.#redactor = redactor(this.#secrets, wholeSecret);
  }

  redact(text: string): string {
    return this.#redactor(text);
  }

  /** Shows the present work on one line of a terminal, until the next output. */
  showProgress(work: string, detail = ''): void {
    if (!this.#hasProgress) return;
    const line = plain(`${work}… ${detail}`);
    const visible = line.length > maxLineWidth ? `${line.slice(0, maxLineWidth - 1)}…` : line;
    this.io.stderr.write(this.redact(eraseLine + visible));
    this.#isProgressShown = true;
  }

  clearProgress(): void {
    if (this.#isProgressShown) this.io.stderr.write(eraseLine);
    this.#isProgressShown = false;
  }

  print(text: string): void {
    this.clearProgress();
    if (!this.flags.json) this.io.stdout.write(this.redact(text));
  }

  printJson(outcome: Outcome, members: object): void {
    this.clearProgress();
    if (!this.flags.json) return;
    const about = { version: 1, tetherVersion: packageVersion(), at: this.time(), command: this.command };
    const document = { ...about, exitCode: toExitCode(outcome, this.flags), ...members };
    this.io.stdout.write(renderJson(document, this.#redactor));
  }

  log(level: Level, text: string): void {
    if (!this.admits(level)) return;
    this.clearProgress();
    this.io.stderr.write(this.redact(text.endsWith('\n') ? text : `${text}\n`));
  }

  admits(level: Level): boolean {
    return levels.indexOf(level) <= levels.indexOf(this.#level);
  }

  /** Runs work and shows its name. Ctrl-C abandons it, so it must change nothing but a lock, which the end of the command frees. */
  untilInterrupted<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { signal } = this.io;
    this.showProgress(name);
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      const end = () => {
        this.clearProgress();
        signal.removeEventListener('abort', stop);
      };
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      // The next work may show its progress as soon as this one is resolved.
      work().finally(end).then(resolve, reject);
    });
  }

  #isColored({ isTTY = false }: Stream): boolean {
    return isTTY && this.variable('NO_COLOR') === undefined && this.variable('TERM') !== 'dumb';
  }
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
