/** How commands fail: what the user can repair, and bugs. */
import { errorCode, OperationalError } from '../client/errors';
import { plain, plainLines } from '../client/text';
import { LedgerError } from '../reconciler/ledger/disk';

/** `error.code` of JSON documents, and `code` of a failed step in them: stable. The reference of the commands lists them. */
export const errorCodes: Readonly<Record<string, string>> = {
  usage: 'a flag, an argument or a setting is wrong or missing',
  'invalid-manifests': 'the manifests have mistakes; `issues` lists them, each with its `rule`',
  'no-manifests': 'the folder has a ledger and no manifest',
  'ledger-mismatch': 'manifests and ledger are of different organizations',
  'stale-plan': 'the plan is not, or no longer, the one that was reviewed',
  'missing-secrets': 'secrets that have to be written are not set; `missingSecrets` lists them',
  'organization-not-visible': 'no such organization, or the token may not manage its VCS settings',
  unauthorized: 'the token was refused (401)',
  forbidden: 'the token lacks a permission (403)',
  'not-found': 'not there, or the token may not see it (404)',
  conflict: 'in conflict with what exists, or with a lock (409)',
  invalid: 'refused for its content (another 4xx)',
  'rate-limited': 'too many requests (429), until the time limit',
  'server-error': 'the service failed (5xx), also at the last attempt',
  'not-sent': 'no connection: nothing was sent',
  'answer-lost': 'sent, and no answer came that can be read: it may have been applied',
  'bad-answer': 'the answer is not what the API promises',
  'unexpected-answer': 'the answer contradicts what was asked for',
  stale: 'somebody changed the object since it was planned',
  'journal-failed': 'the journal of the ledger could not be written',
  'ledger-locked': 'another run holds the ledger',
  'ledger-corrupt': 'the ledger or its journal cannot be understood',
  'ledger-forked': 'ledger and journal are of different histories',
  'ledger-newer': 'a later version of Tether wrote the ledger',
  'ledger-several': 'more than one ledger for one folder',
  'ledger-inaccessible': 'the ledger cannot be read or written',
  'profile-error': 'the profile is unknown, or has mistakes',
  'account-error': 'the token file cannot be read, or is empty',
  interrupted: 'Ctrl-C or SIGTERM, before anything was changed',
  bug: 'a fault of Tether: please report it',
};

/** Something the user can repair. */
export class UserError extends OperationalError {
  constructor(
    message: string,
    /** For the JSON document. */
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly code = 'usage',
  ) {
    super(message);
  }
}

/** One of `errorCodes`. */
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
