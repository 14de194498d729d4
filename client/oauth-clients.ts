/** The endpoints of OAuth clients. Their members are in api.ts. */
import { oauthClientMembers, type Perform, type ReadApi, type WritesOf } from './api';
import {
  deletion,
  expectsNothing,
  linkage,
  readDocument,
  readExpected,
  readResource,
  Unreadable,
  writeMembers,
} from './json-api';
import { createListReader } from './pages';

const type = 'oauth-clients';
const listPath = (organization: string) => ['organizations', organization, type];
const readClient = (document: unknown, expected: { readonly id?: string }) =>
  readExpected(document, type, oauthClientMembers, expected);

export function oauthClientReads(perform: Perform): ReadApi['oauthClients'] {
  const readList = createListReader(perform);
  return {
    list: (organization) =>
      readList({
        path: listPath(organization),
        type,
        unpaginated: true,
        // Names of organizations ignore case, so the answer may spell it in another way.
        item: (resource) => ({ ...readDocument(resource, oauthClientMembers), organization }),
      }),
    read: (id) =>
      perform({ method: 'GET', path: [type, id], read: (document) => readClient(document, { id }) }),
    affectedWorkspaces: (id) =>
      perform({
        method: 'GET',
        path: [type, id],
        query: { show_affected_workspaces: 'true' },
        read: (document) => ({ ...readAffectedWorkspaces(document), client: readClient(document, { id }) }),
      }),
  };
}

export function oauthClientWrites(perform: Perform): WritesOf<'oauthClients'> {
  const link = async (method: 'POST' | 'DELETE', id: string, projects: readonly string[]): Promise<void> => {
    if (projects.length === 0) return;
    const path = [type, id, 'relationships', 'projects'];
    await perform({ method, path, body: linkage('projects', projects), idempotent: true, ...expectsNothing });
  };
  return {
    create: (organization, { agentPoolId, ...values }) =>
      perform({
        method: 'POST',
        path: listPath(organization),
        permission: `permission to manage the VCS settings of ${organization}`,
        // The API's default is no agent pool.
        ...writeMembers({ type }, oauthClientMembers, { ...values, agentPoolId: agentPoolId ?? undefined }),
        read: (document) => readClient(document, {}),
      }),
    update: (id, values) =>
      perform({
        method: 'PATCH',
        path: [type, id],
        ...writeMembers({ type, id }, oauthClientMembers, values),
        read: (document) => readClient(document, { id }),
      }),
    delete: (id) => perform(deletion([type, id])),
    attach: (id, projectIds) => link('POST', id, projectIds),
    detach: (id, projectIds) => link('DELETE', id, projectIds),
  };
}

/** HCP Terraform shows them when it is asked. */
function readAffectedWorkspaces(document: unknown) {
  const { attributes } = readResource(document, type);
  const { 'affected-workspaces': names, 'affected-workspaces-count': count } = attributes;
  if (!Array.isArray(names) || typeof count !== 'number') {
    throw new Unreadable('it does not tell the affected workspaces');
  }
  return { count, names: names.map(String) };
}
