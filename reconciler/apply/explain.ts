/** What a failed step tells a person: what happened, where, what to do. */
import { ApiError } from '../../client/errors';
import { UnexpectedAnswer } from '../../resources/safe-calls';
import type { Step } from '../plan/plan';
import { Unresolved } from './references';
import { JournalFailed } from './running-ledger';
import { Stale } from './stale';

const told = [ApiError, JournalFailed, Unresolved, Stale, UnexpectedAnswer] as const;

/** One message; an error that nobody foresaw is called one. */
export function explain(step: Step, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof JournalFailed) {
    return `${step.id} stopped: ${message}. What the service did last may be missing in the ledger; make its folder writable and apply again`;
  }
  if (told.some((known) => error instanceof known)) return message;
  return `${step.id} failed unexpectedly: ${message}. This is a bug in tether; what was done so far is recorded, and applying again is safe`;
}
