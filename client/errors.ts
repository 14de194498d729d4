/** The errors that leave the client: no token, no body, no axios object is ever part of one. */

/** Nothing was done, the request never left, or nobody knows. */
export type Outcome = 'rejected' | 'not-sent' | 'ambiguous';

/** One member of a JSON:API error document, as far as it was given. */
export interface ErrorDetail {
  readonly status?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly pointer?: string;
  readonly parameter?: string;
}

export interface ApiErrorContext {
  readonly method: string;
  /** Path below the base URL: `/oauth-clients/oc-1`. */
  readonly route: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly attempts: number;
  readonly details: readonly ErrorDetail[];
}

/** A call that failed; `message` says what happened, where and what to do. */
export class ApiError extends Error {
  override readonly name: string;
  constructor(
    message: string,
    readonly outcome: Outcome,
    readonly context: ApiErrorContext,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** 401: the token is missing, wrong or revoked. */
export class Unauthorized extends ApiError {}
/** 404: not there, or not visible to this token; the API does not tell which. */
export class NotFound extends ApiError {}
/** 409: in conflict with what exists, or with a lock. */
export class Conflict extends ApiError {}
/** Another 4xx: the service did nothing. */
export class Invalid extends ApiError {}
/** 429 until the deadline: nothing was done. */
export class RateLimited extends ApiError {}
/** 5xx, and 408 for what can be repeated: still failing after the last attempt. */
export class ServerError extends ApiError {}
/** It never reached the service (refused, DNS, TLS). */
export class NotSent extends ApiError {}
/** It may have been applied: the answer did not come, or cannot be read. */
export class AnswerLost extends ApiError {}
/** The answer is not what the API promises: HTML, a redirect, too large, inconsistent pages. */
export class BadAnswer extends ApiError {}
/** Asked of a read-only client; nothing was sent. */
export class ReadOnly extends ApiError {}

/** An option that no client can be made from; `message` never holds a secret. */
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
  ReadOnly,
  ServerError,
  Unauthorized,
};

export type FailureKind = keyof typeof classes;

/** What an attempt failed with, the last one or not. */
export interface Failure {
  readonly kind: FailureKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly details: readonly ErrorDetail[];
  /** What happened and what to do, without method and route. */
  readonly text: string;
}

export function unanswered(kind: FailureKind, outcome: Outcome, text: string): Failure {
  return { kind, outcome, status: null, details: [], text };
}

/** For what is refused before it is sent. */
export function refused(
  kind: FailureKind,
  { method, route }: Pick<ApiErrorContext, 'method' | 'route'>,
  why: string,
): ApiError {
  const failure = unanswered(kind, 'not-sent', `${why}; nothing was sent`);
  return createError(failure, { method, route, attempts: 0, uncertain: false });
}

interface Attempted extends Pick<ApiErrorContext, 'method' | 'route' | 'attempts'> {
  uncertain: boolean;
}

/** What may have been applied is never called "not sent". */
export function createError(
  { kind, outcome, status, details, text }: Failure,
  { method, route, attempts, uncertain }: Attempted,
): ApiError {
  const tries = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const doubt = uncertain && outcome !== 'ambiguous' ? '; an earlier attempt may have been applied' : '';
  return new classes[kind === 'NotSent' && uncertain ? 'AnswerLost' : kind](
    `${method} ${route}: ${text}${doubt}${tries}`,
    uncertain ? 'ambiguous' : outcome,
    { method, route, status, attempts, details },
  );
}

/** Of a system or TLS error: `ENOENT`. */
export function systemCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown error';
}

/** True for what the client throws on purpose. */
export function isOfClient(error: unknown): boolean {
  return error instanceof ApiError || error instanceof BadOption;
}
