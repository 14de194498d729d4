// The operations on OAuth clients.

import type { CreateClientBody, ProjectsBody, UpdateClientBody } from '../rules/client-body';
import { ordered } from '../rules/list-order';
import {
  changeProjects,
  createClient,
  destroyClient,
  updateClient,
  writableClient,
} from '../rules/oauth-clients';
import type { World } from '../rules/world';
import type { OAuthClientRecord } from '../store/records';
import { affectedParameter, affectedQuery, withAffected } from './affected-workspaces';
import { clientIncludes, clientResource } from './client-document';
import { readInclude } from './includes';
import type { Call, Operation } from './operation';
import { asksForPages, pageOf } from './paging';
import {
  createClientBody,
  includeQuery,
  pagingQuery,
  projectsBody,
  updateClientBody,
} from './request-schemas';
import { clientDocument, clientListDocument } from './response-schemas';

const includable = ['oauth_tokens', 'projects'] as const;

function nameOf({ params }: Call): string {
  return params.organization_name;
}

function idOf({ params }: Call): string {
  return params.id;
}

function document(world: World, call: Call, client: OAuthClientRecord) {
  return { data: clientResource(world, call.ownOrigin, client) };
}

/** All operations on OAuth clients, as this service offers them. */
export function clientOperations({ behaviours, profile }: World): Operation[] {
  const tag = 'OAuth clients';
  const ofOrganization = '/organizations/:organization_name/oauth-clients';
  const byId = '/oauth-clients/:id';
  const projectsPath = '/oauth-clients/:id/relationships/projects';
  return [
    {
      id: 'listOAuthClients',
      summary: 'List the OAuth clients of an organization',
      tag,
      method: 'GET',
      path: ofOrganization,
      query: { ...pagingQuery(behaviours), ...includeQuery(includable) },
      success: { status: 200, body: clientListDocument },
      refusals: [400, 404, ...(behaviours['page-size-over'] === '422' ? [422 as const] : [])],
      run: (world, call) => {
        const { name } = call.access.organizationOfClients(nameOf(call));
        const { query } = call.accepted();
        const asked = readInclude(query.include);
        const clients = ordered(world, world.visibility.clientsOf(name));
        const { items, members } = asksForPages(query)
          ? pageOf(world, call, query, clients)
          : { items: clients, members: {} };
        const data = items.map((client) => clientResource(world, call.ownOrigin, client));
        return { data, ...clientIncludes(world, items, asked), ...members };
      },
    },
    {
      id: 'showOAuthClient',
      summary: 'Show an OAuth client',
      tag,
      method: 'GET',
      path: byId,
      query: { ...includeQuery(includable), ...affectedQuery(profile) },
      success: { status: 200, body: clientDocument },
      refusals: [400, 404],
      run: (world, call) => {
        const client = call.access.client(world.visibility.client(idOf(call)));
        const { query } = call.accepted();
        const resource = clientResource(world, call.ownOrigin, client);
        const data = query[affectedParameter] === 'true' ? withAffected(world, client, resource) : resource;
        return { data, ...clientIncludes(world, [client], readInclude(query.include)) };
      },
    },
    {
      id: 'createOAuthClient',
      summary: 'Create an OAuth client',
      tag,
      method: 'POST',
      path: ofOrganization,
      body: createClientBody(profile),
      success: { status: 201, body: clientDocument },
      creates: byId,
      refusals: [404, 422],
      run: (world, call) => {
        const organization = call.access.organizationOfClients(nameOf(call));
        const body = call.accepted().body as CreateClientBody;
        return document(world, call, createClient(world, organization, body));
      },
    },
    {
      id: 'updateOAuthClient',
      summary: 'Update an OAuth client',
      tag,
      method: 'PATCH',
      path: byId,
      body: updateClientBody(profile),
      success: { status: 200, body: clientDocument },
      refusals: [404, 422],
      run: (world, call) => {
        const client = writableClient(world, call.access, idOf(call));
        const body = call.accepted().body as UpdateClientBody;
        return document(world, call, updateClient(world, client, body));
      },
    },
    {
      id: 'destroyOAuthClient',
      summary: 'Destroy an OAuth client',
      tag,
      method: 'DELETE',
      path: byId,
      success: { status: 204 },
      refusals: [404],
      run: (world, call) => {
        destroyClient(world, writableClient(world, call.access, idOf(call)));
        return undefined;
      },
    },
    ...(['attach', 'detach'] as const).map((direction): Operation => {
      const attaching = direction === 'attach';
      return {
        id: attaching ? 'attachProjects' : 'detachProjects',
        summary: attaching ? 'Attach an OAuth client to projects' : 'Detach an OAuth client from projects',
        tag,
        method: attaching ? 'POST' : 'DELETE',
        path: projectsPath,
        body: projectsBody,
        success: { status: 204 },
        refusals: [404, 422],
        run: (world, call) => {
          const client = writableClient(world, call.access, idOf(call));
          const { data } = call.accepted().body as ProjectsBody;
          changeProjects(world, client, direction, data);
          return undefined;
        },
      };
    }),
  ];
}
