/** From a failure of the last attempt to the error that leaves the client. */
import {
  AnswerLost,
  type ApiError,
  BadAnswer,
  Conflict,
  Invalid,
  NotFound,
  NotSent,
  RateLimited,
  ServerError,
  Unauthorized,
} from './errors';
import type { Failure } from './verdict';

const classes = {
  AnswerLost,
  BadAnswer,
  Conflict,
  Invalid,
  NotFound,
  NotSent,
  RateLimited,
  ServerError,
  Unauthorized,
};

/** The error for an operation; one whose earlier attempt may have been applied is never called "not sent". */
export function createError(
  failure: Failure,
  operation: { method: string; route: string; attempts: number; uncertain: boolean },
): ApiError {
  const { method, route, attempts, uncertain } = operation;
  const kind = failure.kind === 'NotSent' && uncertain ? 'AnswerLost' : failure.kind;
  const outcome = uncertain ? 'ambiguous' : failure.outcome;
  const tries = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const doubt =
    uncertain && failure.outcome !== 'ambiguous' ? '; an earlier attempt may have been applied' : '';
  return new classes[kind](`${method} ${route}: ${failure.text}${doubt}${tries}`, outcome, {
    method,
    route,
    status: failure.status,
    attempts,
    details: failure.details,
  });
}
