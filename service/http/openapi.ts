// Makes the OpenAPI 3.1 document out of the operations under each heading.

import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import path from 'node:path';
import { list, matching, nonEmptyString, object, type Schema, string } from '../schema';
import { mediaType, type Operation, type Operations, successOf } from './operation';

const packageFile = path.resolve(__dirname, '..', '..', '..', 'package.json');
const { version }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));

const title = 'VCS connections (OAuth clients) and run triggers';

const error = object(
  { status: matching('^[45]\\d\\d$'), title: string },
  { detail: string, source: object({}, { pointer: string, parameter: string }) },
);
const errors = object({ errors: { minItems: 1, ...list(error) } });

const aNumber = { description: 'A number.', schema: string };
const headers: Record<number, Schema> = {
  405: { Allow: { description: 'The methods of the path.', schema: string } },
  429: { 'x-ratelimit-limit': aNumber, 'x-ratelimit-remaining': aNumber, 'x-ratelimit-reset': aNumber },
};

function contentOf(schema: Schema) {
  return { content: { [mediaType]: { schema } } };
}

function parametersOf({ method, path, body, query = {}, requiredQuery = [] }: Operation) {
  // Requests without a body need the media type too, and OpenAPI has no other place to say so.
  const contentType = { name: 'Content-Type', in: 'header', required: true, schema: { const: mediaType } };
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: requiredQuery.includes(name),
    schema,
  }));
  return [
    { name: path.replace(/^.*:(\w+).*$/, '$1'), in: 'path', required: true, schema: nonEmptyString },
    ...inQuery,
    ...(method === 'GET' || body ? [] : [contentType]),
  ];
}

function responsesOf(operation: Operation) {
  const { method, query = {}, body, answer, refusals = [] } = operation;
  const success = successOf(operation);
  const ofWrites = method === 'GET' ? [] : [413, 415];
  const mayBreakRules = body !== undefined || Object.values(query).some((schema) => 'maximum' in schema);
  const ofRules = mayBreakRules ? [422] : [];
  const refused = [400, 401, 404, 405, 429, ...ofWrites, ...ofRules, ...refusals].map((status) => [
    status,
    {
      description: STATUS_CODES[status],
      ...(headers[status] && { headers: headers[status] }),
      ...contentOf({ $ref: '#/components/schemas/Errors' }),
    },
  ]);
  return {
    [success]: { description: STATUS_CODES[success], ...(answer && contentOf(answer)) },
    ...Object.fromEntries(refused),
  };
}

export function openApi(kinds: Readonly<Record<string, Operations>>) {
  const paths: Record<string, Schema> = {};
  for (const [heading, operations] of Object.entries(kinds)) {
    for (const [operationId, operation] of Object.entries(operations)) {
      const { method, body } = operation;
      const path = operation.path.replace(/:(\w+)/, '{$1}');
      const described = {
        operationId,
        tags: [heading],
        parameters: parametersOf(operation),
        ...(body && { requestBody: { required: true, ...contentOf(body) } }),
        responses: responsesOf(operation),
      };
      paths[path] = { ...paths[path], [method.toLowerCase()]: described };
    }
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
