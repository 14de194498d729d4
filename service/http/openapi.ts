/** Makes the OpenAPI 3.1 document from the operations. */
import { STATUS_CODES } from 'node:http';
import { errorSchema } from '../rules/refusal';
import { choice, list, object, type Schema, string } from '../schema';
import { mediaType, type Operation, successStatus } from './operation';

function toContent(schema: Schema) {
  return { content: { [mediaType]: { schema } } };
}

function responseSchema({ responseType = '', isList }: Operation) {
  const resource = object({ id: string, type: choice(responseType), attributes: object({}) });
  return object({ data: isList ? list(resource) : resource }, { included: list(object({ id: string })) });
}

function toParameters({ method, path, body, query = {}, requiredQuery = [] }: Operation) {
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

function describeOperation(operation: Operation) {
  const { id, body, responseType } = operation;
  const success = successStatus(operation);
  const refusal = object({ errors: list(errorSchema) });
  return {
    operationId: id,
    parameters: toParameters(operation),
    ...(body && { requestBody: { required: true, ...toContent(body) } }),
    responses: {
      [success]: {
        description: STATUS_CODES[success],
        ...(responseType && toContent(responseSchema(operation))),
      },
      default: { description: 'A refusal, as a JSON API error document.', ...toContent(refusal) },
    },
  };
}

export function openApi(operations: readonly Operation[]) {
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation) };
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
