/** How commands fail: what the user can repair, and bugs. */
import { errorCode, OperationalError } from '../client/errors';
import { plain, plainLines } from '../client/text';
import { LedgerError } from '../reconciler/ledger/disk';

export class UserError extends OperationalError {
  constructor(
    message: string,
    /** For the JSON document. */
    readonly details: object = {},
    readonly code = 'usage',
  ) {
    super(message);
  }
}

/** `error.code` of JSON documents: stable. The reference of the commands lists them all. */
export function codeOf(error: unknown): string {
  if (isInterruption(error)) return 'interrupted';
  if (error instanceof UserError) return error.code;
  return error instanceof LedgerError ? `ledger-${error.code}` : errorCode(error);
}

/** Ctrl-C or SIGTERM, before anything was begun that has to be finished. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The message as it is, or that it is a bug, with its stack where `stack` asks for it. */
export function explain(error: unknown, stack: boolean): string {
  if (!(error instanceof Error)) return `unexpected: ${plain(String(error))}; this is a bug`;
  if (error instanceof OperationalError) return plainLines(error.message);
  const trace = stack && error.stack !== undefined ? `\n${plainLines(error.stack)}` : '';
  const hint = stack ? '' : ' (-vv shows where)';
  return `${plain(error.message)}\nThis is a bug; please report it${hint}.${trace}`;
}

/** Rejects with an `AbortError` as soon as the signal is aborted; only for work that changes nothing. */
export function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
