/** The ledger as a text: one way of writing, and strict reading, since an id in it becomes part of a URL. */
import { oneLine } from '../../client/text';
import type { Registry, ResourceDefinition } from '../../resources/kind';
import { externalKinds, isId, nameProblem } from '../../resources/names';
import { registry } from '../../resources/registry';
import { isDigest } from './digest';
import type { Ledger } from './ledger';
import { LedgerError } from './store';

/** Sorted, one line for each entry: the same for the same ledger, and easy to review. */
export function renderLedger({ version, organization, lineage, serial, objects, pending }: Ledger): string {
  const section = (entries: Readonly<Record<string, object>>): string => {
    const keys = Object.keys(entries).sort();
    const lines = keys.map((key) => `\n    ${JSON.stringify(key)}: ${rendered(entries[key])}`);
    return lines.length === 0 ? '{}' : `{${lines.join(',')}\n  }`;
  };
  const members = {
    version: rendered(version),
    organization: rendered(organization),
    lineage: rendered(lineage),
    serial: rendered(serial),
    objects: section(objects),
    pending: section(pending),
  };
  const lines = Object.entries(members).map(([name, text]) => `  "${name}": ${text}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

function rendered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  const texts = members.sort().map(([name, member]) => `${JSON.stringify(name)}: ${rendered(member)}`);
  return `{ ${texts.join(', ')} }`;
}

/** `place` is for messages. Throws `LedgerError` for all but a sound ledger of this version and organization. */
export function parseLedger(
  text: string,
  { place, organization }: { readonly place: string; readonly organization: string },
  kinds: Registry = registry,
): Ledger {
  const value = parseJson(text, place);
  const version = isRecord(value) ? value.version : undefined;
  if (typeof version === 'number' && version > 2) {
    throw new LedgerError(`${place} has version ${version}: use the newer Tether that wrote it`);
  }
  if (typeof version === 'number' && version < 2) {
    const advice = 'Move it away and run `tether export`, which finds again what exists';
    throw new LedgerError(`${place} has version ${version}, and this Tether reads version 2. ${advice}`);
  }
  const problem = wrongMember(value, documentMembers) ?? entryProblem(value as Ledger, kinds);
  if (problem !== null) {
    const advice =
      'Restore it from version control, or remove it and run `tether plan`: what exists is adopted';
    throw new LedgerError(`${place} is not a sound ledger: ${problem}. ${advice}`);
  }
  const ledger = value as Ledger;
  if (ledger.organization === organization) return ledger;
  const advice = 'check `organization:`, or use a folder of its own';
  throw new LedgerError(
    `${place} is the ledger of ${ledger.organization}, and the manifests are for ${organization}: ${advice}`,
  );
}

function parseJson(text: string, place: string): unknown {
  const isMerged = /^(<{7}|={7}|>{7})/m.test(text);
  const what = isMerged ? 'holds the marks of a merge conflict' : 'is not valid JSON';
  try {
    if (!isMerged) return JSON.parse(text);
  } catch {
    // The text may hold anything, so the error of the parser is not shown.
  }
  throw new LedgerError(`${place} ${what}. Take either side and run \`tether plan\`: what exists is adopted`);
}

type Check = (value: unknown) => boolean;

