// What the rules say when they refuse: a status with one entry per wrong member. The rules know no HTTP beyond it.

/** Where in the request the mistake is: a JSON pointer into the body, or the name of a query parameter. */
export type Source = { readonly pointer: string } | { readonly parameter: string };

/** One entry of an error document. */
export interface Complaint {
  readonly detail: string;
  readonly source?: Source;
}

/** The statuses with which a request is refused. */
export type RefusalStatus = 400 | 401 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 431;

/** A request that is refused; nothing was changed. No complaints mean that the status says it all. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: RefusalStatus,
    readonly complaints: readonly Complaint[],
  ) {
    super(complaints.map(({ detail }) => detail).join(' '));
  }
}

/** The one answer for "is not there" and "you may not": the API does not tell the two apart. */
export function notFound(): Refusal {
  const detail = 'There is no such resource, or you are not authorized to perform this action on it.';
  return new Refusal(404, [{ detail }]);
}

/** A refusal of body members, each by its JSON pointer. */
export function unprocessable(...complaints: { pointer: string; detail: string }[]): Refusal {
  const entries = complaints.map(({ pointer, detail }) => ({ detail, source: { pointer } }));
  return new Refusal(422, entries);
}
