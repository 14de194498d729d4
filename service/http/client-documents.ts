// OAuth clients as JSON API documents, and the bodies of requests.

import { createBodySchema, heldSchemas, onWire, updateBodySchema } from '../oauth-client-attributes';
import type { Profile } from '../profile';
import { exactly, list, matching, object, orNull, type SchemaOf, string, type TypeOf } from '../schema';
import type { OAuthClientRecord } from '../store/records';
import type { World } from '../world';
import { type Call, documentOf, reference, relationTo } from './operation';
import { pagingMembers, readInclude } from './paging';
import { projectResource } from './places';

export const includable = ['oauth_tokens', 'projects'];

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
      ...onWire(client),
    },
    relationships: {
      organization: {
        ...relationTo('organizations', organization),
        links: { related: `/api/v2/organizations/${encodeURIComponent(organization)}` },
      },
      projects: { data: client.projectIds.map((id) => ({ id, type: 'projects' })) },
      'oauth-tokens': {
        data: client.oauthTokens.map(({ id }) => ({ id, type: 'oauth-tokens' })),
        ...(token && { links: { related: `/api/v2/oauth-tokens/${token.id}` } }),
      },
      'agent-pool': {
        ...relationTo('agent-pools', pool),
        ...(pool && { links: { related: `/api/v2/agent-pools/${pool}` } }),
      },
    },
    links: { self: `/api/v2/oauth-clients/${client.id}` },
  };
}

const links = object({ related: string });
const resource = object({
  id: matching('^oc-'),
  type: exactly('oauth-clients'),
  attributes: object({
    'created-at': { ...string, format: 'date-time' },
    'callback-url': string,
    'connect-path': string,
    'service-provider-display-name': string,
    ...onWire(heldSchemas),
  }),
  relationships: object({
    organization: object({ data: reference('organizations'), links }),
    projects: object({ data: list(reference('projects')) }),
    'oauth-tokens': object({ data: list(reference('oauth-tokens')) }, { links }),
    'agent-pool': object({ data: orNull(reference('agent-pools')) }, { links }),
  }),
  links: object({ self: string }),
});
const included = ['oauth-tokens', 'projects'];

export const clientDocument = documentOf(resource, included);

/** `links` and `meta` only where pages were asked for. */
export const clientListDocument = documentOf(list(resource), included, {}, pagingMembers);

/** What was asked to come along, each resource once. */
export function clientIncludes({ store }: World, call: Call, clients: OAuthClientRecord[]) {
  const asked = readInclude(call);
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
    relationships: { 'oauth-client': relationTo('oauth-clients', client.id) },
    links: { self: `/api/v2/oauth-tokens/${id}` },
  }));
}

const projectList = list(reference('projects', { ...string, examples: ['prj-payments'] }));
export const projectsBody = object({ data: projectList });

export type References = TypeOf<typeof projectList>;

/** The API text has a bare array in its table, JSON API { data }. */
type SentProjects = References | { data?: References };

const eitherProjectList: SchemaOf<SentProjects> = {
  ...projectList,
  ...projectsBody,
  type: ['array', 'object'],
};

// Null and {} mean no agent pool; an id needs its type and the other way round.
const agentPool = object(
  {},
  {
    data: {
      ...orNull(object({}, { id: string, type: exactly('agent-pools') })),
      dependentRequired: { id: ['type'], type: ['id'] },
    },
  },
);

function relationshipsWith(projects: SchemaOf<SentProjects>) {
  return { relationships: object({}, { projects, 'agent-pool': agentPool }) };
}

export function createClientBody({ serviceProviders }: Profile) {
  return object({
    data: object(
      { type: exactly('oauth-clients'), attributes: createBodySchema(Object.keys(serviceProviders)) },
      relationshipsWith(object({}, { data: projectList })),
    ),
  });
}

export function updateClientBody({ capabilities }: Profile) {
  return object({
    data: object(
      { type: exactly('oauth-clients') },
      { id: string, attributes: updateBodySchema(capabilities), ...relationshipsWith(eitherProjectList) },
    ),
  });
}

/** The data of a body that creates or updates a client. */
export type SentClient = TypeOf<ReturnType<typeof updateClientBody>>['data'];
