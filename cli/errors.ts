/** How commands fail: what the user can repair, and bugs. */
import { isOfClient } from '../client/errors';
import { plain, plainLines } from '../client/text';

/** Something the user can repair; `message` says what and how, `details` goes into the JSON document. */
export class UserError extends Error {
  override readonly name = 'UserError';
  constructor(
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** A report could not be written; everything else has been printed. */
export class ReportUnwritten extends UserError {}

/** An output file that must not be overwritten: nothing is written, not even the other reports. */
export class OutputRefused extends UserError {}

/** Ctrl-C or SIGTERM before anything was begun that has to be finished. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** True when the run was ended from outside, whoever noticed it first. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && (error instanceof Interrupted || error.name === 'AbortError');
}

/** Errors that explain themselves besides the client's, by name: heavy modules stay unloaded. */
const selfExplaining = new Set([
  'UserError',
  'AccountError',
  'ProfileError',
  'LedgerError',
  'LedgerMismatch',
  'JournalFailed',
  'OrganizationUnseen',
  'SeedError',
  'BehaviourError',
]);

/** The message as it is, or that it is a bug, with its stack where `stack` asks for it. */
export function explain(error: unknown, stack: boolean): string {
  if (!(error instanceof Error)) return `unexpected: ${plain(String(error))}; this is a bug`;
  if (isOfClient(error) || selfExplaining.has(error.name)) return plainLines(error.message);
  const trace = stack && error.stack !== undefined ? `\n${plainLines(error.stack)}` : '';
  const hint = stack ? '' : ' (-vv shows where)';
  return `${plain(error.message)}\nThis is a bug; please report it${hint}.${trace}`;
}

/** Resolves like `work`, but rejects with `Interrupted` as soon as the signal is aborted; only for work that changes nothing. */
export async function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted('interrupted'));
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
