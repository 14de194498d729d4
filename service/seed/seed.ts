// The form of a seed: what exists before the first request.

import { heldSchemas } from '../oauth-client-attributes';
import {
  type Mistake,
  Positioned,
  PositionedError,
  partsOf,
  readPositioned,
  readPositionedFile,
} from '../positioned';
import {
  choice,
  closed,
  compile,
  flag,
  list,
  map,
  matching,
  object,
  orNull,
  type Properties,
  type SchemaError,
  type SchemaOf,
  someText,
  type TypeOf,
  text,
} from '../schema';
import { workspaceLevels } from '../store/records';

const timestamp = matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$');
const maybe = orNull(text);

function partial<const Of extends Properties>(members: Of) {
  return closed(object({}, members));
}

function byId<Value>(prefix: string, item: SchemaOf<Value>) {
  return map(item, { pattern: `^${prefix}-[A-Za-z0-9._-]+$` });
}

const named = orNull(partial({ name: someText }));
const workspace = partial({
  name: someText,
  project: maybe,
  /** The client through which the workspace is linked to a repository. */
  oauthClient: maybe,
});
const client = partial({
  ...heldSchemas,
  projects: list(text),
  agentPool: maybe,
  oauthTokens: list(matching('^ot-')),
  createdAt: timestamp,
});
const trigger = partial({ workspace: someText, sourceable: someText, createdAt: timestamp });
const organization = partial({
  agentPools: byId('apool', named),
  projects: byId('prj', named),
  workspaces: byId('ws', orNull(workspace)),
  oauthClients: byId('oc', client),
  runTriggers: byId('rt', trigger),
});
const powers = partial({ manageVcsSettings: flag, workspaces: map(choice(...workspaceLevels, null)) });
const grant: SchemaOf<'owner' | TypeOf<typeof powers> | null> = {
  ...powers,
  type: ['string', 'object', 'null'],
  pattern: '^owner$',
  description: '"owner", or a map of what it may do',
};

const seedSchema = partial({
  organizations: map(orNull(organization), { pattern: '^[A-Za-z0-9_-]+$' }),
  tokens: map(map(grant), { minLength: 1 }),
});

/** Organizations by name, and tokens with what they may do in each. */
export interface SeedObject extends TypeOf<typeof seedSchema> {}

/** One organization with all that is in it by id. What is new needs its mandatory members. */
export interface SeedOrganization extends TypeOf<typeof organization> {}

export interface SeedOAuthClient extends TypeOf<typeof client> {}

export interface SeedRunTrigger extends TypeOf<typeof trigger> {}

/** What a token may do in one organization; null, here or for a workspace, revokes it. */
export type SeedGrant = TypeOf<typeof grant>;

/** A seed that cannot be used. Tokens, which are keys of a seed, are not shown. */
export class SeedError extends PositionedError {
  override readonly name = 'SeedError';

  constructor(source: string, mistakes: readonly Mistake[]) {
    const masked = mistakes.map((mistake) => {
      const [top, token, ...rest] = mistake.path;
      const isHidden = top === 'tokens' && token !== undefined;
      return isHidden ? { ...mistake, path: [top, '(token)', ...rest] } : mistake;
    });
    super(source, masked);
  }
}

/** A seed as it was read. With any mistake noted in its document, nothing of it is taken. */
export interface ReadSeed {
  document: Positioned;
  /** Of the right form but for unknown keys and the broken entries; empty where more than those is wrong. */
  seed: SeedObject;
  /** Ids of entries whose form is wrong: to refer to them is not a mistake. */
  broken: ReadonlySet<string>;
}

/** Reads a seed, from a YAML or JSON file where a path is given. Throws a SeedError for what is neither. */
export function readSeed(seed: SeedObject | string): ReadSeed {
  const isFile = typeof seed === 'string';
  return checkForm(
    isFile ? readPositionedFile(seed, SeedError, 'cannot be read') : new Positioned(seed, 'seed', SeedError),
  );
}

export function readSeedText(text: string): ReadSeed {
  return checkForm(readPositioned(text, 'seed', SeedError));
}

function checkForm(document: Positioned): ReadSeed {
  const validate = compile(seedSchema);
  const value = document.value ?? {};
  if (validate(value)) return { document, seed: value, broken: new Set() };
  const errors = validate.errors ?? [];
  document.noteAll(errors);
  const broken = brokenEntries(errors);
  return broken ? { document, seed: value as SeedObject, broken } : { document, seed: {}, broken: new Set() };
}

const places = new Set(['agentPools', 'projects', 'workspaces']);

/** The ids of entries whose form is wrong; undefined when a whole table is, an organization, or more. */
function brokenEntries(errors: readonly SchemaError[]): Set<string> | undefined {
  const broken = new Set<string>();
  for (const { instancePath, params, propertyName } of errors) {
    if (params.additionalProperty !== undefined) continue;
    const wrongName: unknown = propertyName ?? params.propertyName;
    const path = [...partsOf(instancePath), ...(typeof wrongName === 'string' ? [wrongName] : [])];
    const [top, first, table = '', entry] = path;
    const id = top === 'tokens' ? first : entry;
    // References to a place with a wrong name may be right once it is corrected.
    if (id === undefined || (wrongName !== undefined && places.has(table))) return undefined;
    broken.add(id);
  }
  return broken;
}
