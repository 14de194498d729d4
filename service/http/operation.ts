// What an operation of the API is. Routes and OpenAPI are made from it.

import type { Access } from '../rules/access';
import type { Properties, SchemaOf } from '../schema';

export const mediaType = 'application/vnd.api+json';

export type Answer = { readonly [member: string]: unknown } | undefined;

export interface Call<Body = unknown> {
  access: Access;
  body: Body;
  /** Numbers for whole numbers; a list for what came several times. */
  query: { [name: string]: unknown };
  /** The URL as the caller reached us, without the query. */
  url: () => string;
  /** Scheme and authority of the service, whatever name the caller used. */
  ownOrigin: string;
}

export interface Operation<Subject = unknown, Body = unknown> {
  /** Its name in the OpenAPI document. */
  id: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v2`, its one parameter as `:name`. */
  path: string;
  query?: Properties;
  requiredQuery?: string[];
  body?: SchemaOf<Body>;
  /** The type of the resource in the answer, or of each in a list. Without one, the answer has no body. */
  answer?: string;
  isList?: boolean;
  /** Returns what the path names, before body and query are checked. Throws 404 where the caller may not do this to it. */
  find(access: Access, parameter: string): Subject;
  run(subject: Subject, call: Call<Body>): Answer | Promise<Answer>;
}

/** Has `run` take what `find` returns and what the schema of the body accepts. */
export function operation<Subject, Body>(one: Operation<Subject, Body>): Operation {
  return one;
}

export function successOf({ answer, method }: Operation): 200 | 201 | 204 {
  if (!answer) return 204;
  return method === 'POST' ? 201 : 200;
}

export function relationTo(type: string, id: string | null) {
  return { data: id && { id, type } };
}
