/** OAuth clients on the wire: the resource as the service shows it. */
import type { AffectedWorkspaces, OAuthClientDocument } from './api';
import {
  linkOf,
  linksOf,
  nullableTextOf,
  type Resource,
  readResource,
  required,
  textOf,
  Unreadable,
} from './document';

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
