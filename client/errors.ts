/** The errors that leave the client. None holds a token, a body or an object of Node's http. */

/** `rejected` means that nothing was done. `ambiguous` means that the request may have been applied. */
export type Outcome = 'rejected' | 'not-sent' | 'ambiguous';

/** The members of a JSON:API error, each in one safe line. `pointer` and `parameter` are its source. */
export type ErrorDetail = Readonly<
  Partial<Record<'status' | 'title' | 'detail' | 'pointer' | 'parameter', string>>
>;

export interface ApiErrorContext {
  readonly method: string;
  /** The path below the base URL, such as `/oauth-clients/oc-1`. */
  readonly route: string;
  /** It is null when there was no response. */
  readonly status: number | null;
  readonly attempts: number;
  readonly details: readonly ErrorDetail[];
}

/** An error that is no bug. Its message tells the user what happened, where and what to do, and holds no secret. */
export class OperationalError extends Error {
  override readonly name: string = this.constructor.name;
}

/** A message says this about an error that is no `OperationalError`. */
export const bugSentence = 'This is a bug in tether; please report it';

/** Returns a stable code for programs, such as `rate-limited`, or `bug` for any other error. */
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
/** 404: it does not exist, or this token may not see it. The API does not tell which. */
export class NotFound extends ApiError {}
/** 409: it conflicts with what exists, or with a lock. */
export class Conflict extends ApiError {}
/** Another 4xx: the service did nothing. */
export class Invalid extends ApiError {}
/** 403: the token lacks a permission. */
export class Forbidden extends Invalid {}
/** 429: the service still limited the rate at the deadline. Nothing was done. */
export class RateLimited extends ApiError {}
/** 5xx or 408: the last attempt failed too. */
export class ServerError extends ApiError {}
/** The request never reached the service: no connection, no such host, or an untrusted certificate. */
export class NotSent extends ApiError {}
/** The request may have been applied: no answer came, or none that can be read. */
export class AnswerLost extends ApiError {}
/** The answer is not what the API promises: HTML, a redirect, too large, inconsistent pages. */
export class BadAnswer extends ApiError {}
/** A read-only client was asked to write. Nothing was sent. */
export class ReadOnly extends ApiError {}

/** An option of the client cannot work. */
export class BadOption extends OperationalError {}

/** One of the classes above. */
export type FailureKind = typeof ApiError;

export interface Failure {
  readonly kind: FailureKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly details: readonly ErrorDetail[];
  /** The message without method and route. */
  readonly text: string;
}

export function unanswered(kind: FailureKind, outcome: Outcome, text: string): Failure {
  return { kind, outcome, status: null, details: [], text };
}

/** Makes the error for a call that was not sent. */
export function refused({ method, route }: Pick<Attempted, 'method' | 'route'>, why: string, kind = Invalid) {
  const failure = unanswered(kind, 'not-sent', `${why}; nothing was sent`);
  return createError(failure, { method, route, attempts: 0, uncertain: false });
}

interface Attempted extends Pick<ApiErrorContext, 'method' | 'route' | 'attempts'> {
  uncertain: boolean;
  /** The permission that the call needs. */
  permission?: string | undefined;
}

/** A request that may have been applied is never called "not sent". */
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

/** Returns the code of a system or TLS error, such as `ENOENT`. */
export function systemCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown error';
}
