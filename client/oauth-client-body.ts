/** OAuth clients on the wire: the bodies of create, update, attach and detach. */
import type { OAuthClientCreate, OAuthClientUpdate } from './api';
import { OAUTH_CLIENTS } from './oauth-client-document';

interface Resource {
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

function bodyOf(values: Partial<OAuthClientCreate>, resource: Resource): Body {
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
