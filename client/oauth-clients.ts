/** The endpoints of OAuth clients; what a client holds is the table in api.ts. */
import {
  type AffectedWorkspaces,
  type Api,
  type OAuthClientDocument,
  oauthClientMembers,
  type Perform,
  type ReadApi,
} from './api';
import { linkage, type Resource, readMembers, readResource, Unreadable, writeMembers } from './json-api';
import { createListReader } from './pages';

const type = 'oauth-clients';

/** list, read, affectedWorkspaces. */
export function oauthClientReads(perform: Perform): ReadApi['oauthClients'] {
  const readList = createListReader(perform);
  return {
    // An atomic snapshot.
    list: (organization) => readList({ path: pathOfList(organization), type, unpaginated: true, item }),
    read: (id) => perform({ method: 'GET', path: [type, id], read: (document) => one(document, id) }),
    affectedWorkspaces: (id) =>
      perform({
        method: 'GET',
        path: [type, id],
        query: { show_affected_workspaces: 'true' },
        read: readAffectedWorkspaces,
      }),
  };
}

/** create, update, delete, attach, detach. */
export function oauthClientWrites(
  perform: Perform,
): Omit<Api['oauthClients'], keyof ReadApi['oauthClients']> {
  const link = async (
    method: 'POST' | 'DELETE',
    id: string,
    projectIds: readonly string[],
  ): Promise<void> => {
    if (projectIds.length === 0) return;
    const path = [type, id, 'relationships', 'projects'];
    const body = linkage('projects', projectIds);
    await perform({ method, path, body, idempotent: true, expects: 'nothing', read: () => undefined });
  };
  return {
    create: async (organization, { agentPoolId, ...values }) =>
      perform({
        method: 'POST',
        path: pathOfList(organization),
        // No agent pool is the API's default.
        ...writeMembers({ type }, oauthClientMembers, { ...values, agentPoolId: agentPoolId ?? undefined }),
        read: (document) => one(document),
      }),
    update: async (id, values) =>
      perform({
        method: 'PATCH',
        path: [type, id],
        ...writeMembers({ type, id }, oauthClientMembers, values),
        read: (document) => one(document, id),
      }),
    delete: async (id) =>
      perform({
        method: 'DELETE',
        path: [type, id],
        missingIsSuccess: true,
        expects: 'nothing',
        read: () => undefined,
      }),
    attach: (id, projectIds) => link('POST', id, projectIds),
    detach: (id, projectIds) => link('DELETE', id, projectIds),
  };
}

function pathOfList(organization: string): readonly string[] {
  return ['organizations', organization, type];
}

function item(resource: Resource): OAuthClientDocument {
  return readMembers(resource, oauthClientMembers);
}

/** The client of a document, with the id that was asked for. */
function one(document: unknown, id?: string): OAuthClientDocument {
  const client = item(readResource(document, type));
  if (id !== undefined && client.id !== id) throw new Unreadable(`data.id is not ${id}`);
  return client;
}

/** `affected-workspaces` (at most 25 names) and `affected-workspaces-count`, as HCP Terraform shows them when asked. */
function readAffectedWorkspaces(document: unknown): AffectedWorkspaces {
  const { attributes } = readResource(document, type);
  const names = attributes['affected-workspaces'];
  const count = attributes['affected-workspaces-count'];
  if (!Array.isArray(names) || typeof count !== 'number') {
    throw new Unreadable('it does not tell the affected workspaces');
  }
  return { count, names: names.map(String) };
}
