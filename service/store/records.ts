// The tables of the service, each with its key, its indexes, the pair it is asked for, and the form of its records.

import { heldSchemas } from '../oauth-client-attributes';
import {
  boolean,
  choice,
  closed,
  exactly,
  list,
  map,
  object,
  orNull,
  type Properties,
  type SchemaOf,
  string,
  type TypeOf,
} from '../schema';

/** What a token may do with one workspace; `admin` implies `readRuns`. */
export const workspaceLevels = ['admin', 'readRuns'] as const;

const powers = closed(object({ manageVcsSettings: boolean, workspaces: map(choice(...workspaceLevels)) }));
const grant: SchemaOf<'owner' | TypeOf<typeof powers>> = { anyOf: [exactly('owner'), powers] };

/** What a token may do in one organization; `owner`: everything. */
export type Grant = TypeOf<typeof grant>;

const named = { id: string, organization: string, name: string };

export const tables = {
  // An organization's name is its identity.
  organizations: table('name', [], { name: string }),
  projects: table('id', ['organization'], named),
  agentPools: table('id', ['organization'], named),
  workspaces: table('id', ['organization', 'oauthClientId'], {
    ...named,
    projectId: orNull(string),
    /** The client through which it is linked to a repository. */
    oauthClientId: orNull(string),
  }),
  /** Access tokens, each kept as its digest. */
  tokens: table('digest', [], {
    digest: string,
    grants: list(closed(object({ organization: string, grant }))),
  }),
  oauthClients: table('id', ['organization'], {
    id: string,
    organization: string,
    createdAt: string,
    callbackId: string,
    ...heldSchemas,
    projectIds: list(string),
    agentPoolId: orNull(string),
    /** Tokens of the VCS provider; a null digest means that one came without its text. */
    oauthTokens: list(closed(object({ id: string, createdAt: string, digest: orNull(string) }))),
    /** This and the next: null when none was ever given. */
    secretDigest: orNull(string),
    privateKeyDigest: orNull(string),
  }),
  /** Runs of the source (`sourceableId`) create runs in the target (`workspaceId`). */
  runTriggers: table(
    'id',
    ['workspaceId', 'sourceableId'],
    { id: string, createdAt: string, workspaceId: string, sourceableId: string },
    ['workspaceId', 'sourceableId'],
  ),
};

export type TableName = keyof typeof tables;

export type Tables = { readonly [Name in TableName]: TypeOf<(typeof tables)[Name]['record']> };

export type Records = { readonly [Name in TableName]: readonly Tables[Name][] };

export type ProjectRecord = Tables['projects'];
export type WorkspaceRecord = Tables['workspaces'];
export type TokenRecord = Tables['tokens'];
export type OAuthClientRecord = Tables['oauthClients'];
export type RunTriggerRecord = Tables['runTriggers'];

export const tableNames = Object.keys(tables) as TableName[];

function table<const Of extends Properties>(
  key: keyof Of & string,
  indexes: readonly (keyof Of & string)[],
  members: Of,
  pair: readonly (keyof Of & string)[] = [],
) {
  return { key, indexes, pair, record: closed(object(members)) };
}
