/** A refused request gets a status, and a JSON API document with one entry for each mistake. */
import { STATUS_CODES } from 'node:http';
import { describeError, object, type SchemaError, string, type TypeOf } from '../schema';

export interface Violation {
  detail: string;
  source?: { pointer: string } | { parameter: string };
}

export function inBody(pointer: string, detail: string): Violation {
  return { detail, source: { pointer } };
}

/** An entry of the document. The published OpenAPI document has the same schema. */
export const errorSchema = object({ status: string, title: string }, { detail: string, source: object({}) });
type ErrorEntry = TypeOf<typeof errorSchema>;

export class Refusal extends Error {
  readonly document: { readonly errors: readonly ErrorEntry[] };

  /** `reason` is a sentence or violations. It is absent if the status says enough. */
  constructor(
    readonly status: number,
    reason?: string | Violation[],
    readonly headers: Record<string, string> = {},
  ) {
    super();
    const violations = typeof reason === 'string' ? [{ detail: reason }] : (reason ?? [{}]);
    const title = STATUS_CODES[status]?.toLowerCase() ?? 'error';
    const head: ErrorEntry = { status: String(status), title };
    this.document = { errors: violations.map((violation) => ({ ...head, ...violation })) };
  }
}

export function notFound() {
  return new Refusal(404, 'There is no such resource, or you may not do this with it.');
}

export function refuseMistakes(mistakes: Violation[]): void {
  if (mistakes.length > 0) throw new Refusal(422, mistakes);
}

/** Refuses a body with 422 and pointers, and a query with 400 and names. A number above its maximum, such as a page size, gets 422. */
export function refuseErrors(errors: SchemaError[], part: 'body' | 'query'): void {
  const violations = errors.map((error): Violation => {
    const { missingProperty: missing } = error.params;
    const pointer = error.instancePath + (missing === undefined ? '' : `/${missing}`);
    const name = pointer.split('/').at(-1) || 'the body';
    const detail = `${name} ${missing === undefined ? describeError(error) : 'is missing'}`;
    return part === 'query' ? { detail, source: { parameter: name } } : inBody(pointer, detail);
  });
  const isUnderstood = part === 'body' || errors.every(({ keyword }) => keyword === 'maximum');
  if (violations.length > 0) throw new Refusal(isUnderstood ? 422 : 400, violations);
}
