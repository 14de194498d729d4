// The form of a seed (what exists before the first request), and how one is read and refused.

import { seedSchemas } from '../oauth-client-attributes';
import {
  explainMistakes,
  inOrder,
  type Locate,
  type Mistake,
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
  optional,
  orNull,
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
  return optional(map(item, { pattern: `^${prefix}-[A-Za-z0-9._-]+$` }));
}

const named = orNull(closed({ name: optional(someText) }));
const workspace = orNull(
  closed({
    name: optional(someText),
    project: optional(maybe),
    /** The client through which the workspace is linked to a repository. */
    oauthClient: optional(maybe),
  }),
);
const client = closed({
  ...seedSchemas,
  projects: optional(list(text)),
  agentPool: optional(maybe),
  /** Ids (`ot-…`) of the tokens it manages. */
  oauthTokens: optional(list(matching('^ot-'))),
  createdAt: optional(timestamp),
});
const trigger = closed({
  workspace: optional(someText),
  sourceable: optional(someText),
  createdAt: optional(timestamp),
});
const organization = closed({
  agentPools: byId('apool', named),
  projects: byId('prj', named),
  workspaces: byId('ws', workspace),
  oauthClients: byId('oc', client),
  runTriggers: byId('rt', trigger),
});
const powers = closed({
  manageVcsSettings: optional(flag),
  workspaces: optional(map(choice(...workspaceLevels, null))),
});
const grant: SchemaOf<'owner' | TypeOf<typeof powers> | null> = {
  ...powers,
  type: ['string', 'object', 'null'],
  pattern: '^owner$',
  description: '"owner", or a map of what it may do',
};

const seedSchema = closed({
  organizations: optional(map(orNull(organization), { pattern: '^[A-Za-z0-9_-]+$' })),
  tokens: optional(map(map(grant), { minLength: 1 })),
});

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
  /** The part of the right form; null when too little is left to check references. */
  readonly seed: SeedObject | null;
  /** What is wrong with the form of the rest. With any, nothing of the seed is taken. */
  readonly mistakes: readonly Mistake[];
  /** Ids of what is not in `seed` for its form: to refer to it is not a mistake. */
  readonly broken: ReadonlySet<string>;
  readonly locate: Locate;
  /** The file it came from, or a word for what was given in its place. */
  readonly source: string;
}

/** Reads a seed file (YAML or JSON). Throws a SeedError when it cannot be read at all. */
export function readSeedFile(file: string): ReadSeed {
  const { value, locate } = readPositionedFile(file, SeedError, 'cannot be read');
  return checkForm(value ?? {}, locate, file);
}

/** Reads a seed from YAML or JSON text, which messages call `source`. Throws a SeedError when it is neither. */
export function readSeedText(text: string, source: string): ReadSeed {
  const { value, locate } = readPositioned(text, source, SeedError);
  return checkForm(value ?? {}, locate, source);
}

export function readSeedObject(value: unknown): ReadSeed {
  return checkForm(value, () => undefined, 'seed');
}

function checkForm(value: unknown, locate: Locate, source: string): ReadSeed {
  const validate = compile(seedSchema);
  const broken = new Set<string>();
  if (validate(value)) return { seed: value, mistakes: [], broken, locate, source };
  const errors = validate.errors ?? [];
  const mistakes = explainMistakes(errors, locate);
  const rest: unknown = structuredClone(value);
  const isSound = errors.every((error) => takeOut(rest, error, broken)) && validate(rest);
  return { seed: isSound ? rest : null, mistakes, broken, locate, source };
}

// Entries that need no member, so that others may refer to them whatever is wrong in them.
const places = new Set(['agentPools', 'projects', 'workspaces']);

/**
 * Takes out what is wrong in form, so that the references of the rest can be checked in the same run: an unknown key, or
 * the whole entry. False when that is a whole table, an organization, or more.
 */
function takeOut(
  seed: unknown,
  { instancePath, params, propertyName }: SchemaError,
  broken: Set<string>,
): boolean {
  const unknownKey: unknown = params.additionalProperty;
  const wrongName: unknown = propertyName ?? params.propertyName;
  const key = unknownKey ?? wrongName;
  const path = [...partsOf(instancePath), ...(typeof key === 'string' ? [key] : [])];
  const [top, , table = ''] = path;
  const depth = unknownKey === undefined ? (top === 'tokens' ? 2 : 4) : path.length;
  const name = path[depth - 1];
  // References to a place with a wrong name may be right once it is corrected.
  if (name === undefined || (wrongName !== undefined && places.has(table))) return false;
  const holder = path
    .slice(0, depth - 1)
    .reduce((node, part) => (isBranch(node) && Object.hasOwn(node, part) ? node[part] : undefined), seed);
  if (isBranch(holder)) delete holder[name];
  broken.add(name);
  return true;
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws a SeedError with all mistakes, in the order of the text, when there are any. */
export function refuseMistakes({ source }: ReadSeed, mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new SeedError(source, inOrder(mistakes).map(withoutToken));
}

/** The mistake without the token in its path: tokens are keys of a seed, and errors are printed. */
function withoutToken(mistake: Mistake): Mistake {
  const [, top, token, ...rest] = mistake.path.split('/');
  if (top !== 'tokens' || token === undefined) return mistake;
  return { ...mistake, path: ['', 'tokens', '(token)', ...rest].join('/') };
}
