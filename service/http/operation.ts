// What one operation of the API is: its path, its schemas, and what it does. Routes and OpenAPI are made from these.

import type { Access } from '../rules/access';
import type { World } from '../rules/world';

/** A JSON Schema. */
export type Schema = { readonly [keyword: string]: unknown };

/** A JSON API document, or nothing for answers without a body. */
export type Answer = { readonly [member: string]: unknown } | undefined;

/** Every parameter that some path has. */
export interface PathParameters {
  readonly organization_name: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly run_trigger_id: string;
}

/** A request as an operation sees it. */
export interface Call {
  readonly access: Access;
  /** Path parameters, decoded: those that the operation's own path names. */
  readonly params: PathParameters;
  /** The path as it was asked for, without the query. */
  readonly path: string;
  /** Scheme and authority under which the caller reached the service. */
  readonly origin: string;
  /** The same as the service itself calls it, whatever name the caller used. */
  readonly ownOrigin: string;
  /**
   * The body and the query, once the schemas have accepted them; throws the refusal otherwise.
   * To be called after the caller's permission is known.
   */
  accepted(): { readonly body: unknown; readonly query: Readonly<Record<string, unknown>> };
}

/** One operation: its place in the API, what it takes and gives, and what it does. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly tag: 'OAuth clients' | 'Run triggers' | 'Lookups';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v2`, parameters as `:name`. */
  readonly path: string;
  /** Query parameters by name. */
  readonly query?: Readonly<Record<string, Schema>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: Schema;
  readonly success: { readonly status: 200 | 201 | 204; readonly body?: Schema };
  /** For creates: the path of what is created, whose one parameter is the new id. */
  readonly creates?: string;
  /** Statuses with which this operation refuses, beside those that every operation has. */
  readonly refusals: readonly (400 | 404 | 409 | 422)[];
  run(world: World, call: Call): Answer | Promise<Answer>;
}
