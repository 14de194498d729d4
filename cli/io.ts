/** The world of a command: streams, environment, folder and interruption, so that tests can hand in their own. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  /** The result, and nothing else. */
  readonly stdout: Stream;
  /** Progress, warnings and errors. */
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

/** The value of a variable; absent and empty are the same. */
export function variable(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === undefined || value === '' ? undefined : value;
}

/** The flag, else `TETHER_PROFILE`; absent: the manifests decide. */
export function profileOf(flags: { readonly profile?: string }, io: Pick<Io, 'env'>): string | undefined {
  return flags.profile ?? variable(io, 'TETHER_PROFILE');
}

/** How manifests are to be read, by flag and variable. Here and not with sessions: `tether validate` loads nothing of calls and plans. */
export function readOptionsOf(flags: { readonly profile?: string }, io: Pick<Io, 'env' | 'cwd'>) {
  const profile = profileOf(flags, io);
  return { cwd: io.cwd, ...(profile === undefined ? {} : { profile }) };
}
