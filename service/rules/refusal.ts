// How a request is refused: a status with one entry per mistake, as a JSON API document.

import { STATUS_CODES } from 'node:http';
import { expectation, type SchemaError } from '../schema';

/** The statuses of refusals; 500 is for what went wrong inside. */
export type RefusalStatus = 400 | 401 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 431 | 500;

/** One entry of an error document; `source` is where in the request the mistake is. */
export interface Violation {
  readonly detail: string;
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
}

export function inBody(pointer: string, detail: string): Violation {
  return { detail, source: { pointer } };
}

/** A request that is refused; nothing was changed. Without violations the status says it all. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: RefusalStatus,
    readonly violations: readonly Violation[],
  ) {
    super(violations.map(({ detail }) => detail).join(' '));
  }
}

/** The one answer for "is not there" and "you may not". */
export function notFound(): Refusal {
  const detail = 'There is no such resource, or you are not authorized to perform this action on it.';
  return new Refusal(404, [{ detail }]);
}

/** Throws a refusal when there are mistakes in the body. */
export function refuseMistakes(mistakes: readonly Violation[]): void {
  if (mistakes.length > 0) throw new Refusal(422, mistakes);
}

export function errorDocument(status: RefusalStatus, violations: readonly Violation[]) {
  const head = { status: String(status), title: STATUS_CODES[status]?.toLowerCase() };
  if (violations.length === 0) return { errors: [head] };
  return { errors: violations.map((violation) => ({ ...head, ...violation })) };
}

/**
 * What a failed check means: 422 with pointers for a body, 400 with parameter names for a query.
 * Only a page size over the maximum is 422: it is understood, and refused.
 */
export function refusalOf(errors: readonly SchemaError[], part: string | undefined): Refusal {
  if (part !== 'querystring') return new Refusal(422, errors.map(violationOfBody));
  const tooLarge = errors.every(({ keyword }) => keyword === 'maximum');
  return new Refusal(tooLarge ? 422 : 400, errors.map(violationOfQuery));
}

function violationOfBody(error: SchemaError): Violation {
  const { missingProperty: missing } = error.params;
  if (typeof missing === 'string') return inBody(`${error.instancePath}/${missing}`, `${missing} is missing`);
  const name = error.instancePath.split('/').at(-1) || 'the body';
  return inBody(error.instancePath, `${name} ${expectation(error)}`);
}

function violationOfQuery(error: SchemaError): Violation {
  const { missingProperty: missing } = error.params;
  if (typeof missing === 'string') return { detail: `${missing} is missing`, source: { parameter: missing } };
  const parameter = error.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const known = error.keyword === 'pattern' && error.parentSchema?.description;
  const detail = known ? `${parameter} is not understood. ${known}` : `${parameter} ${expectation(error)}`;
  return { detail, source: { parameter } };
}
