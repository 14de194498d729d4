/** Makes the OpenAPI 3.1 document from the operations. */
import { STATUS_CODES } from 'node:http';
import { choice, list, object, type Schema, string } from '../schema';
import { mediaType, type Operation, successOf } from './operation';

const error = object({ status: string, title: string }, { detail: string, source: object({}) });

function contentOf(schema: Schema) {
  return { content: { [mediaType]: { schema } } };
}

function answerOf({ answer = '', isList }: Operation) {
  const resource = object({ id: string, type: choice(answer), attributes: object({}) });
  return object({ data: isList ? list(resource) : resource }, { included: list(object({ id: string })) });
}

function parametersOf({ method, path, body, query = {}, requiredQuery = [] }: Operation) {
  // Requests without a body need the media type too, and OpenAPI has no other place to say so.
  const contentType = { name: 'Content-Type', in: 'header', required: true, schema: choice(mediaType) };
  const inQuery = Object.entries(query).map(([name, schema]) => {
    return { name, in: 'query', required: requiredQuery.includes(name), schema };
  });
  return [
    { name: path.replace(/^.*:(\w+).*$/, '$1'), in: 'path', required: true, schema: string },
    ...inQuery,
    ...(method === 'GET' || body ? [] : [contentType]),
  ];
}

function described(operation: Operation) {
  const { id, body, answer } = operation;
  const success = successOf(operation);
  const refusal = object({ errors: list(error) });
  return {
    operationId: id,
    parameters: parametersOf(operation),
    ...(body && { requestBody: { required: true, ...contentOf(body) } }),
    responses: {
      [success]: { description: STATUS_CODES[success], ...(answer && contentOf(answerOf(operation))) },
      default: { description: 'A refusal, as a JSON API error document.', ...contentOf(refusal) },
    },
  };
}

export function openApi(operations: readonly Operation[]) {
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'VCS connections (OAuth clients) and run triggers', version: '2' },
    servers: [{ url: '/api/v2' }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}
