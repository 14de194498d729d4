/** The errors that leave the client: none holds a token, a body or an object of Node's http. */

/** Nothing was done, the request never left, or nobody knows. */
export type Outcome = 'rejected' | 'not-sent' | 'ambiguous';

/** Of JSON:API, each in one safe line; `pointer` and `parameter` are its source. */
export type ErrorDetail = Readonly<
  Partial<Record<'status' | 'title' | 'detail' | 'pointer' | 'parameter', string>>
>;

export interface ApiErrorContext {
  readonly method: string;
  /** Path below the base URL: `/oauth-clients/oc-1`. */
  readonly route: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly attempts: number;
  readonly details: readonly ErrorDetail[];
}

/** No bug: `message` tells the user what happened, where and what to do, and never holds a secret. */
export class OperationalError extends Error {
  override readonly name: string = this.constructor.name;
}

/** Stable, for programs: `rate-limited`; `bug` for what is none of these errors. */
export function errorCode(error: unknown): string {
  if (!(error instanceof OperationalError)) return 'bug';
  return error.name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}

export class ApiError extends OperationalError {
  constructor(
    message: string,
    readonly outcome: Outcome,
    readonly context: ApiErrorContext,
  ) {
    super(message);
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
/** 403: the token lacks a permission. */
export class Forbidden extends Invalid {}
/** 429 until the deadline: nothing was done. */
export class RateLimited extends ApiError {}
/** 5xx, and 408 for what can be repeated: still failing after the last attempt. */
export class ServerError extends ApiError {}
/** It never left: refused, DNS, TLS. */
export class NotSent extends ApiError {}
/** It may have been applied: no answer came, or none that can be read. */
export class AnswerLost extends ApiError {}
/** Not what the API promises: HTML, a redirect, too large, inconsistent pages. */
export class BadAnswer extends ApiError {}
/** Asked of a read-only client; nothing was sent. */
export class ReadOnly extends ApiError {}

/** An option with which no client can be made. */
export class BadOption extends OperationalError {}

/** One of the classes above. */
export type FailureKind = typeof ApiError;

export interface Failure {
  readonly kind: FailureKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly details: readonly ErrorDetail[];
  /** Without method and route. */
  readonly text: string;
}

export function unanswered(kind: FailureKind, outcome: Outcome, text: string): Failure {
  return { kind, outcome, status: null, details: [], text };
}

/** Before anything was sent. */
export function refused({ method, route }: Pick<Attempted, 'method' | 'route'>, why: string, kind = Invalid) {
  const failure = unanswered(kind, 'not-sent', `${why}; nothing was sent`);
  return createError(failure, { method, route, attempts: 0, uncertain: false });
}

interface Attempted extends Pick<ApiErrorContext, 'method' | 'route' | 'attempts'> {
  uncertain: boolean;
  /** What the call needs. */
  permission?: string | undefined;
}

/** What may have been applied is never called "not sent". */
export function createError(
  { kind, outcome, status, details, text }: Failure,
  { method, route, attempts, uncertain, permission }: Attempted,
): ApiError {
  const tries = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const isAllowed = permission === undefined || !(kind === Forbidden || kind === NotFound);
  const needed = isAllowed ? '' : `; this call needs ${permission}`;
  const doubt = uncertain && outcome !== 'ambiguous' ? '; an earlier attempt may have been applied' : '';
  return new (kind === NotSent && uncertain ? AnswerLost : kind)(
    `${method} ${route}: ${text}${needed}${doubt}${tries}`,
    uncertain ? 'ambiguous' : outcome,
    { method, route, status, attempts, details },
  );
}

/** Of a system or TLS error: `ENOENT`. */
export function systemCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown error';
}
