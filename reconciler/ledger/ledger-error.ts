/** What can be wrong with a ledger's files, as one error that says where and what to do. */

export type LedgerErrorCode =
  /** Not a ledger, or one that contradicts itself. */
  | 'corrupt'
  /** Written by a later version of this program. */
  | 'newer'
  /** Ledger and journal are of different histories. */
  | 'forked'
  | 'locked'
  /** More than one ledger for one run. */
  | 'several'
  /** The file system said no. */
  | 'inaccessible';

/** Thrown for everything that keeps a ledger from being used; whatever is on disk was left as it is. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';

  constructor(
    readonly code: LedgerErrorCode,
    /** The file concerned: ledger, journal or lock. */
    readonly file: string,
    /** A sentence: what is wrong. */
    readonly what: string,
    /** A sentence or two: what a person can do. */
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${file}: ${what} ${remedy}`, options);
  }
}

/** The same for a failed call of the file system: `verb` completes "could not …". */
export function inaccessible(file: string, verb: string, cause: unknown): LedgerError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LedgerError(
    'inaccessible',
    file,
    `Could not ${verb}: ${why}.`,
    'Check the permissions of the file and its folder, and the free space.',
    { cause },
  );
}

/** The error code of a failed system call (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
