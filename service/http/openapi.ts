// Makes the OpenAPI document out of the operations, so that it says what the routes really do.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { list, matching, object, optional, type Schema, someText, text } from '../schema';
import { mediaType } from './api';
import type { Operation } from './operation';

const { version }: { version: string } = JSON.parse(
  readFileSync(path.resolve(__dirname, '..', '..', '..', 'package.json'), 'utf8'),
);

// The form of an error document.
const errors = object({
  errors: {
    minItems: 1,
    ...list(
      object({
        status: matching('^[45]\\d\\d$'),
        title: text,
        detail: optional(text),
        source: optional(object({ pointer: optional(text), parameter: optional(text) })),
      }),
    ),
  },
});

const title = 'VCS connections (OAuth clients) and run triggers';

const descriptions: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done; there is no body.',
  400: 'The query, the URL or the JSON of the body cannot be understood.',
  401: 'The bearer token is missing or unknown.',
  404: 'Not found, or the caller is not authorized; the two are not distinguished.',
  405: 'The path does not have this method; the header Allow names those it has.',
  409: 'The state of the service does not allow it now.',
  413: 'The body is too large.',
  415: 'The request does not have the media type of the API.',
  422: 'Members of the body are missing or wrong; each is named by its pointer.',
  429: 'Too many requests in a second; the header x-ratelimit-reset says when to try again.',
};

function template(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

// Requests without a body need the media type too, and OpenAPI has no other place to say so.
const contentTypeHeader: Schema = {
  name: 'Content-Type',
  in: 'header',
  required: true,
  schema: { const: mediaType },
};

function parametersOf({ method, path, body, query = {}, requiredQuery = [] }: Operation): Schema[] {
  const inPath = pathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: someText,
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: requiredQuery.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery, ...(method !== 'GET' && !body ? [contentTypeHeader] : [])];
}

function headersOf(status: number): Schema {
  if (status === 405)
    return { headers: { Allow: { description: 'The methods of the path.', schema: text } } };
  if (status !== 429) return {};
  const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  return {
    headers: Object.fromEntries(names.map((name) => [name, { description: 'A number.', schema: text }])),
  };
}

function refusalStatuses({ method, body, refusals }: Operation): number[] {
  const writing = method !== 'GET';
  const always = [400, 401, 404, 405, 429];
  return [
    ...new Set([...always, ...(writing ? [413, 415] : []), ...(body ? [422] : []), ...refusals]),
  ].sort();
}

function responsesOf(operation: Operation, operations: readonly Operation[]): Schema {
  const { status, body } = operation.success;
  const success: Schema = {
    description: descriptions[status],
    ...(body ? { content: { [mediaType]: { schema: body } } } : {}),
    ...linksOf(operation, operations),
  };
  const refusals = refusalStatuses(operation).map((refusal) => [
    refusal,
    {
      description: descriptions[refusal],
      ...headersOf(refusal),
      content: { [mediaType]: { schema: { $ref: '#/components/schemas/Errors' } } },
    },
  ]);
  return { [status]: success, ...Object.fromEntries(refusals) };
}

// What a create made can be used with every operation on its path.
function linksOf({ creates }: Operation, operations: readonly Operation[]): Schema {
  if (creates === undefined) return {};
  const next = operations.filter(({ path }) => path === creates || path.startsWith(`${creates}/`));
  const links = next.map(({ id, path }) => [
    id,
    {
      operationId: id,
      parameters: Object.fromEntries(pathParameters(path).map((name) => [name, '$response.body#/data/id'])),
    },
  ]);
  return { links: Object.fromEntries(links) };
}

function describe(operation: Operation, operations: readonly Operation[]): Schema {
  const { id, summary, tag, body } = operation;
  return {
    operationId: id,
    summary,
    tags: [tag],
    parameters: parametersOf(operation),
    ...(body ? { requestBody: { required: true, content: { [mediaType]: { schema: body } } } } : {}),
    responses: responsesOf(operation, operations),
  };
}

/** The OpenAPI 3.1 document of these operations. */
export function openApi(operations: readonly Operation[]): Schema {
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    const path = template(operation.path);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, operations) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/api/v2' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Errors: errors },
    },
  };
}
