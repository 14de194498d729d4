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
  const head = Object.entries({ version, organization, lineage, serial });
  const lines = head.map(([name, value]) => `  "${name}": ${rendered(value)},\n`).join('');
  return `{\n${lines}  "objects": ${section(objects)},\n  "pending": ${section(pending)}\n}\n`;
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
  const problem = wrongMember(value, documentMembers, 'the document') ?? entryProblem(value as Ledger, kinds);
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
type Members = Readonly<Record<string, Check>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
export const isTime: Check = (value) =>
  isText(value) && /^\d{4}-\d\d-\d\dT/.test(value) && Date.parse(value) > 0;
const arrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const byField =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.entries(value).every(([name, one]) => /^[a-zA-Z]+$/.test(name) && check(one));
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isFieldValue: Check = (value) =>
  value === null || typeof value === 'boolean' || isText(value) || arrayOf(isText)(value);
const isValues = byField(isFieldValue);
const isDigests = byField((value) => isText(value) && isDigest(value));

const documentMembers: Members = {
  version: (value) => value === 2,
  organization: isText,
  lineage: (value) => isText(value) && /^[\w-]{1,100}$/.test(value),
  serial: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  objects: isRecord,
  pending: isRecord,
};

/** The members of an entry of this kind, under `objects` and under `pending`. */
function entryMembers({ pair, idPrefix }: ResourceDefinition): { objects: Members; pending: Members | null } {
  const isOwnId: Check = (id) => isText(id) && idPrefix !== undefined && isId(id, idPrefix);
  const createdAt = optional(isTime);
  if (pair.length > 0) return { objects: { id: optional(isOwnId), createdAt }, pending: null };
  const [values, digests, ids] = [isValues, isDigests, arrayOf(isOwnId)];
  return {
    objects: {
      id: isOwnId,
      createdAt,
      values: optional(values),
      digests: optional(digests),
      retiring: optional(ids),
    },
    pending: { attemptedAt: isTime, values, digests, existing: ids },
  };
}

/** Null where it has all these members and no others. */
function wrongMember(value: unknown, members: Members, where: string): string | null {
  if (!isRecord(value)) return `${where} is not an object`;
  const isWrong = (name: string) => !Object.hasOwn(members, name) || members[name]?.(value[name]) !== true;
  const wrong = [...Object.keys(value), ...Object.keys(members)].find(isWrong);
  return wrong === undefined ? null : `${shown(wrong)} of ${where} is missing, unknown or not valid`;
}

function shown(text: string): string {
  return oneLine(JSON.stringify(text), 100);
}

/** The first problem of an entry, which names its key. */
function entryProblem({ objects, pending }: Ledger, kinds: Registry): string | null {
  const membersOf = new Map(kinds.map((definition) => [definition.kind, entryMembers(definition)]));
  /** The key that holds an id. */
  const holders = new Map<string, string>();
  for (const [key, object] of Object.entries(objects)) {
    const members = membersOf.get(kindOfKey(key, kinds) ?? '')?.objects;
    if (members === undefined) return `${shown(key)} is not the key of an object`;
    const problem = wrongMember(object, members, key);
    if (problem !== null) return problem;
    for (const id of object.id === undefined ? [] : [object.id, ...(object.retiring ?? [])]) {
      const holder = holders.get(id);
      if (holder !== undefined) return `${holder} and ${key} both hold ${id}`;
      holders.set(id, key);
    }
  }
  for (const [key, one] of Object.entries(pending)) {
    const members = membersOf.get(kindOfKey(key, kinds) ?? '')?.pending;
    const problem = members ? wrongMember(one, members, key) : `${shown(key)} is not a key under \`pending\``;
    if (problem !== null) return problem;
  }
  return null;
}

/** Null for a key that is neither a name, as `OAuthClient/github`, nor the ids of a link's ends, as `RunTrigger/ws-1/ws-2`. */
function kindOfKey(key: string, kinds: Registry): string | null {
  const [kind, ...parts] = key.split('/');
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) return null;
  const { pair, fields } = definition;
  const isPart = (part: string, index: number): boolean => {
    if (pair.length === 0) return nameProblem(part, kinds) === undefined;
    const refersTo = fields[pair[index] ?? '']?.refersTo ?? '';
    const prefix = externalKinds[refersTo]?.prefix ?? kinds.find((one) => one.kind === refersTo)?.idPrefix;
    return prefix !== undefined && isId(part, prefix);
  };
  return parts.length === Math.max(1, pair.length) && parts.every(isPart) ? definition.kind : null;
}
