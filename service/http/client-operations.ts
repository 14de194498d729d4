// The operations on OAuth clients.

import { createClientBody, projectsBody, updateClientBody } from '../oauth-client-attributes';
import type { Access } from '../rules/access';
import {
  changeProjects,
  destroyClient,
  newClient,
  workspacesUsing,
  writeClient,
} from '../rules/oauth-clients';
import { choice } from '../schema';
import type { OAuthClientRecord } from '../store';
import type { World } from '../world';
import {
  clientDocument,
  clientIncludes,
  clientListDocument,
  clientResource,
  includable,
} from './client-documents';
import { type Operations, operation } from './operation';
import { includeQuery, pageOrAll, pagingQuery } from './paging';

export function clientOperations(world: World): Operations {
  const { behaviours, profile, store, visibility } = world;
  const namesAffected = profile.capabilities.affectedWorkspaces;
  const ofOrganization = '/organizations/:organization_name/oauth-clients';
  const byId = '/oauth-clients/:id';
  // Readers may lag; writers see the client as it really is.
  const findToWrite = (access: Access, id: string) => access.client(store.read('oauthClients', id));
  const ofProjects = { path: `${byId}/relationships/projects`, body: projectsBody, find: findToWrite };
  return {
    listOAuthClients: operation({
      method: 'GET',
      path: ofOrganization,
      query: { ...pagingQuery(behaviours), ...includeQuery(includable) },
      answer: clientListDocument,
      find: (access, name) => access.organizationOfClients(name),
      run: ({ name }, call) => {
        const clients = visibility.list('oauthClients', 'organization', name);
        const { items, members } = pageOrAll(world, call, clients);
        const data = items.map((client) => clientResource(world, call, client));
        return { data, ...clientIncludes(world, call, items), ...members };
      },
    }),
    showOAuthClient: operation({
      method: 'GET',
      path: byId,
      query: { ...includeQuery(includable), ...(namesAffected ? affectedQuery : {}) },
      answer: clientDocument,
      find: (access, id) => access.client(visibility.read('oauthClients', id)),
      run: (client, call) => {
        const { attributes, ...resource } = clientResource(world, call, client);
        const isAsked = namesAffected && call.query[affectedParameter] === 'true';
        const affected = isAsked ? affectedBy(world, client) : {};
        const data = { ...resource, attributes: { ...attributes, ...affected } };
        return { data, ...clientIncludes(world, call, [client]) };
      },
    }),
    createOAuthClient: operation({
      method: 'POST',
      path: ofOrganization,
      body: createClientBody(Object.keys(profile.serviceProviders)),
      answer: clientDocument,
      find: (access, name) => access.organizationOfClients(name),
      run: ({ name }, call) => ({
        data: clientResource(world, call, writeClient(world, newClient(world, name), call.body.data)),
      }),
    }),
    updateOAuthClient: operation({
      method: 'PATCH',
      path: byId,
      body: updateClientBody(profile.capabilities),
      answer: clientDocument,
      find: findToWrite,
      run: (client, call) => ({
        data: clientResource(world, call, writeClient(world, client, call.body.data)),
      }),
    }),
    destroyOAuthClient: operation({
      method: 'DELETE',
      path: byId,
      find: findToWrite,
      run: (client) => destroyClient(world, client),
    }),
    attachProjects: operation({
      method: 'POST',
      ...ofProjects,
      run: (client, { body }) => changeProjects(world, client, 'attach', body.data),
    }),
    detachProjects: operation({
      method: 'DELETE',
      ...ofProjects,
      run: (client, { body }) => changeProjects(world, client, 'detach', body.data),
    }),
  };
}

// Beyond the API text: a profile may have Show name the workspaces that use a client.
const affectedParameter = 'show_affected_workspaces';
const mostNames = 25;

const affectedQuery = {
  [affectedParameter]: { ...choice('true', 'false'), description: 'Names the workspaces that use it.' },
};

function affectedBy(world: World, client: OAuthClientRecord) {
  const names = workspacesUsing(world, client).map(({ name }) => name);
  return { 'affected-workspaces': names.slice(0, mostNames), 'affected-workspaces-count': names.length };
}
