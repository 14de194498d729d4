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
import type { World } from '../world';
import { clientIncludes, clientResource, includable } from './client-resource';
import { type Operations, operation } from './operation';
import { includeQuery, pageOrAll, pagingQuery } from './paging';

// Beyond the API text: a profile may have Show name the workspaces that use a client.
const affectedParameter = 'show_affected_workspaces';
const mostNames = 25;

export function clientOperations(world: World): Operations {
  const { behaviours, profile, store, visibility } = world;
  const answer = 'oauth-clients';
  const ofOrganization = {
    path: '/organizations/:organization_name/oauth-clients',
    find: (access: Access, name: string) => access.organizationOfClients(name),
    answer,
  };
  // Readers may lag; writers see the client as it really is.
  const toWrite = {
    path: '/oauth-clients/:id',
    find: (access: Access, id: string) => access.client(store.read('oauthClients', id)),
  };
  const ofProjects = { ...toWrite, path: `${toWrite.path}/relationships/projects`, body: projectsBody };
  const namesAffected = profile.capabilities.affectedWorkspaces;
  const affectedQuery = { [affectedParameter]: choice('true', 'false') };
  return {
    listOAuthClients: operation({
      ...ofOrganization,
      method: 'GET',
      isList: true,
      query: { ...pagingQuery(behaviours), ...includeQuery(includable) },
      run: ({ name }, call) => {
        const clients = visibility.list('oauthClients', 'organization', name);
        const { items, members } = pageOrAll(world, call, clients);
        const data = items.map((client) => clientResource(world, call, client));
        return { data, ...clientIncludes(world, call, items), ...members };
      },
    }),
    showOAuthClient: operation({
      method: 'GET',
      path: toWrite.path,
      answer,
      query: { ...includeQuery(includable), ...(namesAffected && affectedQuery) },
      find: (access, id) => access.client(visibility.read('oauthClients', id)),
      run: (client, call) => {
        const { attributes, ...resource } = clientResource(world, call, client);
        const isAsked = namesAffected && call.query[affectedParameter] === 'true';
        const names = workspacesUsing(world, client).map(({ name }) => name);
        const affected = {
          'affected-workspaces': names.slice(0, mostNames),
          'affected-workspaces-count': names.length,
        };
        const data = { ...resource, attributes: { ...attributes, ...(isAsked && affected) } };
        return { data, ...clientIncludes(world, call, [client]) };
      },
    }),
    createOAuthClient: operation({
      ...ofOrganization,
      method: 'POST',
      body: createClientBody(profile),
      run: ({ name }, call) => ({
        data: clientResource(world, call, writeClient(world, newClient(world, name), call.body.data)),
      }),
    }),
    updateOAuthClient: operation({
      ...toWrite,
      method: 'PATCH',
      body: updateClientBody(profile),
      answer,
      run: (client, call) => ({
        data: clientResource(world, call, writeClient(world, client, call.body.data)),
      }),
    }),
    destroyOAuthClient: operation({
      ...toWrite,
      method: 'DELETE',
      run: (client) => destroyClient(world, client),
    }),
    attachProjects: operation({
      ...ofProjects,
      method: 'POST',
      run: (client, { body }) => changeProjects(world, client, 'attach', body.data),
    }),
    detachProjects: operation({
      ...ofProjects,
      method: 'DELETE',
      run: (client, { body }) => changeProjects(world, client, 'detach', body.data),
    }),
  };
}
