/** One run of a command: what it was given, and how it prints. */
import { longPiece, plain, type Redact, redactor } from '../client/text';
import { renderJson } from '../reconciler/render/text';
import { interruptible } from './errors';
import type { Flags } from './flags';
import { exitCodeOf, type Outcome } from './outcome';
import { Progress } from './progress';

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
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

const levels = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof levels)[number];

/** A shorter secret would be masked wherever its characters happen to occur. */
const shortestHidden = 8;

export class Call {
  readonly progress: Progress;
  readonly color: boolean;
  readonly errorColor: boolean;
  /** The flag, else `TETHER_PROFILE`; undefined: the manifests decide. */
  readonly profile: string | undefined;
  readonly #secrets: string[] = [];
  #redactor: Redact = redactor([]);
  readonly #level: Level;

  /** `command` is all its words. */
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
    this.profile = flags.profile ?? this.variable('TETHER_PROFILE');
    const isShown = io.stderr.isTTY === true && this.variable('TERM') !== 'dumb' && this.#level === 'warn';
    this.progress = new Progress(isShown ? (text) => io.stderr.write(this.#redactor(text)) : null);
  }

  /** The value of a variable; absent and empty are the same. */
  variable(name: string): string | undefined {
    return this.io.env[name] || undefined;
  }

  /** Another command for the same folder, with the flags that decide what is planned. */
  again(command: string, folder: string): string {
    const { profile, address, maxDeletes } = this.flags;
    const given = [
      ...(folder === '.' ? [] : [folder]),
      ...(profile === undefined ? [] : ['--profile', profile]),
      ...(address === undefined ? [] : ['--address', address]),
      ...(maxDeletes === undefined ? [] : ['--max-deletes', String(maxDeletes)]),
    ];
    return plain(['tether', command, ...given.map(shellWord)].join(' '));
  }

  /** Never prints this text again, whoever puts it into a message: a second line of defence. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= shortestHidden));
    this.#redactor = redactor(this.#secrets, longPiece);
  }

  redact(text: string): string {
    return this.#redactor(text);
  }

  /** Text on stdout; silent with `--json`. */
  print(text: string): void {
    this.progress.clear();
    if (!this.flags.json) this.io.stdout.write(this.redact(text));
  }

  /** The JSON document, if it was asked for. */
  printJson(outcome: Outcome, members: object): void {
    this.progress.clear();
    if (!this.flags.json) return;
    const document = { version: 1, command: this.command, exitCode: exitCodeOf(outcome), ...members };
    this.io.stdout.write(this.redact(renderJson(document)));
  }

  /** A line on stderr. */
  log(level: Level, text: string): void {
    if (!this.admits(level)) return;
    this.progress.clear();
    this.io.stderr.write(this.redact(text.endsWith('\n') ? text : `${text}\n`));
  }

  admits(level: Level): boolean {
    return levels.indexOf(level) <= levels.indexOf(this.#level);
  }

  /** For work that changes nothing: shows it as progress, and rejects on Ctrl-C. */
  read<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return interruptible(this.progress.during(name, work), this.io.signal);
  }

  #isColored({ isTTY = false }: Stream): boolean {
    const forced = (this.variable('FORCE_COLOR') ?? '0') !== '0';
    if (this.variable('NO_COLOR') !== undefined) return false;
    return forced || (isTTY && this.variable('TERM') !== 'dumb');
  }
}

/** As a POSIX shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
