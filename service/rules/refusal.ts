// How a request is refused: a status with one entry per mistake, and the JSON API document that says so.

const titles = {
  400: 'bad request',
  401: 'unauthorized',
  404: 'not found',
  405: 'method not allowed',
  408: 'request timeout',
  409: 'conflict',
  413: 'payload too large',
  415: 'unsupported media type',
  422: 'unprocessable entity',
  429: 'too many requests',
  431: 'request header fields too large',
  500: 'internal server error',
};

type ErrorStatus = keyof typeof titles;

/** The statuses with which a request is refused. */
export type RefusalStatus = Exclude<ErrorStatus, 500>;

/** One entry of an error document; `source` is where in the request the mistake is. */
export interface Violation {
  readonly detail: string;
  /** A JSON pointer into the body, or the name of a query parameter. */
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
}

/** A mistake in the body, at a JSON pointer. */
export interface BodyMistake {
  readonly pointer: string;
  readonly detail: string;
}

/** A request that is refused; nothing was changed. No violations mean that the status says it all. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: RefusalStatus,
    readonly violations: readonly Violation[],
  ) {
    super(violations.map(({ detail }) => detail).join(' '));
  }
}

/** The one answer for "is not there" and "you may not": the API does not tell the two apart. */
export function notFound(): Refusal {
  const detail = 'There is no such resource, or you are not authorized to perform this action on it.';
  return new Refusal(404, [{ detail }]);
}

/** A refusal for mistakes in the body. */
export function refusalOfBody(mistakes: readonly BodyMistake[], status: RefusalStatus = 422): Refusal {
  const violations = mistakes.map(({ pointer, detail }) => ({ detail, source: { pointer } }));
  return new Refusal(status, violations);
}

/** Throws a refusal of the body when there are mistakes in it. */
export function refuseMistakes(mistakes: readonly BodyMistake[]): void {
  if (mistakes.length > 0) throw refusalOfBody(mistakes);
}

/** The error document of a status: one entry per violation, or one that says the status alone. */
export function errorDocument(status: ErrorStatus, violations: readonly Violation[]) {
  const head = { status: String(status), title: titles[status] };
  if (violations.length === 0) return { errors: [head] };
  return { errors: violations.map((violation) => ({ ...head, ...violation })) };
}
