/** The tree of errors that leaves the client: no token, no body, no axios object is ever part of one. */

/** What is known of a request that failed: nothing was done, it never left, or nobody knows. */
export type Outcome = 'rejected' | 'not-sent' | 'ambiguous';

/** One member of a JSON:API error document, whatever of it the service gave. */
export interface ErrorDetail {
  readonly status?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly pointer?: string;
  readonly parameter?: string;
}

export interface ApiErrorContext {
  readonly method: string;
  /** Path below the base URL, with its ids: `/oauth-clients/oc-1`. */
  readonly route: string;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly attempts: number;
  readonly details: readonly ErrorDetail[];
}

/** A call that failed; `message` says what happened, where (method and route) and what to do. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  constructor(
    message: string,
    readonly outcome: Outcome,
    readonly context: ApiErrorContext,
  ) {
    super(message);
  }
}

/** 401: the token is missing, wrong or revoked. */
export class Unauthorized extends ApiError {
  override readonly name = 'Unauthorized';
}
/** 404: not there, or not visible to this token; the API does not tell which. */
export class NotFound extends ApiError {
  override readonly name = 'NotFound';
}
/** 409: in conflict with something that exists or with a lock. */
export class Conflict extends ApiError {
  override readonly name = 'Conflict';
}
/** 400, 405, 413, 415, 422: the service judged the request wrong and did nothing. */
export class Invalid extends ApiError {
  override readonly name = 'Invalid';
}
/** 429 until the deadline: nothing was done. */
export class RateLimited extends ApiError {
  override readonly name = 'RateLimited';
}
/** 5xx until the deadline. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}
/** The request never reached the service (refused, DNS, TLS). */
export class NotSent extends ApiError {
  override readonly name = 'NotSent';
}
/** The request may or may not have been applied: the connection broke, timed out, or the answer cannot be read. */
export class AnswerLost extends ApiError {
  override readonly name = 'AnswerLost';
}
/** The answer arrived and is not what the API promises (HTML, garbage, a redirect, too large, inconsistent pages). */
export class BadAnswer extends ApiError {
  override readonly name = 'BadAnswer';
}
/** A read-only client was asked to write; nothing was sent. */
export class ReadOnly extends ApiError {
  override readonly name = 'ReadOnly';
}
/** An option that a client cannot be made from; nothing was sent. `message` never holds the value of a secret. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
  constructor(
    readonly option: string,
    message: string,
  ) {
    super(message);
  }
}

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

export type FailureKind = keyof typeof classes;

/** What one exchange failed with, before it is known whether it is the operation's last. */
export interface Failure {
  readonly kind: FailureKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly details: readonly ErrorDetail[];
  /** What happened and what to do, without method and route. */
  readonly text: string;
}

/** The error for an operation; one whose earlier attempt may have been applied is never called "not sent". */
export function createError(
  { kind, outcome, status, details, text }: Failure,
  {
    method,
    route,
    attempts,
    uncertain,
  }: { method: string; route: string; attempts: number; uncertain: boolean },
): ApiError {
  const tries = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const doubt = uncertain && outcome !== 'ambiguous' ? '; an earlier attempt may have been applied' : '';
  return new classes[kind === 'NotSent' && uncertain ? 'AnswerLost' : kind](
    `${method} ${route}: ${text}${doubt}${tries}`,
    uncertain ? 'ambiguous' : outcome,
    { method, route, status, attempts, details },
  );
}

/** True for every error that the client throws on purpose; its message was written for people. */
export function isOfClient(error: unknown): boolean {
  return error instanceof ApiError || error instanceof BadOption;
}
