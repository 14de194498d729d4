// The form of a seed: what exists before the first request.

import { heldSchemas } from '../oauth-client-attributes';
import {
  boolean,
  choice,
  list,
  map,
  matching,
  nonEmptyString,
  orNull,
  partial,
  type SchemaOf,
  string,
  type TypeOf,
} from '../schema';
import { readSourceFile, SourceDocument } from '../source-document';
import { workspaceLevels } from '../store';

const timestamp = matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$');
const maybe = orNull(string);

function byId<Value>(prefix: string, item: SchemaOf<Value>) {
  return map(item, `^${prefix}-[A-Za-z0-9._-]+$`);
}

const named = orNull(partial({ name: nonEmptyString }));
const workspace = partial({
  name: nonEmptyString,
  project: maybe,
  /** The client through which the workspace is linked to a repository. */
  oauthClient: maybe,
});
const client = partial({
  ...heldSchemas,
  projects: list(string),
  agentPool: maybe,
  oauthTokens: list(matching('^ot-')),
  createdAt: timestamp,
});
const trigger = partial({ workspace: nonEmptyString, sourceable: nonEmptyString, createdAt: timestamp });
const organization = partial({
  agentPools: byId('apool', named),
  projects: byId('prj', named),
  workspaces: byId('ws', orNull(workspace)),
  oauthClients: byId('oc', client),
  runTriggers: byId('rt', trigger),
});
const powers = partial({ manageVcsSettings: boolean, workspaces: map(choice(...workspaceLevels, null)) });
const grant: SchemaOf<'owner' | TypeOf<typeof powers> | null> = {
  ...powers,
  type: ['string', 'object', 'null'],
  pattern: '^owner$',
  description: '"owner", or a map of what it may do',
};

const seed = partial({
  organizations: map(orNull(organization), '^[A-Za-z0-9_-]+$'),
  tokens: map(map(grant), '.'),
});

/** A file without content is a seed too. */
export const seedSchema = orNull(seed);

/** Organizations by name, with all that is in them by id, and tokens with what they may do. What is new needs its mandatory members. */
export interface SeedObject extends TypeOf<typeof seed> {}

export interface SeedOAuthClient extends TypeOf<typeof client> {}

export interface SeedRunTrigger extends TypeOf<typeof trigger> {}

/** What a token may do in one organization; null, here or for a workspace, revokes it. */
export type SeedGrant = TypeOf<typeof grant>;

/** Takes a seed, or the YAML or JSON file of that path. Throws a ServiceError for what cannot be read. */
export function seedDocument(seed: SeedObject | string): SourceDocument {
  if (typeof seed !== 'string') return new SourceDocument(seed, 'seed');
  return readSourceFile(seed, 'cannot be read');
}
