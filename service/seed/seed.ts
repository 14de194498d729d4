// The form of a seed (what exists before the first request), and how one is read and refused.

import { heldSchemas } from '../oauth-client-attributes';
import {
  explainMistakes,
  type Locate,
  type Mistake,
  type Positioned,
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
  orNull,
  partial,
  type SchemaError,
  type SchemaOf,
  someText,
  type TypeOf,
  text,
} from '../schema';
import { workspaceLevels } from '../store/records';

const timestamp = matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$');
const maybe = orNull(text);

function byId<Value>(prefix: string, item: SchemaOf<Value>) {
  return map(item, { pattern: `^${prefix}-[A-Za-z0-9._-]+$` });
}

const named = orNull(closed(partial({ name: someText })));
const workspace = orNull(
  closed(
    partial({
      name: someText,
      project: maybe,
      /** The client through which the workspace is linked to a repository. */
      oauthClient: maybe,
    }),
  ),
);
const client = closed(
  partial({
    ...heldSchemas,
    projects: list(text),
    agentPool: maybe,
    /** Ids (`ot-…`) of the tokens it manages. */
    oauthTokens: list(matching('^ot-')),
    createdAt: timestamp,
  }),
);
const trigger = closed(partial({ workspace: someText, sourceable: someText, createdAt: timestamp }));
const organization = closed(
  partial({
    agentPools: byId('apool', named),
    projects: byId('prj', named),
    workspaces: byId('ws', workspace),
    oauthClients: byId('oc', client),
    runTriggers: byId('rt', trigger),
  }),
);
const powers = closed(
  partial({ manageVcsSettings: flag, workspaces: map(choice(...workspaceLevels, null)) }),
);
const grant: SchemaOf<'owner' | TypeOf<typeof powers> | null> = {
  ...powers,
  type: ['string', 'object', 'null'],
  pattern: '^owner$',
  description: '"owner", or a map of what it may do',
};

const seedSchema = closed(
  partial({
    organizations: map(orNull(organization), { pattern: '^[A-Za-z0-9_-]+$' }),
    tokens: map(map(grant), { minLength: 1 }),
  }),
);

/** Organizations by name, and tokens with what they may do in each. */
export interface SeedObject extends TypeOf<typeof seedSchema> {}

/** One organization with all that is in it by id. What is new needs its mandatory members. */
export interface SeedOrganization extends TypeOf<typeof organization> {}

export interface SeedOAuthClient extends TypeOf<typeof client> {}

export interface SeedRunTrigger extends TypeOf<typeof trigger> {}

/** What a token may do in one organization; null, here or for a workspace, revokes it. */
export type SeedGrant = TypeOf<typeof grant>;

/** A seed that cannot be used, with the position of every mistake. */
export class SeedError extends PositionedError {
  override readonly name = 'SeedError';
}

/** A seed as it was read, and how to find a path of it in its text. */
export interface ReadSeed {
  /** Of the right form but for unknown keys and the broken entries; empty where more than those is wrong. */
  readonly seed: SeedObject;
  /** What is wrong with its form. With any, nothing of the seed is taken. */
  readonly mistakes: readonly Mistake[];
  /** Ids of entries whose form is wrong: to refer to them is not a mistake. */
  readonly broken: ReadonlySet<string>;
  readonly locate: Locate;
  readonly source: string;
}

/** Reads a seed, from a YAML or JSON file where a path is given. Throws a SeedError for what is neither. */
export function readSeed(seed: SeedObject | string): ReadSeed {
  if (typeof seed !== 'string') return checkForm({ value: seed, locate: () => undefined, source: 'seed' });
  return checkForm(orEmpty(readPositionedFile(seed, SeedError, 'cannot be read')));
}

/** Reads a seed from YAML or JSON text. Throws a SeedError when it is neither. */
export function readSeedText(text: string): ReadSeed {
  return checkForm(orEmpty(readPositioned(text, 'seed', SeedError)));
}

function orEmpty({ value, ...rest }: Positioned): Positioned {
  return { value: value ?? {}, ...rest };
}

function checkForm({ value, locate, source }: Positioned): ReadSeed {
  const validate = compile(seedSchema);
  if (validate(value)) return { seed: value, mistakes: [], broken: new Set(), locate, source };
  const errors = validate.errors ?? [];
  const mistakes = explainMistakes(errors, locate);
  const broken = brokenEntries(errors);
  const seed = broken ? (value as SeedObject) : {};
  return { seed, mistakes, broken: broken ?? new Set(), locate, source };
}

// Entries that need no member, so that others may refer to them whatever is wrong in them.
const places = new Set(['agentPools', 'projects', 'workspaces']);

/**
 * The ids of entries whose form is wrong, without which the references of the rest can be checked in the same run.
 * Undefined when a whole table is wrong, an organization, or more.
 */
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

/** Throws a SeedError with all mistakes, in the order of the text, when there are any. */
export function refuseMistakes({ source }: ReadSeed, mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new SeedError(source, mistakes.map(withoutToken));
}

/** The mistake without the token in its path: tokens are keys of a seed, and errors are printed. */
function withoutToken(mistake: Mistake): Mistake {
  const [, top, token, ...rest] = mistake.path.split('/');
  if (top !== 'tokens' || token === undefined) return mistake;
  return { ...mistake, path: ['', 'tokens', '(token)', ...rest].join('/') };
}
