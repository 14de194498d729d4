// JSON Schemas of what callers send.

import type { Behaviours } from '../behaviours';
import type { Profile } from '../profile';
import type { Schema } from './operation';

const text: Schema = { type: 'string' };
const url: Schema = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$' };
const nullableText: Schema = { type: ['string', 'null'] };
const flag: Schema = { type: 'boolean' };

function object(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: 'object', properties, required };
}

function reference(type: string, example: string): Schema {
  return object({ id: { ...text, examples: [example] }, type: { const: type } }, ['id', 'type']);
}

const projectList: Schema = { type: 'array', items: reference('projects', 'prj-payments') };

// Null and {} mean no agent pool; an id needs its type and the other way round.
const agentPool: Schema = object({
  data: {
    type: ['object', 'null'],
    properties: { id: text, type: { const: 'agent-pools' } },
    dependentRequired: { id: ['type'], type: ['id'] },
  },
});

/** The body of create client; which `service-provider` values exist is the profile's to say. */
export function createClientBody({ serviceProviders }: Profile): Schema {
  const attributes = object(
    {
      'service-provider': { enum: Object.keys(serviceProviders) },
      name: nullableText,
      key: text,
      'http-url': url,
      'api-url': url,
      'oauth-token-string': text,
      'private-key': text,
      secret: text,
      'rsa-public-key': text,
      'organization-scoped': flag,
    },
    ['service-provider', 'http-url', 'api-url'],
  );
  const relationships = object({ projects: object({ data: projectList }), 'agent-pool': agentPool });
  const data = object({ type: { const: 'oauth-clients' }, attributes, relationships }, [
    'type',
    'attributes',
  ]);
  return object({ data }, ['data']);
}

/** The body of update client. */
export function updateClientBody({ capabilities }: Profile): Schema {
  const attributes = object({
    name: nullableText,
    key: text,
    secret: text,
    'rsa-public-key': text,
    'organization-scoped': flag,
    ...(capabilities.tokenInPatch ? { 'oauth-token-string': text } : {}),
  });
  // Both forms of the API text: its table writes a bare array, JSON API writes { data }.
  const projects: Schema = {
    type: ['array', 'object'],
    items: reference('projects', 'prj-payments'),
    required: ['data'],
    properties: { data: projectList },
  };
  const relationships = object({ projects, 'agent-pool': agentPool });
  const data = object({ type: { const: 'oauth-clients' }, id: text, attributes, relationships }, ['type']);
  return object({ data }, ['data']);
}

/** The body of attach and detach. */
export const projectsBody: Schema = object({ data: projectList }, ['data']);

/** The body of create trigger. */
export const createTriggerBody: Schema = object(
  {
    data: object(
      {
        type: { const: 'run-triggers' },
        relationships: object(
          { sourceable: object({ data: reference('workspaces', 'ws-network') }, ['data']) },
          ['sourceable'],
        ),
      },
      ['relationships'],
    ),
  },
  ['data'],
);

/** The paging parameters. A maximum is stated only where a size over it is refused. */
export function pagingQuery(behaviours: Behaviours): Record<string, Schema> {
  const most = behaviours['page-size-over'] === '422' ? { maximum: behaviours['page-size-max'] } : {};
  return {
    'page[number]': { type: 'integer', minimum: 1, description: 'The first page when left out.' },
    'page[size]': { type: 'integer', minimum: 1, ...most, description: '20 when left out.' },
  };
}

/** The include parameter: names of `known`, separated by commas; empty means none. */
export function includeQuery(known: readonly string[]): Record<string, Schema> {
  const name = `(${known.join('|')})`;
  return {
    include: {
      type: 'string',
      pattern: `^(${name}?,)*${name}?$`,
      description: `Any of ${known.join(', ')}.`,
    },
  };
}
