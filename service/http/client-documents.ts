// OAuth clients as JSON API documents: the resource and its schema, what comes along with it, and the bodies of requests.

import {
  createdAttributes,
  heldOnWire,
  sentToCreate,
  sentToUpdate,
  shownSchemas,
  updatedAttributes,
} from '../oauth-client-attributes';
import type { Profile } from '../profile';
import type { SentClient, SentProjects } from '../rules/oauth-clients';
import { exactly, list, object, optional, type SchemaOf, type TypeOf, text } from '../schema';
import type { OAuthClientRecord } from '../store/records';
import type { World } from '../world';
import { type Call, documentOf, type Reference, reference } from './operation';
import { pagingMembers } from './paging';
import { projectResource } from './places';

/** The names that `include` takes. */
export const includable = ['oauth_tokens', 'projects'] as const;

/** The resource of a client, the same in create, show, update and lists. */
export function clientResource({ profile }: World, { ownOrigin }: Call, client: OAuthClientRecord) {
  const { callbackId, organization, serviceProvider } = client;
  const [token] = client.oauthTokens;
  const pool = client.agentPoolId;
  return {
    id: client.id,
    type: 'oauth-clients',
    attributes: {
      'created-at': client.createdAt,
      'callback-url': `${ownOrigin}/auth/${callbackId}/callback`,
      'connect-path': `/auth/${callbackId}?organization_id=${encodeURIComponent(organization)}`,
      'service-provider-display-name':
        profile.serviceProviders[serviceProvider]?.displayName ?? serviceProvider,
      ...heldOnWire(client),
    },
    relationships: {
      organization: {
        data: { id: organization, type: 'organizations' },
        links: { related: `/api/v2/organizations/${encodeURIComponent(organization)}` },
      },
      projects: { data: client.projectIds.map((id) => ({ id, type: 'projects' })) },
      'oauth-tokens': {
        data: client.oauthTokens.map(({ id }) => ({ id, type: 'oauth-tokens' })),
        ...(token ? { links: { related: `/api/v2/oauth-tokens/${token.id}` } } : {}),
      },
      'agent-pool':
        pool === null
          ? { data: null }
          : { data: { id: pool, type: 'agent-pools' }, links: { related: `/api/v2/agent-pools/${pool}` } },
    },
    links: { self: `/api/v2/oauth-clients/${client.id}` },
  };
}

const links = object({ related: text });
const poolReference = { ...reference('agent-pools'), type: ['object', 'null'] };
const resource = object({
  id: { type: 'string', pattern: '^oc-' },
  type: exactly('oauth-clients'),
  attributes: object({
    'created-at': { type: 'string', format: 'date-time' },
    'callback-url': text,
    'connect-path': text,
    'service-provider-display-name': text,
    ...shownSchemas,
  }),
  relationships: object({
    organization: object({ data: reference('organizations'), links }),
    projects: object({ data: list(reference('projects')) }),
    'oauth-tokens': object({ data: list(reference('oauth-tokens')), links: optional(links) }),
    'agent-pool': object({ data: poolReference, links: optional(links) }),
  }),
  links: object({ self: text }),
});
const included = ['oauth-tokens', 'projects'];

/** The schema of a document with one client. */
export const clientDocument = documentOf(resource, included);

/** The schema of a document with clients; `links` and `meta` only where pages were asked for. */
export const clientListDocument = documentOf(list(resource), included, {
  links: optional(pagingMembers.links),
  meta: optional(pagingMembers.meta),
});

/** What was asked to come along with the clients, each resource once. */
export function clientIncludes(
  { store }: World,
  clients: readonly OAuthClientRecord[],
  asked: ReadonlySet<string>,
) {
  if (asked.size === 0) return {};
  const tokens = asked.has('oauth_tokens') ? clients.flatMap(tokenResources) : [];
  const projectIds = asked.has('projects') ? clients.flatMap((client) => client.projectIds) : [];
  const projects = [...new Set(projectIds)].flatMap((id) => store.read('projects', id) ?? []);
  return { included: [...tokens, ...projects.map(projectResource)] };
}

function tokenResources(client: OAuthClientRecord) {
  return client.oauthTokens.map(({ id, createdAt }) => ({
    id,
    type: 'oauth-tokens',
    attributes: { 'created-at': createdAt },
    relationships: { 'oauth-client': { data: { id: client.id, type: 'oauth-clients' } } },
    links: { self: `/api/v2/oauth-tokens/${id}` },
  }));
}

const projectList = list(reference('projects', { ...text, examples: ['prj-payments'] }));

// Both forms of the API text: its table writes a bare array, JSON API writes { data }.
const eitherProjectList: SchemaOf<readonly Reference[] | { readonly data: readonly Reference[] }> = {
  ...projectList,
  ...object({ data: projectList }),
  type: ['array', 'object'],
};

// Null and {} mean no agent pool; an id needs its type and the other way round.
const agentPool = object({
  data: optional<{ readonly id?: string } | null>({
    type: ['object', 'null'],
    properties: { id: text, type: exactly('agent-pools') },
    dependentRequired: { id: ['type'], type: ['id'] },
  }),
});

/** The schema of create's body; the profile decides which `service-provider` values exist. */
export function createClientBody(profile: Profile) {
  const relationships = object({
    projects: optional(object({ data: optional(projectList) })),
    'agent-pool': optional(agentPool),
  });
  const attributes = createdAttributes(Object.keys(profile.serviceProviders));
  return object({
    data: object({ type: exactly('oauth-clients'), attributes, relationships: optional(relationships) }),
  });
}

/** The schema of update's body. */
export function updateClientBody(profile: Profile) {
  const relationships = object({
    projects: optional(eitherProjectList),
    'agent-pool': optional(agentPool),
  });
  return object({
    data: object({
      type: exactly('oauth-clients'),
      id: optional(text),
      attributes: optional(updatedAttributes(profile.capabilities)),
      relationships: optional(relationships),
    }),
  });
}

/** The schema of the body of attach and detach. */
export const projectsBody = object({ data: projectList });

/** The client that a create's body describes. */
export function readCreate(body: unknown): SentClient {
  const { attributes, relationships = {} } = (body as TypeOf<ReturnType<typeof createClientBody>>).data;
  return {
    attributes: sentToCreate(attributes),
    projects: sentProjects(relationships.projects?.data, '/data/relationships/projects/data'),
    agentPoolId: sentPool(relationships['agent-pool']),
  };
}

/** The changes that an update's body describes, and its id if it has one. */
export function readUpdate(
  body: unknown,
  profile: Profile,
): SentClient & { readonly id: string | undefined } {
  const {
    id,
    attributes = {},
    relationships = {},
  } = (body as TypeOf<ReturnType<typeof updateClientBody>>).data;
  const { projects } = relationships;
  const at = '/data/relationships/projects';
  return {
    id,
    attributes: sentToUpdate(attributes, profile.capabilities),
    projects:
      projects && 'data' in projects ? sentProjects(projects.data, `${at}/data`) : sentProjects(projects, at),
    agentPoolId: sentPool(relationships['agent-pool']),
  };
}

/** The projects that the body of attach or detach names. */
export function readProjects(body: unknown): SentProjects {
  return { ids: (body as TypeOf<typeof projectsBody>).data.map(({ id }) => id), pointer: '/data' };
}

function sentProjects(sent: readonly Reference[] | undefined, pointer: string): SentProjects | undefined {
  return sent && { ids: sent.map(({ id }) => id), pointer };
}

function sentPool(sent: TypeOf<typeof agentPool> | undefined): string | null | undefined {
  return sent && (sent.data?.id ?? null);
}
