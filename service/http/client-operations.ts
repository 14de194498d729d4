/** The operations on OAuth clients, and OAuth clients as JSON API resources. */
import * as attributes from '../oauth-client-attributes';
import type { Access } from '../rules/access';
import * as rules from '../rules/oauth-clients';
import { choice } from '../schema';
import type { OAuthClientRecord } from '../store';
import type { World } from '../world';
import { type Call, type Operation, operation, relationTo } from './operation';
import { includeQuery, pageOrAll, pagingQuery, readInclude } from './paging';
import { projectResource } from './places';

// This is not in the API text. In some profiles, Show names the workspaces that use a client.
const affectedParameter = 'show_affected_workspaces';
const maxNames = 25;

export function clientOperations(world: World): Operation[] {
  const { behaviours, profile, store } = world;
  const responseType = 'oauth-clients';
  const include = includeQuery(['oauth_tokens', 'projects']);
  const collection = {
    path: '/organizations/:organization_name/oauth-clients',
    find: (access: Access, name: string) => access.organizationOfClients(name),
    responseType,
  };
  // Reads may be stale, but writes use the current state of the client.
  const currentClient = {
    path: '/oauth-clients/:id',
    find: (access: Access, id: string) => access.client(store.read('oauthClients', id)),
  };
  const projectsOfClient = {
    ...currentClient,
    path: `${currentClient.path}/relationships/projects`,
    body: attributes.projectsBody,
  };
  const writeBody = (client: OAuthClientRecord, call: Call<{ data: attributes.SentClient }>) => ({
    data: clientResource(world, call, rules.writeClient(world, client, call.body.data)),
  });
  const namesAffected = profile.capabilities.affectedWorkspaces;
  return [
    operation({
      ...collection,
      id: 'listOAuthClients',
      method: 'GET',
      isList: true,
      query: { ...pagingQuery(behaviours), ...include },
      run: ({ name }, call) => {
        const clients = store.listStale('oauthClients', 'organization', name);
        const { items, members } = pageOrAll(world, call, clients);
        const data = items.map((client) => clientResource(world, call, client));
        return { data, ...clientIncludes(world, call, items), ...members };
      },
    }),
    operation({
      id: 'showOAuthClient',
      method: 'GET',
      path: currentClient.path,
      responseType,
      query: { ...include, ...(namesAffected && { [affectedParameter]: choice('true', 'false') }) },
      find: (access, id) => access.client(store.readStale('oauthClients', id)),
      run: (client, call) => {
        const { attributes: plainAttributes, ...resource } = clientResource(world, call, client);
        const isAsked = namesAffected && call.query[affectedParameter] === 'true';
        const affected = isAsked ? affectedBy(world, client) : {};
        const data = { ...resource, attributes: { ...plainAttributes, ...affected } };
        return { data, ...clientIncludes(world, call, [client]) };
      },
    }),
    operation({
      ...collection,
      id: 'createOAuthClient',
      method: 'POST',
      body: attributes.createClientBody(profile),
      run: ({ name }, call) => writeBody(rules.newClient(world, name), call),
    }),
    operation({
      ...currentClient,
      id: 'updateOAuthClient',
      method: 'PATCH',
      body: attributes.updateClientBody(profile),
      responseType,
      run: writeBody,
    }),
    operation({
      ...currentClient,
      id: 'destroyOAuthClient',
      method: 'DELETE',
      run: (client) => rules.destroyClient(world, client),
    }),
    operation({
      ...projectsOfClient,
      id: 'attachProjects',
      method: 'POST',
      run: (client, { body }) => rules.changeProjects(world, client, 'attach', body.data),
    }),
    operation({
      ...projectsOfClient,
      id: 'detachProjects',
      method: 'DELETE',
      run: (client, { body }) => rules.changeProjects(world, client, 'detach', body.data),
    }),
  ];
}

function affectedBy(world: World, client: OAuthClientRecord) {
  const names = rules.workspacesUsing(world, client).map(({ name }) => name);
  return { 'affected-workspaces': names.slice(0, maxNames), 'affected-workspaces-count': names.length };
}

function clientResource({ profile }: World, { ownOrigin }: Call, client: OAuthClientRecord) {
  const { id, callbackId, organization, serviceProvider, oauthTokens, agentPoolId: pool } = client;
  const [token] = oauthTokens;
  const related = (path: string) => ({ links: { related: `/api/v2/${path}` } });
  return {
    id,
    type: 'oauth-clients',
    attributes: {
      'created-at': client.createdAt,
      'callback-url': `${ownOrigin}/auth/${callbackId}/callback`,
      'connect-path': `/auth/${callbackId}?organization_id=${organization}`,
      'service-provider-display-name': profile.serviceProviders[serviceProvider]?.displayName,
      ...attributes.heldOnWire(client),
    },
    relationships: {
      organization: {
        ...relationTo('organizations', organization),
        ...related(`organizations/${organization}`),
      },
      projects: { data: client.projectIds.map((id) => ({ id, type: 'projects' })) },
      'oauth-tokens': {
        data: oauthTokens.map(({ id }) => ({ id, type: 'oauth-tokens' })),
        ...(token && related(`oauth-tokens/${token.id}`)),
      },
      'agent-pool': { ...relationTo('agent-pools', pool), ...(pool && related(`agent-pools/${pool}`)) },
    },
    links: { self: `/api/v2/oauth-clients/${id}` },
  };
}

function clientIncludes({ store }: World, call: Call, clients: readonly OAuthClientRecord[]) {
  const includedTypes = readInclude(call);
  if (includedTypes.size === 0) return {};
  const tokens = includedTypes.has('oauth_tokens') ? clients.flatMap(tokenResources) : [];
  const projectIds = includedTypes.has('projects') ? clients.flatMap((client) => client.projectIds) : [];
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
