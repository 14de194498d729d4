/** ProjectAttachment: one project that an OAuth client is offered to. */
import type { Api, OAuthClientDocument } from '../client/api';
import { Conflict, Invalid, NotFound } from '../client/errors';
import { endField, type Found, type Key, type ResourceDefinition, readPart } from './kind';
import { clientCalls } from './oauth-client-calls';
import { lookAfter, provedGone } from './safe-calls';

function attachment(oauthClientId: string, projectId: string): Found {
  return { id: `${oauthClientId}/${projectId}`, values: { oauthClientId, projectId }, outputs: {} };
}

function find(clients: readonly OAuthClientDocument[], key: Key): Found[] {
  return clients
    .filter(({ id }) => key.oauthClientId === undefined || id === key.oauthClientId)
    .flatMap((client) => (client.projectIds ?? []).map((projectId) => attachment(client.id, projectId)))
    .filter((found) => key.projectId === undefined || found.values.projectId === key.projectId);
}

/** Makes one call. A refusal counts as success if all projects are attached already. */
async function attach(api: Api, keys: readonly Key[]): Promise<readonly Found[]> {
  const { id, projectIds } = mergeKeys(keys);
  try {
    await api.oauthClients.attach(id, projectIds);
  } catch (error) {
    const attached = await attachedAfter(error, api, id);
    if (!projectIds.every((projectId) => attached.includes(projectId))) throw error;
  }
  return projectIds.map((projectId) => attachment(id, projectId));
}

/** Makes one call. A refusal counts as success if all projects are detached already, or if the client is missing. */
async function detach(api: Api, keys: readonly Key[]): Promise<void> {
  const { organization, id, projectIds } = mergeKeys(keys);
  try {
    await api.oauthClients.detach(id, projectIds);
  } catch (error) {
    const isGone = () => provedGone(api, clientCalls, id, { organization });
    if (error instanceof NotFound && (await lookAfter(error, isGone))) return;
    const attached = await attachedAfter(error, api, id);
    if (projectIds.some((projectId) => attached.includes(projectId))) throw error;
  }
}

/** Reads the projects of the client after a refusal, and throws any other failure. */
async function attachedAfter(failure: unknown, api: Api, id: string): Promise<readonly string[]> {
  if (![Invalid, Conflict, NotFound].some((refusal) => failure instanceof refusal)) throw failure;
  const { projectIds } = await lookAfter(failure, () => api.oauthClients.read(id));
  if (projectIds === undefined) throw failure;
  return projectIds;
}

function mergeKeys(keys: readonly Key[]) {
  const [first = {}] = keys;
  return {
    organization: readPart(first, 'organization'),
    id: readPart(first, 'oauthClientId'),
    projectIds: keys.map((key) => readPart(key, 'projectId')),
  };
}

export const projectAttachment: ResourceDefinition = {
  kind: 'ProjectAttachment',
  title: 'Project attachments',
  doc: 'One project that may use an OAuth client, for clients to which others attach projects too.',
  section: {
    name: 'projectAttachments',
    form: 'links',
    ends: [
      { field: 'oauthClientId', singular: 'oauthClient' },
      { field: 'projectId', singular: 'project' },
    ],
  },
  fields: {
    oauthClientId: endField('OAuthClient', 'oauthClient', 'The OAuth client that is offered.'),
    projectId: endField('project', 'project', 'The project it is offered to.'),
  },
  outputs: {},
  pair: ['oauthClientId', 'projectId'],
  shownBy: 'oauthClientId',
  showsLinks: ({ projectIds }: OAuthClientDocument) => projectIds !== undefined,
  listType: clientCalls.listType,
  listedIn: clientCalls.listedIn,
  find,
  create: async (api, key) => {
    await attach(api, [key]);
    return attachment(readPart(key, 'oauthClientId'), readPart(key, 'projectId'));
  },
  delete: (api, _id, key) => detach(api, [key]),
  queue: (key) => `projects of ${readPart(key, 'oauthClientId')}`,
  batch: { create: attach, delete: detach },
};
