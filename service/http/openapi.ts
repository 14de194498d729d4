// Makes the OpenAPI 3.1 document out of the operations under each heading.

import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import path from 'node:path';
import { choice, list, matching, nonEmptyString, object, type Schema, string } from '../schema';
import { mediaType, type Operation, type Operations, successOf } from './operation';

const packageFile = path.resolve(__dirname, '..', '..', '..', 'package.json');
const { version }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));

const title = 'VCS connections (OAuth clients) and run triggers';

const error = object(
  { status: matching('^[45]\\d\\d$'), title: string },
  { detail: string, source: object({}, { pointer: string, parameter: string }) },
);
const errors = object({ errors: { minItems: 1, ...list(error) } });

function contentOf(schema: Schema) {
  return { content: { [mediaType]: { schema } } };
}

function answerOf(type: string, isList: boolean) {
  const resource = object({ id: string, type: choice(type), attributes: object({}) });
  return object({ data: isList ? list(resource) : resource }, { included: list(object({ id: string })) });
}

function parametersOf({ method, path, body, query = {}, requiredQuery = [] }: Operation) {
  // Requests without a body need the media type too, and OpenAPI has no other place to say so.
  const contentType = { name: 'Content-Type', in: 'header', required: true, schema: { const: mediaType } };
  const inQuery = Object.entries(query).map(([name, schema]) => {
    return { name, in: 'query', required: requiredQuery.includes(name), schema };
  });
  return [
    { name: path.replace(/^.*:(\w+).*$/, '$1'), in: 'path', required: true, schema: nonEmptyString },
    ...inQuery,
    ...(method === 'GET' || body ? [] : [contentType]),
  ];
}

function described(operationId: string, heading: string, operation: Operation) {
  const { body, answer, isList = false } = operation;
  const success = successOf(operation);
  return {
    operationId,
    tags: [heading],
    parameters: parametersOf(operation),
    ...(body && { requestBody: { required: true, ...contentOf(body) } }),
    responses: {
      [success]: { description: STATUS_CODES[success], ...(answer && contentOf(answerOf(answer, isList))) },
      default: { description: 'A refusal.', ...contentOf({ $ref: '#/components/schemas/Errors' }) },
    },
  };
}

export function openApi(kinds: Readonly<Record<string, Operations>>) {
  const paths: Record<string, Schema> = {};
  for (const [heading, operations] of Object.entries(kinds)) {
    for (const [operationId, operation] of Object.entries(operations)) {
      const path = operation.path.replace(/:(\w+)/, '{$1}');
      const method = operation.method.toLowerCase();
      paths[path] = { ...paths[path], [method]: described(operationId, heading, operation) };
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
