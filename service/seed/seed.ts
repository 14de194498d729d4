// The form of a seed: what exists in the service before the first request.

import type { WorkspaceLevel } from '../store/records';

/** What a seed says about one token in one organization; null, here and for a workspace, takes away what was granted. */
export type SeedGrant =
  | 'owner'
  | { manageVcsSettings?: boolean; workspaces?: Record<string, WorkspaceLevel | null> }
  | null;

/** An OAuth client; its id is the key it stands under. One that is not there yet needs provider and URLs. */
export interface SeedOAuthClient {
  serviceProvider?: string;
  httpUrl?: string;
  apiUrl?: string;
  name?: string | null;
  key?: string | null;
  rsaPublicKey?: string | null;
  organizationScoped?: boolean;
  projects?: string[];
  agentPool?: string | null;
  /** Ids (`ot-…`) of the tokens it manages. */
  oauthTokens?: string[];
  createdAt?: string;
}

/** A run trigger; its id is the key it stands under. One that is not there yet needs both workspaces. */
export interface SeedRunTrigger {
  workspace?: string;
  sourceable?: string;
  createdAt?: string;
}

/** One organization with all that is in it, each thing under its id. */
export interface SeedOrganization {
  agentPools?: Record<string, { name?: string } | null>;
  projects?: Record<string, { name?: string } | null>;
  /** `oauthClient` is the client through which the workspace is linked to a repository. */
  workspaces?: Record<string, { name?: string; project?: string | null; oauthClient?: string | null } | null>;
  oauthClients?: Record<string, SeedOAuthClient>;
  runTriggers?: Record<string, SeedRunTrigger>;
}

/** A whole seed: organizations by name, and tokens with what they may do in each. */
export interface SeedObject {
  organizations?: Record<string, SeedOrganization | null>;
  tokens?: Record<string, Record<string, SeedGrant>>;
}

const timestamp = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const text = { type: 'string', minLength: 1 };
const nullableText = { type: ['string', 'null'] };

function closed(properties: object): object {
  return { type: 'object', additionalProperties: false, properties };
}

function maybeEmpty(properties: object): object {
  return { type: ['object', 'null'], additionalProperties: false, properties };
}

function byId(prefix: string, item: object): object {
  return {
    type: 'object',
    propertyNames: { pattern: `^${prefix}-[A-Za-z0-9._-]+$` },
    additionalProperties: item,
  };
}

/** The JSON Schema of a seed. References between its parts are checked apart from it. */
export const seedSchema = closed({
  organizations: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z0-9_-]+$' },
    additionalProperties: maybeEmpty({
      agentPools: byId('apool', maybeEmpty({ name: text })),
      projects: byId('prj', maybeEmpty({ name: text })),
      workspaces: byId('ws', maybeEmpty({ name: text, project: nullableText, oauthClient: nullableText })),
      oauthClients: byId(
        'oc',
        closed({
          serviceProvider: text,
          httpUrl: text,
          apiUrl: text,
          name: nullableText,
          key: nullableText,
          rsaPublicKey: nullableText,
          organizationScoped: { type: 'boolean' },
          projects: { type: 'array', items: text },
          agentPool: nullableText,
          oauthTokens: { type: 'array', items: { type: 'string', pattern: '^ot-' } },
          createdAt: timestamp,
        }),
      ),
      runTriggers: byId('rt', closed({ workspace: text, sourceable: text, createdAt: timestamp })),
    }),
  },
  tokens: {
    type: 'object',
    propertyNames: { minLength: 1 },
    additionalProperties: {
      type: 'object',
      additionalProperties: {
        type: ['string', 'object', 'null'],
        pattern: '^owner$',
        description: '"owner", or a map of what it may do',
        additionalProperties: false,
        properties: {
          manageVcsSettings: { type: 'boolean' },
          workspaces: { type: 'object', additionalProperties: { enum: ['admin', 'readRuns', null] } },
        },
      },
    },
  },
});