/** By name of a member; `?` marks one that may be left out. */
type Members = Readonly<Record<string, Check>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTime: Check = (value) => isText(value) && /^\d{4}-\d\d-\d\dT/.test(value) && Date.parse(value) > 0;
const isSerial: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const isLineage: Check = (value) => isText(value) && /^[\w-]{1,100}$/.test(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isFieldValue: Check = (value) =>
  value === null || isText(value) || typeof value === 'boolean' || isTexts(value);
const byField = (check: Check): Check => {
  const isField = (name: string) => /^[a-zA-Z][a-zA-Z0-9]*$/.test(name);
  return (value) =>
    isRecord(value) && Object.entries(value).every(([name, one]) => isField(name) && check(one));
};
const isValues = byField(isFieldValue);
const isDigests = byField((value) => isText(value) && isDigest(value));

const documentMembers: Members = {
  version: (value) => value === 2,
  organization: isText,
  lineage: isLineage,
  serial: isSerial,
  objects: isRecord,
  pending: isRecord,
};

/** Null where it has these members and no others. */
function wrongMember(value: unknown, members: Members, where = 'the document'): string | null {
  if (!isRecord(value)) return `${where} is not an object`;
  const names = new Map(Object.entries(members).map(([name, check]) => [name.replace('?', ''), check]));
  for (const [name, member] of Object.entries(value)) {
    const check = names.get(name);
    if (check === undefined) return `${where} has the unknown member ${shown(name)}`;
    if (!check(member)) return `\`${name}\` of ${where} is not valid`;
  }
  const missing = Object.keys(members).find((name) => !name.endsWith('?') && !Object.hasOwn(value, name));
  return missing === undefined ? null : `${where} lacks \`${missing}\``;
}

function shown(text: string): string {
  return oneLine(JSON.stringify(text), 100);
}

/** The first problem of an entry, which names its key. */
function entryProblem({ objects, pending }: Ledger, kinds: Registry): string | null {
  const members = new Map(kinds.map((definition) => [definition, objectMembers(definition)]));
  /** By id, the key that holds it. */
  const holders = new Map<string, string>();
  for (const [key, object] of Object.entries(objects)) {
    const definition = definitionOfKey(key, kinds);
    if (definition === null) return `${shown(key)} is not the key of an entry`;
    const problem = wrongMember(object, members.get(definition) ?? {}, key);
    if (problem !== null) return problem;
    for (const id of [...(object.id === undefined ? [] : [object.id]), ...(object.retiring ?? [])]) {
      const holder = holders.get(id);
      if (holder !== undefined) return `${holder} and ${key} both hold ${id}`;
      holders.set(id, key);
    }
  }
  for (const [key, one] of Object.entries(pending)) {
    const definition = definitionOfKey(key, kinds);
    if (definition === null || definition.pair.length > 0)
      return `${shown(key)} is not a key under \`pending\``;
    const problem = wrongMember(one, pendingMembers(definition), `${key} under \`pending\``);
    if (problem !== null) return problem;
  }
  return null;
}

const areIds = ({ idPrefix = '' }: ResourceDefinition): Check => {
  const isOwn = (id: unknown) => isText(id) && isId(id, idPrefix);
  return (value) => Array.isArray(value) && value.every(isOwn);
};

function objectMembers(definition: ResourceDefinition): Members {
  const isOwnId: Check = (id) => areIds(definition)([id]);
  if (definition.pair.length === 0) {
    const optional = { 'createdAt?': isTime, 'values?': isValues, 'digests?': isDigests };
    return { id: isOwnId, ...optional, 'retiring?': areIds(definition) };
  }
  return { 'createdAt?': isTime, ...(definition.idPrefix === undefined ? {} : { 'id?': isOwnId }) };
}

function pendingMembers(definition: ResourceDefinition): Members {
  return { attemptedAt: isTime, values: isValues, digests: isDigests, existing: areIds(definition) };
}

/** Null for a key of no such form: `OAuthClient/github`, or the ids of a link's ends, `RunTrigger/ws-1/ws-2`. */
function definitionOfKey(key: string, kinds: Registry): ResourceDefinition | null {
  const [kind, ...parts] = key.split('/');
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) return null;
  const { pair, fields } = definition;
  const [name] = parts;
  if (pair.length === 0) {
    return parts.length === 1 && name !== undefined && nameProblem(name, kinds) === undefined
      ? definition
      : null;
  }
  const isEnd = (part: string, index: number): boolean => {
    const refersTo = fields[pair[index] ?? '']?.refersTo ?? '';
    const prefix = externalKinds[refersTo]?.prefix ?? kinds.find((one) => one.kind === refersTo)?.idPrefix;
    return prefix !== undefined && isId(part, prefix);
  };
  return parts.length === pair.length && parts.every(isEnd) ? definition : null;
}
