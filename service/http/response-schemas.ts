// JSON Schemas of what the service answers.

import type { Schema } from './operation';

const text: Schema = { type: 'string' };
const nullableText: Schema = { type: ['string', 'null'] };
const timestamp: Schema = { type: 'string', format: 'date-time' };
const count: Schema = { type: 'integer', minimum: 0 };
const nullableCount: Schema = { type: ['integer', 'null'], minimum: 1 };

function all(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

function reference(type: string): Schema {
  return all({ id: text, type: { const: type } });
}

const related = { links: all({ related: text }) };
const client: Schema = all({
  id: { type: 'string', pattern: '^oc-' },
  type: { const: 'oauth-clients' },
  attributes: all({
    'created-at': timestamp,
    'callback-url': text,
    'connect-path': text,
    'service-provider': text,
    'service-provider-display-name': text,
    name: nullableText,
    'http-url': text,
    'api-url': text,
    key: nullableText,
    'rsa-public-key': nullableText,
    'organization-scoped': { type: 'boolean' },
  }),
  relationships: all({
    organization: all({ data: reference('organizations'), ...related }),
    projects: all({ data: list(reference('projects')) }),
    'oauth-tokens': {
      type: 'object',
      properties: { data: list(reference('oauth-tokens')), ...related },
      required: ['data'],
    },
    'agent-pool': {
      type: 'object',
      properties: {
        data: {
          type: ['object', 'null'],
          properties: { id: text, type: { const: 'agent-pools' } },
          required: ['id', 'type'],
        },
        ...related,
      },
      required: ['data'],
    },
  }),
  links: all({ self: text }),
});

const trigger: Schema = all({
  id: { type: 'string', pattern: '^rt-' },
  type: { const: 'run-triggers' },
  attributes: all({ 'workspace-name': text, 'sourceable-name': text, 'created-at': timestamp }),
  relationships: all({
    workspace: all({ data: reference('workspaces') }),
    sourceable: all({ data: reference('workspaces') }),
  }),
  links: all({ self: text }),
});

const included = list({
  type: 'object',
  properties: { id: text, type: { enum: ['oauth-tokens', 'projects', 'workspaces'] } },
  required: ['id', 'type'],
});

const paging: Record<string, Schema> = {
  links: all({ self: text, first: text, prev: nullableText, next: nullableText, last: text }),
  meta: all({
    pagination: all({
      'current-page': count,
      'page-size': count,
      'prev-page': nullableCount,
      'next-page': nullableCount,
      'total-pages': count,
      'total-count': count,
    }),
  }),
};

function single(resource: Schema): Schema {
  return { type: 'object', properties: { data: resource, included }, required: ['data'] };
}

/** A document with one client. */
export const clientDocument = single(client);

/** A document with clients; `links` and `meta` only where pages were asked for. */
export const clientListDocument: Schema = {
  type: 'object',
  properties: { data: list(client), included, ...paging },
  required: ['data'],
};

/** A document with one trigger. */
export const triggerDocument = single(trigger);

/** A page of triggers. */
export const triggerListDocument: Schema = {
  type: 'object',
  properties: { data: list(trigger), included, ...paging },
  required: ['data', ...Object.keys(paging)],
};

/** A list of named places (projects, workspaces), paginated. */
export const placeListDocument: Schema = {
  type: 'object',
  properties: {
    data: list({
      type: 'object',
      properties: { id: text, type: { enum: ['projects', 'workspaces'] }, attributes: all({ name: text }) },
      required: ['id', 'type', 'attributes'],
    }),
    ...paging,
  },
  required: ['data', ...Object.keys(paging)],
};

/** An error document. */
export const errorDocument: Schema = all({
  errors: {
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      properties: {
        status: { type: 'string', pattern: '^[45]\\d\\d$' },
        title: text,
        detail: text,
        source: {
          type: 'object',
          properties: { pointer: text, parameter: text },
        },
      },
      required: ['status', 'title'],
    },
  },
});
