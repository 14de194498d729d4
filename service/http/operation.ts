/** An operation of the API. Routes and the OpenAPI document are made from operations. */
import type { Access } from '../rules/access';
import type { Properties, SchemaOf } from '../schema';

export const mediaType = 'application/vnd.api+json';

/** The document of a response. It is undefined for a response without a body. */
export type ResponseBody = { readonly [member: string]: unknown } | undefined;

export interface Call<Body = unknown> {
  access: Access;
  body: Body;
  /** A parameter that came several times is a list. */
  query: { [name: string]: unknown };
  /** The URL that the caller used, without the query. */
  url: () => string;
  ownOrigin: string;
}

export interface Operation<Subject = unknown, Body = unknown> {
  id: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path is relative to `/api/v2` and has one parameter, `:name`. */
  path: string;
  query?: Properties;
  requiredQuery?: string[];
  body?: SchemaOf<Body>;
  /** The type of resource in the response. It is absent for a response without a body. */
  responseType?: string;
  isList?: boolean;
  /** It runs before body and query are checked. Throws 404 if the caller may not do this. */
  find(access: Access, parameter: string): Subject;
  run(subject: Subject, call: Call<Body>): ResponseBody | Promise<ResponseBody>;
}

/** Types an operation, so that `run` takes the result of `find` and a body of the schema's type. */
export function operation<Subject, Body>(typed: Operation<Subject, Body>): Operation {
  return typed;
}

export function successStatus({ responseType, method }: Operation): 200 | 201 | 204 {
  if (!responseType) return 204;
  return method === 'POST' ? 201 : 200;
}

export function relationTo(type: string, id: string | null) {
  return { data: id && { id, type } };
}
