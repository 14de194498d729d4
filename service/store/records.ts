// The records that the service keeps, as plain values, and the JSON Schema by which those of a data file are checked.

/** An organization; its name is its identity. */
export interface OrganizationRecord {
  readonly name: string;
}

/** A project (`prj-…`) of an organization. */
export interface ProjectRecord {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
}

/** An agent pool (`apool-…`) of an organization. */
export interface AgentPoolRecord {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
}

/**
 * A workspace (`ws-…`); `projectId` is null when the seed names no project, `oauthClientId` is the client through
 * which it is linked to a repository, null for none.
 */
export interface WorkspaceRecord {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly oauthClientId: string | null;
}

/** What a token may do with one workspace; `admin` implies `readRuns`. */
export type WorkspaceLevel = 'admin' | 'readRuns';

/** What a token may do in one organization; `owner` may do everything there. */
export type Grant =
  | 'owner'
  | {
      readonly manageVcsSettings: boolean;
      readonly workspaces: Readonly<Record<string, WorkspaceLevel>>;
    };

/** An access token, kept as its digest, with its grants by organization. */
export interface TokenRecord {
  readonly digest: string;
  readonly grants: readonly { readonly organization: string; readonly grant: Grant }[];
}

/** A token of the VCS provider (`ot-…`) that a client manages; a null digest means it came without its text. */
export interface OAuthTokenRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly digest: string | null;
}

/** An OAuth client (`oc-…`). Secrets are digests; null means none was ever given. */
export interface OAuthClientRecord {
  readonly id: string;
  readonly organization: string;
  readonly createdAt: string;
  readonly callbackId: string;
  readonly serviceProvider: string;
  readonly name: string | null;
  readonly httpUrl: string;
  readonly apiUrl: string;
  readonly key: string | null;
  readonly rsaPublicKey: string | null;
  readonly organizationScoped: boolean;
  readonly projectIds: readonly string[];
  readonly agentPoolId: string | null;
  readonly oauthTokens: readonly OAuthTokenRecord[];
  readonly secretDigest: string | null;
  readonly privateKeyDigest: string | null;
}

/** A run trigger (`rt-…`): runs of the source (`sourceableId`) create runs in the target (`workspaceId`). */
export interface RunTriggerRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly workspaceId: string;
  readonly sourceableId: string;
}

const text = { type: 'string' };
const maybeText = { type: ['string', 'null'] };
const texts = { type: 'array', items: text };

function closed(properties: object): object {
  return { type: 'object', additionalProperties: false, properties, required: Object.keys(properties) };
}

function every(properties: object): object {
  return { type: 'array', items: closed(properties) };
}

const level = { enum: ['admin', 'readRuns'] };
const grant = {
  anyOf: [
    { const: 'owner' },
    closed({
      manageVcsSettings: { type: 'boolean' },
      workspaces: { type: 'object', additionalProperties: level },
    }),
  ],
};

/** All records by table. What they refer to is not looked at. */
export const recordsSchema = closed({
  organizations: every({ name: text }),
  projects: every({ id: text, organization: text, name: text }),
  agentPools: every({ id: text, organization: text, name: text }),
  workspaces: every({
    id: text,
    organization: text,
    name: text,
    projectId: maybeText,
    oauthClientId: maybeText,
  }),
  tokens: every({ digest: text, grants: every({ organization: text, grant }) }),
  oauthClients: every({
    id: text,
    organization: text,
    createdAt: text,
    callbackId: text,
    serviceProvider: text,
    name: maybeText,
    httpUrl: text,
    apiUrl: text,
    key: maybeText,
    rsaPublicKey: maybeText,
    organizationScoped: { type: 'boolean' },
    projectIds: texts,
    agentPoolId: maybeText,
    oauthTokens: every({ id: text, createdAt: text, digest: maybeText }),
    secretDigest: maybeText,
    privateKeyDigest: maybeText,
  }),
  runTriggers: every({ id: text, createdAt: text, workspaceId: text, sourceableId: text }),
});
