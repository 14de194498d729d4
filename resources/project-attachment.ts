/** ProjectAttachment: one project that an OAuth client is offered to. */
import type { Api } from '../client/api';
import { NotFound } from '../client/errors';
import type { Field, Found, ResourceDefinition } from './definition';
import type { ListContents } from './lists';
import type { Key } from './values';

const fields = {
  oauthClientId: {
    type: 'string',
    doc: 'The OAuth client: an address of this manifest, or an id.',
    onChange: 'replace',
    required: true,
    refersTo: 'OAuthClient',
    manifestName: 'oauthClient',
  },
  projectId: {
    type: 'string',
    doc: 'The project it is offered to: an alias or an id.',
    onChange: 'replace',
    required: true,
    refersTo: 'project',
    manifestName: 'project',
  },
} as const satisfies Readonly<Record<string, Field>>;

function attachment(oauthClientId: string, projectId: string): Found {
  return { id: `${oauthClientId}/${projectId}`, values: { oauthClientId, projectId }, outputs: {} };
}

function find(contents: ListContents, key: Key): Found[] {
  if (contents.list !== 'oauthClients') return [];
  return contents.items
    .filter((item) => key.oauthClientId === undefined || item.id === key.oauthClientId)
    .flatMap((item) => item.projectIds.map((projectId) => attachment(item.id, projectId)))
    .filter((found) => key.projectId === undefined || found.values.projectId === key.projectId);
}

/** Detaching from a client that is gone is done already. */
async function detach(api: Api, oauthClientId: string, projectIds: readonly string[]): Promise<void> {
  try {
    await api.oauthClients.detach(oauthClientId, projectIds);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const clients = await api.oauthClients.read(oauthClientId).then(
      () => 1,
      (again: unknown) => {
        if (again instanceof NotFound) return 0;
        throw again;
      },
    );
    if (clients > 0) throw error;
  }
}

export const projectAttachment: ResourceDefinition = {
  kind: 'ProjectAttachment',
  doc: 'One project that an OAuth client is offered to, where the list of projects is not wholly ours.',
  section: {
    name: 'projectAttachments',
    form: 'links',
    ends: [
      { field: 'oauthClientId', singular: 'oauthClient' },
      { field: 'projectId', singular: 'project' },
    ],
  },
  fields,
  outputs: {},
  pair: ['oauthClientId', 'projectId'],
  listedIn: (key) => [{ list: 'oauthClients', organization: key.organization ?? '' }],
  find,
  create: async (api, key) => {
    await api.oauthClients.attach(key.oauthClientId ?? '', [key.projectId ?? '']);
    return attachment(key.oauthClientId ?? '', key.projectId ?? '');
  },
  delete: (api, _id, key) => detach(api, key.oauthClientId ?? '', [key.projectId ?? '']),
  batch: {
    lane: (key) => `projects of ${key.oauthClientId ?? ''}`,
    create: async (api, keys) => {
      await api.oauthClients.attach(
        keys[0]?.oauthClientId ?? '',
        keys.map((key) => key.projectId ?? ''),
      );
      return keys.map((key) => attachment(key.oauthClientId ?? '', key.projectId ?? ''));
    },
    delete: (api, keys) =>
      detach(
        api,
        keys[0]?.oauthClientId ?? '',
        keys.map((key) => key.projectId ?? ''),
      ),
  },
};
