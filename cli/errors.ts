/** How commands fail: mistakes that the user can repair, and bugs. */
import { errorCode, OperationalError } from '../client/errors';
import { plain, plainLines } from '../client/text';

export class UserError extends OperationalError {
  constructor(
    message: string,
    /** Members for the JSON document. */
    readonly details: object = {},
    /** `error.code` of the JSON document. */
    readonly code = 'usage',
  ) {
    super(message);
  }
}

export function codeOf(error: unknown): string {
  return error instanceof UserError ? error.code : errorCode(error);
}

/** The message as it is, or that it is a bug, with its stack where `stack` asks for it. */
export function explain(error: unknown, stack: boolean): string {
  if (error instanceof OperationalError) return plainLines(error.message);
  if (!(error instanceof Error)) return `unexpected: ${plain(String(error))}; this is a bug`;
  const trace = stack && error.stack !== undefined ? `\n${plainLines(error.stack)}` : '';
  const hint = stack ? '' : ' (-vv shows where)';
  return `${plain(error.message)}\nThis is a bug; please report it${hint}.${trace}`;
}

/** Rejects as soon as the signal is aborted; only for work that changes nothing. */
export function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
