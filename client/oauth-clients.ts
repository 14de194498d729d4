/** The endpoints of OAuth clients. */
import type {
  AffectedWorkspaces,
  Api,
  OAuthClientCreate,
  OAuthClientDocument,
  OAuthClientUpdate,
  ReadApi,
} from './api';
import type { Perform } from './call';
import {
  linkOf,
  linksOf,
  nullableTextOf,
  type Page,
  type Resource,
  readAllPages,
  readPagination,
  readResource,
  readResources,
  required,
  routeOf,
  textOf,
  Unreadable,
} from './json-api';

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

// OAuth clients on the wire: the resource as the service shows it.
export const OAUTH_CLIENTS = 'oauth-clients';

/** Throws `Unreadable` when the resource lacks what every service of this API shows. */
export function parseOAuthClient(resource: Resource): OAuthClientDocument {
  return {
    id: resource.id,
    createdAt: textOf(resource, 'created-at'),
    callbackUrl: nullableTextOf(resource, 'callback-url'),
    connectPath: nullableTextOf(resource, 'connect-path'),
    serviceProvider: textOf(resource, 'service-provider'),
    serviceProviderDisplayName: nullableTextOf(resource, 'service-provider-display-name'),
    name: nullableTextOf(resource, 'name'),
    httpUrl: textOf(resource, 'http-url'),
    apiUrl: textOf(resource, 'api-url'),
    key: nullableTextOf(resource, 'key'),
    rsaPublicKey: nullableTextOf(resource, 'rsa-public-key'),
    organizationScoped: scopeOf(resource),
    organization: linkOf(resource, 'organization'),
    // Left out would read as "attached to nothing", which is an observation to act on: it must be said.
    projectIds: required(linksOf(resource, 'projects'), resource, 'projects'),
    oauthTokenIds: linksOf(resource, 'oauth-tokens') ?? [],
    agentPoolId: linkOf(resource, 'agent-pool'),
  };
}

/** The client with the id that was asked for. */
export function readOAuthClient(document: unknown, id?: string): OAuthClientDocument {
  const client = parseOAuthClient(readResource(document, OAUTH_CLIENTS));
  if (id !== undefined && client.id !== id) throw new Unreadable(`data.id is not ${id}`);
  return client;
}

/** `affected-workspaces` (at most 25 names) and `affected-workspaces-count`, as HCP Terraform shows them when asked. */
export function readAffectedWorkspaces(document: unknown): AffectedWorkspaces {
  const { attributes } = readResource(document, OAUTH_CLIENTS);
  const names = attributes['affected-workspaces'];
  const count = attributes['affected-workspaces-count'];
  if (!Array.isArray(names) || typeof count !== 'number') {
    throw new Unreadable('it does not tell the affected workspaces');
  }
  return { count, names: names.map(String) };
}

function scopeOf(resource: Resource): boolean {
  const scoped = resource.attributes['organization-scoped'];
  if (typeof scoped === 'boolean') return scoped;
  throw new Unreadable(`attributes.organization-scoped of ${resource.id} is not true or false`);
}

// OAuth clients on the wire: the bodies of create, update, attach and detach.
interface SentResource {
  readonly type: string;
  readonly id?: string;
  readonly attributes: object;
  readonly relationships: object;
}

/** A document to send, and, by field, the values in it that must never be shown. */
export interface Body {
  readonly body: object;
  readonly secrets: Readonly<Record<string, string>>;
}

const attributeNames = {
  serviceProvider: 'service-provider',
  name: 'name',
  key: 'key',
  httpUrl: 'http-url',
  apiUrl: 'api-url',
  secret: 'secret',
  privateKey: 'private-key',
  oauthTokenString: 'oauth-token-string',
  rsaPublicKey: 'rsa-public-key',
  organizationScoped: 'organization-scoped',
} as const;

const secretNames = ['secret', 'privateKey', 'oauthTokenString'] as const;

/** The document of a create: what is left out is not sent; no agent pool is the API's default. */
export function createBody(values: OAuthClientCreate): Body {
  return bodyOf(values, {
    type: OAUTH_CLIENTS,
    attributes: attributesOf(values),
    relationships: relationshipsOf({ ...values, agentPoolId: values.agentPoolId ?? undefined }),
  });
}

/** The document of an update; `agentPoolId: null` clears the pool. */
export function updateBody(id: string, values: OAuthClientUpdate): Body {
  return bodyOf(values, {
    type: OAUTH_CLIENTS,
    id,
    attributes: attributesOf(values),
    relationships: relationshipsOf(values),
  });
}

/** The linkage of attach and detach. */
export function projectsLinkage(projectIds: readonly string[]): { data: object[] } {
  return { data: projectIds.map((id) => ({ id, type: 'projects' })) };
}

function bodyOf(values: Partial<OAuthClientCreate>, resource: SentResource): Body {
  const { relationships, ...rest } = resource;
  const data = Object.keys(relationships).length === 0 ? rest : resource;
  const secrets = secretNames.flatMap((name) =>
    values[name] === undefined ? [] : [[name, values[name]] as const],
  );
  return { body: { data }, secrets: Object.fromEntries(secrets) };
}

function attributesOf(values: Partial<OAuthClientCreate>): object {
  const names = Object.keys(attributeNames) as (keyof typeof attributeNames)[];
  const given = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [attributeNames[name], values[name]]));
}

function relationshipsOf(values: {
  readonly projectIds?: readonly string[] | undefined;
  readonly agentPoolId?: string | null | undefined;
}): object {
  const { projectIds, agentPoolId } = values;
  return {
    ...(projectIds === undefined ? {} : { projects: projectsLinkage(projectIds) }),
    ...(agentPoolId === undefined
      ? {}
      : { 'agent-pool': { data: agentPoolId === null ? null : { id: agentPoolId, type: 'agent-pools' } } }),
  };
}
