// A seed: what exists in the service before the first request. Its form, and how one is read and refused.

import { readFileSync } from 'node:fs';
import Ajv, { type ErrorObject } from 'ajv';
import { whyUnread } from '../failure';
import { seedSchemas } from '../oauth-client-attributes';
import {
  explainMistakes,
  inOrder,
  type Locate,
  type Mistake,
  PositionedError,
  readPositioned,
  unescapePart,
} from '../positioned';
import {
  choice,
  closed,
  flag,
  list,
  map,
  matching,
  optional,
  orNull,
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

/** The JSON Schema of a seed. References between its parts are checked apart from it. */
const seedSchema = closed({
  organizations: optional(map(orNull(organization), { pattern: '^[A-Za-z0-9_-]+$' })),
  tokens: optional(map(map(grant), { minLength: 1 })),
});

/** A whole seed: organizations by name, and tokens with what they may do in each. */
export interface SeedObject extends TypeOf<typeof seedSchema> {}

/** One organization with all that is in it, each thing under its id. */
export interface SeedOrganization extends TypeOf<typeof organization> {}

/** An OAuth client; its id is the key it stands under. One that is not there yet needs provider and URLs. */
export interface SeedOAuthClient extends TypeOf<typeof client> {}

/** A run trigger; its id is the key it stands under. One that is not there yet needs both workspaces. */
export interface SeedRunTrigger extends TypeOf<typeof trigger> {}

/** What a token may do in one organization; null, here and for a workspace, takes away what was granted. */
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
  readonly locate: Locate;
  /** The file it came from, or a word for what was given in its place. */
  readonly source: string;
}

const validateSeed = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }).compile<SeedObject>(
  seedSchema,
);

/** Reads a seed file (YAML or JSON). Throws a SeedError when it cannot be read at all. */
export function readSeedFile(file: string): ReadSeed {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SeedError(file, [{ path: '', message: `cannot be read: ${whyUnread(error)}` }]);
  }
  return readSeedText(text, file);
}

/** Reads a seed from YAML or JSON text. Throws a SeedError that calls the text by `source` when it is neither. */
export function readSeedText(text: string, source: string): ReadSeed {
  const { value, mistakes, locate } = readPositioned(text);
  if (mistakes.length > 0) throw new SeedError(source, mistakes);
  return checkForm(value ?? {}, locate, source);
}

/** Takes a seed that is already an object. */
export function readSeedObject(value: unknown): ReadSeed {
  return checkForm(value, () => undefined, 'seed');
}

function checkForm(value: unknown, locate: Locate, source: string): ReadSeed {
  if (validateSeed(value)) return { seed: value, mistakes: [], locate, source };
  const errors = validateSeed.errors ?? [];
  const sound = soundPart(value, errors);
  const seed = validateSeed(sound) ? sound : null;
  return { seed, mistakes: explainMistakes(errors, locate), locate, source };
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

// The tables whose entries need no member: a broken one still exists, and what refers to it is not a mistake.
const places = new Set(['agentPools', 'projects', 'workspaces']);

type Branch = Record<string, unknown>;

/**
 * The seed without what is wrong in form, so that the references of the rest can be checked in the same run.
 * Undefined when too little is left for that.
 */
function soundPart(value: unknown, errors: readonly ErrorObject[]): unknown {
  if (!isBranch(value)) return undefined;
  const seed = structuredClone(value);
  for (const { keyword, instancePath, params, propertyName } of errors) {
    const parts = instancePath.split('/').slice(1).map(unescapePart);
    const name: unknown = propertyName ?? params.propertyName;
    const extra: unknown = params.additionalProperty;
    if (keyword === 'additionalProperties' && typeof extra === 'string') {
      const holder = at(seed, parts);
      if (holder !== undefined) delete holder[extra];
    } else if (typeof name === 'string') {
      // What refers to a place of a wrong name is right to do so, once the name is.
      if (places.has(parts[2] ?? '') || !withoutEntry(seed, [...parts, name])) return undefined;
    } else if (!withoutEntry(seed, parts)) return undefined;
  }
  return seed;
}

/** Takes the entry at or above the path out; false when it is a whole table, an organization, or more. */
function withoutEntry(seed: Branch, [top, one, table, id]: readonly string[]): boolean {
  if (top === 'tokens' && one !== undefined) {
    const tokens = at(seed, ['tokens']);
    if (tokens !== undefined) delete tokens[one];
    return true;
  }
  if (top !== 'organizations' || one === undefined || table === undefined || id === undefined) return false;
  const entries = at(seed, [top, one, table]);
  if (entries === undefined) return true;
  if (places.has(table)) entries[id] = null;
  else delete entries[id];
  if (table === 'oauthClients') unlink(at(seed, [top, one, 'workspaces']) ?? {}, id);
  return true;
}

/** Workspaces that use a client which was taken out. */
function unlink(workspaces: Branch, client: string): void {
  for (const workspace of Object.values(workspaces)) {
    if (isBranch(workspace) && workspace.oauthClient === client) delete workspace.oauthClient;
  }
}

function at(root: Branch, parts: readonly string[]): Branch | undefined {
  let node: unknown = root;
  for (const part of parts) node = isBranch(node) && Object.hasOwn(node, part) ? node[part] : undefined;
  return isBranch(node) ? node : undefined;
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
