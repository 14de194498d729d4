/** The endpoints of OAuth clients. */
import type { Api, OAuthClientDocument, ReadApi } from './api';
import { readResources, Unreadable } from './document';
import { createBody, projectsLinkage, updateBody } from './oauth-client-body';
import {
  OAUTH_CLIENTS,
  parseOAuthClient,
  readAffectedWorkspaces,
  readOAuthClient,
} from './oauth-client-document';
import type { Perform } from './operation';
import { type Page, readAllPages, readPagination } from './pages';
import { routeOf } from './path';

/** list, read, affectedWorkspaces. */
export function oauthClientReads(perform: Perform): ReadApi['oauthClients'] {
  return {
    list: (organization) => list(perform, organization),
    read: (id) =>
      perform({
        method: 'GET',
        path: ['oauth-clients', id],
        repeatable: true,
        expects: 'document',
        read: (document) => readOAuthClient(document, id),
      }),
    affectedWorkspaces: (id) =>
      perform({
        method: 'GET',
        path: ['oauth-clients', id],
        query: { show_affected_workspaces: 'true' },
        repeatable: true,
        expects: 'document',
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
    await perform({
      method,
      path: ['oauth-clients', id, 'relationships', 'projects'],
      body: projectsLinkage(projectIds),
      repeatable: true,
      expects: 'nothing',
      read: () => undefined,
    });
  };
  return {
    create: async (organization, values) =>
      perform({
        method: 'POST',
        path: ['organizations', organization, 'oauth-clients'],
        ...createBody(values),
        repeatable: false,
        expects: 'document',
        read: (document) => readOAuthClient(document),
      }),
    update: async (id, values) =>
      perform({
        method: 'PATCH',
        path: ['oauth-clients', id],
        ...updateBody(id, values),
        repeatable: true,
        expects: 'document',
        read: (document) => readOAuthClient(document, id),
      }),
    delete: async (id) =>
      perform({
        method: 'DELETE',
        path: ['oauth-clients', id],
        repeatable: true,
        goneIsDone: true,
        expects: 'nothing',
        read: () => undefined,
      }),
    attach: (id, projectIds) => link('POST', id, projectIds),
    detach: (id, projectIds) => link('DELETE', id, projectIds),
  };
}

/** Unpaginated, an atomic snapshot; should the service paginate all the same, page by page. */
async function list(perform: Perform, organization: string): Promise<readonly OAuthClientDocument[]> {
  const path = ['organizations', organization, 'oauth-clients'];
  const readPage = (query: Record<string, string>): Promise<Page<OAuthClientDocument>> =>
    perform({
      method: 'GET',
      path,
      query,
      repeatable: true,
      expects: 'document',
      read: (document) => {
        const items = readResources(document, OAUTH_CLIENTS).map(parseOAuthClient);
        const pagination = readPagination(document);
        if (pagination !== null) return { items, ...pagination };
        if (new Set(items.map(({ id }) => id)).size < items.length) throw new Unreadable('an id repeats');
        return { items, totalCount: items.length, last: true };
      },
    });
  const whole = await readPage({});
  if (whole.last && whole.items.length === whole.totalCount) return whole.items;
  return readAllPages(routeOf(path), (number) =>
    readPage({ 'page[number]': String(number), 'page[size]': '100' }),
  );
}
