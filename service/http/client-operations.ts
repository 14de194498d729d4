// The operations on OAuth clients.

import type { Profile } from '../profile';
import {
  changeProjects,
  createClient,
  destroyClient,
  updateClient,
  workspacesUsing,
} from '../rules/oauth-clients';
import type { Schema } from '../schema';
import type { OAuthClientRecord } from '../store/records';
import type { World } from '../world';
import {
  clientDocument,
  clientIncludes,
  clientListDocument,
  clientResource,
  createClientBody,
  includable,
  projectsBody,
  readCreate,
  readProjects,
  readUpdate,
  updateClientBody,
} from './client-documents';
import type { Call, Operation } from './operation';
import { includeQuery, pageOrAll, pagingQuery } from './paging';

export function clientOperations(world: World): Operation[] {
  const { behaviours, profile } = world;
  const ofOrganization = '/organizations/:organization_name/oauth-clients';
  const byId = '/oauth-clients/:id';
  return [
    {
      id: 'listOAuthClients',
      summary: 'List the OAuth clients of an organization',
      method: 'GET',
      path: ofOrganization,
      query: { ...pagingQuery(behaviours), ...includeQuery(includable) },
      answer: clientListDocument,
      run: (call) => {
        const { name } = call.access.organizationOfClients(call.parameter);
        const clients = world.visibility.list('oauthClients', 'organization', name);
        const { items, members } = pageOrAll(world, call, clients);
        const data = items.map((client) => clientResource(world, call, client));
        return { data, ...clientIncludes(world, call, items), ...members };
      },
    },
    {
      id: 'showOAuthClient',
      summary: 'Show an OAuth client',
      method: 'GET',
      path: byId,
      query: { ...includeQuery(includable), ...affectedQuery(profile) },
      answer: clientDocument,
      run: (call) => {
        const client = call.access.client(world.visibility.read('oauthClients', call.parameter));
        const resource = clientResource(world, call, client);
        const namesAffected = call.accepted().query[affectedParameter] === 'true';
        const data = namesAffected ? withAffected(world, client, resource) : resource;
        return { data, ...clientIncludes(world, call, [client]) };
      },
    },
    {
      id: 'createOAuthClient',
      summary: 'Create an OAuth client',
      method: 'POST',
      path: ofOrganization,
      body: createClientBody(profile),
      answer: clientDocument,
      creates: byId,
      run: (call) => {
        const organization = call.access.organizationOfClients(call.parameter);
        const client = createClient(world, organization, readCreate(call.accepted().body));
        return { data: clientResource(world, call, client) };
      },
    },
    {
      id: 'updateOAuthClient',
      summary: 'Update an OAuth client',
      method: 'PATCH',
      path: byId,
      body: updateClientBody(profile),
      answer: clientDocument,
      run: (call) => {
        const client = writtenClient(world, call);
        const sent = readUpdate(call.accepted().body, profile);
        return { data: clientResource(world, call, updateClient(world, client, sent, sent.id)) };
      },
    },
    {
      id: 'destroyOAuthClient',
      summary: 'Destroy an OAuth client',
      method: 'DELETE',
      path: byId,
      run: (call) => destroyClient(world, writtenClient(world, call)),
    },
    ...(['attach', 'detach'] as const).map((direction): Operation => {
      const attaching = direction === 'attach';
      return {
        id: attaching ? 'attachProjects' : 'detachProjects',
        summary: attaching ? 'Attach an OAuth client to projects' : 'Detach an OAuth client from projects',
        method: attaching ? 'POST' : 'DELETE',
        path: `${byId}/relationships/projects`,
        body: projectsBody,
        run: (call) => {
          const client = writtenClient(world, call);
          return changeProjects(world, client, direction, readProjects(call.accepted().body));
        },
      };
    }),
  ];
}

// The client a write is about, as it really is, not as lagging readers see it.
function writtenClient({ store }: World, { access, parameter }: Call): OAuthClientRecord {
  return access.client(store.read('oauthClients', parameter));
}

// Beyond the API text: where a profile has it, Show names the workspaces that use a client.
const affectedParameter = 'show_affected_workspaces';
const mostNames = 25;

function affectedQuery({ capabilities }: Profile): Record<string, Schema> {
  if (!capabilities.affectedWorkspaces) return {};
  return {
    [affectedParameter]: { enum: ['true', 'false'], description: 'Names the workspaces that use it.' },
  };
}

function withAffected(world: World, client: OAuthClientRecord, resource: ReturnType<typeof clientResource>) {
  if (!world.profile.capabilities.affectedWorkspaces) return resource;
  const names = workspacesUsing(world, client).map(({ name }) => name);
  const affected = {
    'affected-workspaces': names.slice(0, mostNames),
    'affected-workspaces-count': names.length,
  };
  return { ...resource, attributes: { ...resource.attributes, ...affected } };
}
