// What an operation of the API is: its path, its schemas, and what it does. Routes and OpenAPI are made from it.

import type { Access } from '../rules/access';
import type { RefusalStatus } from '../rules/refusal';
import { exactly, object, optional, type Properties, type Schema, type SchemaOf, text } from '../schema';

export const mediaType = 'application/vnd.api+json';

/** A JSON API document, or nothing for answers without a body. */
export type Answer = { readonly [member: string]: unknown } | undefined;

/** One request that its schemas accept. */
export interface Call<Body = unknown> {
  readonly access: Access;
  readonly body: Body;
  /** Numbers where the schema has whole numbers; a list for what came several times. */
  readonly query: { readonly [name: string]: unknown };
  /** Where the caller asked, without the query. */
  readonly url: string;
  /** Scheme and authority of the service itself, whatever name the caller used. */
  readonly ownOrigin: string;
}

export interface Operation<Subject = unknown, Body = unknown> {
  readonly id: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v2`, its one parameter as `:name`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: SchemaOf<Body>;
  /** The schema of the answer; without one, the answer has no body. */
  readonly answer?: Schema;
  /** For creates: the path of what is created, whose parameter is the new id. */
  readonly creates?: string;
  /** Statuses with which it refuses, beside those that its method, body and path bring. */
  readonly refusals?: readonly RefusalStatus[];
  /** What the path's parameter names, if the caller may do this to it; asked before body and query are judged. Throws 404. */
  find(access: Access, parameter: string): Subject;
  run(subject: Subject, call: Call<Body>): Answer | Promise<Answer>;
}

/** The operation itself: lets `run` take what `find` returns and what the schema of the body accepts. */
export function operation<Subject, Body>(one: Operation<Subject, Body>): Operation {
  return one;
}

export function successOf({ answer, creates }: Operation): 200 | 201 | 204 {
  if (!answer) return 204;
  return creates === undefined ? 200 : 201;
}

export interface Reference {
  readonly id: string;
  readonly type: string;
}

export function reference(type: string, id: Schema = text): SchemaOf<Reference> {
  return object({ id, type: exactly(type) }) as SchemaOf<Reference>;
}

/** The schema of a document with this data, and with the types that `include` may add. */
export function documentOf(data: Schema, included: readonly string[], members: Properties = {}) {
  const resources = { type: 'array', items: object({ id: text, type: { enum: included } }) };
  const beside = included.length > 0 ? { included: optional(resources) } : {};
  return object({ data, ...beside, ...members });
}
