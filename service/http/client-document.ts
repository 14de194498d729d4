// Writes OAuth clients as JSON API resources.

import type { World } from '../rules/world';
import type { OAuthClientRecord } from '../store/records';
import { projectResource } from './place-document';

/** The resource of a client, the same in create, show, update and lists. */
export function clientResource({ profile }: World, origin: string, client: OAuthClientRecord) {
  const { callbackId, organization } = client;
  const [token] = client.oauthTokens;
  const pool = client.agentPoolId;
  return {
    id: client.id,
    type: 'oauth-clients',
    attributes: {
      'created-at': client.createdAt,
      'callback-url': `${origin}/auth/${callbackId}/callback`,
      'connect-path': `/auth/${callbackId}?organization_id=${encodeURIComponent(organization)}`,
      'service-provider': client.serviceProvider,
      'service-provider-display-name':
        profile.serviceProviders[client.serviceProvider]?.displayName ?? client.serviceProvider,
      name: client.name,
      'http-url': client.httpUrl,
      'api-url': client.apiUrl,
      key: client.key,
      'rsa-public-key': client.rsaPublicKey,
      'organization-scoped': client.organizationScoped,
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

/** What was asked to come along with the clients, each resource once. */
export function clientIncludes(
  world: World,
  clients: readonly OAuthClientRecord[],
  asked: ReadonlySet<string>,
) {
  if (asked.size === 0) return {};
  const tokens = asked.has('oauth_tokens') ? clients.flatMap(tokenResources) : [];
  const projectIds = asked.has('projects') ? new Set(clients.flatMap((client) => client.projectIds)) : [];
  const projects = [...projectIds].flatMap((id) => {
    const project = world.store.read('projects', id);
    return project ? [projectResource(project)] : [];
  });
  return { included: [...tokens, ...projects] };
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
