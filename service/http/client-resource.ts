// OAuth clients as JSON API resources, and what can be included with them.

import { heldOnWire } from '../oauth-client-attributes';
import type { OAuthClientRecord } from '../store';
import type { World } from '../world';
import { type Call, relationTo } from './operation';
import { readInclude } from './paging';
import { projectResource } from './places';

export const includable = ['oauth_tokens', 'projects'];

export function clientResource({ profile }: World, { ownOrigin }: Call, client: OAuthClientRecord) {
  const { callbackId, organization, serviceProvider, agentPoolId: pool } = client;
  const [token] = client.oauthTokens;
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

/** The resources that the caller asked to have included, each once. */
export function clientIncludes({ store }: World, call: Call, clients: readonly OAuthClientRecord[]) {
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
