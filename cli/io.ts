/** The world of a command: streams, environment, folder and interruption, so that tests can hand in their own. */

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  /** The result, and nothing else. */
  readonly stdout: Output;
  /** Progress, warnings and errors. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths of flags and arguments start here. */
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Asks the person in front of the terminal; null where nobody is there to answer. Rejects on Ctrl-C. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
}

/** The value of a variable; absent and empty are the same. */
export function variable(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === undefined || value === '' ? undefined : value;
}
