// What one operation of the API is: its path, its schemas, and what it does. Routes and OpenAPI are made from these.

import type { Access } from '../rules/access';
import type { RefusalStatus } from '../rules/refusal';
import { exactly, object, optional, type Properties, type Schema, type SchemaOf, text } from '../schema';

/** The media type of the API. */
export const mediaType = 'application/vnd.api+json';

/** A JSON API document, or nothing for answers without a body. */
export type Answer = { readonly [member: string]: unknown } | undefined;

/** The query of a request: texts, or numbers where the schema has whole numbers; a list for what came several times. */
export type Query = { readonly [name: string]: unknown };

/** A request as an operation sees it. */
export interface Call {
  readonly access: Access;
  /** The value of the one parameter that the operation's path has, decoded. */
  readonly parameter: string;
  /** The path as it was asked for, without the query. */
  readonly path: string;
  /** Scheme and authority under which the caller reached the service. */
  readonly origin: string;
  /** The same as the service itself calls it, whatever name the caller used. */
  readonly ownOrigin: string;
  /** Body and query, once the caller's permission is known. Throws the refusal where the schemas do not accept them. */
  accepted(): { readonly body: unknown; readonly query: Query };
}

/** One operation: its place in the API, what it takes and gives, and what it does. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  /** The heading under which the OpenAPI document lists it. */
  readonly tag: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v2`, its one parameter as `:name`. */
  readonly path: string;
  /** Query parameters by name. */
  readonly query?: Readonly<Record<string, Schema>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: Schema;
  /** The schema of the answer; without one, the answer has no body. */
  readonly answer?: Schema;
  /** For creates: the path of what is created, whose parameter is the new id. */
  readonly creates?: string;
  /** Statuses with which it refuses, beside those that its method, body and path bring. */
  readonly refusals?: readonly RefusalStatus[];
  run(call: Call): Answer | Promise<Answer>;
}

/** The status of an operation's answer when nothing is refused. */
export function successOf({ answer, creates }: Operation): 200 | 201 | 204 {
  if (!answer) return 204;
  return creates === undefined ? 200 : 201;
}

/** A reference to another resource. */
export interface Reference {
  readonly id: string;
  readonly type: string;
}

/** The schema of a reference to a resource of a type. */
export function reference(type: string, id: Schema = text): SchemaOf<Reference> {
  return object({ id, type: exactly(type) }) as SchemaOf<Reference>;
}

/** The schema of a document with this data, and with resources of these types that were asked for besides. */
export function documentOf(data: Schema, included: readonly string[], members: Properties = {}) {
  const resources = { type: 'array', items: object({ id: text, type: { enum: included } }) };
  const beside = included.length > 0 ? { included: optional(resources) } : {};
  return object({ data, ...beside, ...members });
}
