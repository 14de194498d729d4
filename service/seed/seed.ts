// The form of a seed: what exists before the first request.

import { heldSchemas } from '../oauth-client-attributes';
import { Positioned, readPositionedFile } from '../positioned';
import {
  boolean,
  choice,
  closed,
  list,
  map,
  matching,
  nonEmptyString,
  object,
  orNull,
  type Properties,
  type SchemaOf,
  string,
  type TypeOf,
} from '../schema';
import { workspaceLevels } from '../store/records';

const timestamp = matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$');
const maybe = orNull(string);

function partial<const Of extends Properties>(members: Of) {
  return closed(object({}, members));
}

function byId<Value>(prefix: string, item: SchemaOf<Value>) {
  return map(item, { pattern: `^${prefix}-[A-Za-z0-9._-]+$` });
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
  organizations: map(orNull(organization), { pattern: '^[A-Za-z0-9_-]+$' }),
  tokens: map(map(grant), { minLength: 1 }),
});

/** A file without content is a seed too. */
export const seedSchema = orNull(seed);

/** Organizations by name, with all that is in them by id, and tokens with what they may do. What is new needs its mandatory members. */
export interface SeedObject extends TypeOf<typeof seed> {}

export interface SeedOAuthClient extends TypeOf<typeof client> {}

export interface SeedRunTrigger extends TypeOf<typeof trigger> {}

/** What a token may do in one organization; null, here or for a workspace, revokes it. */
export type SeedGrant = TypeOf<typeof grant>;

/** A seed, or the YAML or JSON file of that path. Throws a DocumentError for what cannot be read. */
export function seedDocument(seed: SeedObject | string): Positioned {
  if (typeof seed !== 'string') return new Positioned(seed, 'seed');
  return readPositionedFile(seed, 'cannot be read');
}
