/** Writes and reads the text of a ledger. Reading is strict, because an id becomes part of a URL. */
import { oneLine } from '../../client/text';
import type { ResourceDefinition } from '../../resources/kind';
import { isId, nameProblem } from '../../resources/names';
import { registry } from '../../resources/registry';
import { prefixOf } from '../../resources/violations';
import { isDigest } from './digest';
import type { Ledger } from './ledger';
import { LedgerError } from './store';

/** Writes one sorted line for each entry, so that equal ledgers have equal texts and are easy to review. */
export function renderLedger({ version, organization, lineage, serial, objects, pending }: Ledger): string {
  const head = Object.entries({ version, organization, lineage, serial });
  const lines = head.map(([name, value]) => `  "${name}": ${rendered(value)},\n`).join('');
  return `{\n${lines}  "objects": ${section(objects)},\n  "pending": ${section(pending)}\n}\n`;
}

function section(entries: Readonly<Record<string, object>>): string {
  const keys = Object.keys(entries).sort();
  const lines = keys.map((key) => `\n    ${JSON.stringify(key)}: ${rendered(entries[key])}`);
  return lines.length === 0 ? '{}' : `{${lines.join(',')}\n  }`;
}

function rendered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.sort().map(([name, member]) => `${JSON.stringify(name)}: ${rendered(member)}`);
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`;
}

/** Throws `LedgerError` unless the text is a valid ledger of this version and organization. Messages show `place`. */
export function parseLedger(
  text: string,
  { place, organization }: { readonly place: string; readonly organization: string },
): Ledger {
  const value = parseJson(text, place);
  const version = isRecord(value) ? value.version : undefined;
  if (isRecord(value) && 'terraform_version' in value) {
    throw new LedgerError(`${place} is a Terraform state: name another place under \`ledger:\``);
  }
  if (typeof version === 'number' && version !== 2) {
    throw new LedgerError(
      `${place} has version ${version}, and this Tether reads version 2. Use the Tether that wrote it, or move it away and run \`tether export\`, which finds what exists`,
    );
  }
  const problem = problemOf(value);
  if (problem !== null) {
    throw new LedgerError(
      `${place} is not a valid ledger: ${problem}. Restore an earlier version. If there is none, remove it and run \`tether plan\`, which shows how to adopt what exists`,
    );
  }
  const ledger = value as Ledger;
  if (ledger.organization === organization) return ledger;
  throw new LedgerError(
    `${place} is the ledger of ${ledger.organization}, and the manifests are for ${organization}: check \`organization:\`, or use a folder of its own`,
  );
}

function parseJson(text: string, place: string): unknown {
  const isMerged = /^(<{7}|={7}|>{7})/m.test(text);
  const what = isMerged
    ? 'holds the marks of a merge conflict. Take either side'
    : 'is not valid JSON. Restore an earlier version. If there is none, remove it';
  try {
    if (!isMerged) return JSON.parse(text);
  } catch {
    // The parser's error may quote the text, which may hold a secret.
  }
  throw new LedgerError(`${place} ${what} and run \`tether plan\`, which shows how to adopt what exists`);
}

type Check = (value: unknown) => boolean;
type Members = Readonly<Record<string, Check>>;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTime(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\dT/.test(value) && Date.parse(value) > 0;
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function byField(check: Check): Check {
  return (value) =>
    isRecord(value) && Object.entries(value).every(([name, one]) => /^[a-zA-Z]+$/.test(name) && check(one));
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

const isValues = byField(
  (value) => value === null || typeof value === 'boolean' || isText(value) || listOf(isText)(value),
);
const isDigests = byField((value) => isText(value) && isDigest(value));

const documentMembers: Members = {
  version: (value) => value === 2,
  organization: isText,
  lineage: (value) => isText(value) && /^[\w-]{1,100}$/.test(value),
  serial: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  objects: isRecord,
  pending: isRecord,
};

/** The members of an entry under `objects` and under `pending`. Links are never pending. */
function entryMembers({ pair, idPrefix = '' }: ResourceDefinition): Partial<Record<string, Members>> {
  const isOwnId: Check = (id) => (idPrefix === '' ? id === undefined : isText(id) && isId(id, idPrefix));
  const areIds = listOf(isOwnId);
  const createdAt = optional(isTime);
  if (pair.length > 0) return { objects: { id: isOwnId, createdAt } };
  const rest = { values: optional(isValues), digests: optional(isDigests), retiring: optional(areIds) };
  return {
    objects: { id: isOwnId, createdAt, ...rest },
    pending: { attemptedAt: isTime, values: isValues, digests: isDigests, existing: areIds },
  };
}

/** Returns the first mistake with its member and key, or null. */
function problemOf(value: unknown): string | null {
  const problem = wrongMember(value, documentMembers, 'the document');
  if (problem !== null) return problem;
  const { objects, pending } = value as Ledger;
  const membersOf = new Map(registry.map((definition) => [definition, entryMembers(definition)]));
  for (const [place, entries] of Object.entries({ objects, pending })) {
    for (const [key, entry] of Object.entries(entries)) {
      const members = membersOf.get(definitionOfKey(key) as ResourceDefinition)?.[place];
      if (members === undefined) return `${shown(key)} is not a key under \`${place}\``;
      const wrong = wrongMember(entry, members, key);
      if (wrong !== null) return wrong;
    }
  }
  return sharedId(objects);
}

/** Returns null if the value has all these members and no others. */
function wrongMember(value: unknown, members: Members, where: string): string | null {
  if (!isRecord(value)) return `${where} is not an object`;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
  const wrong = unknown ?? Object.keys(members).find((name) => members[name]?.(value[name]) !== true);
  return wrong === undefined ? null : `${shown(wrong)} of ${where} is missing, unknown or not valid`;
}

function shown(text: string): string {
  return oneLine(JSON.stringify(text), 100);
}

/** Returns undefined unless the key looks like `OAuthClient/github` or like `RunTrigger/ws-1/ws-2`. */
function definitionOfKey(key: string): ResourceDefinition | undefined {
  const [kind, ...parts] = key.split('/');
  const definition = registry.find((one) => one.kind === kind);
  if (definition === undefined || parts.length !== Math.max(1, definition.pair.length)) return undefined;
  const { pair, fields } = definition;
  const isSound = parts.every((part, index) => {
    const { refersTo } = fields[pair[index] ?? ''] ?? {};
    return refersTo === undefined ? nameProblem(part) === undefined : isId(part, prefixOf(refersTo));
  });
  return isSound ? definition : undefined;
}

/** Finds an id that two entries hold. */
function sharedId(objects: Ledger['objects']): string | null {
  const holders = new Map<string, string>();
  for (const [key, { id, retiring = [] }] of Object.entries(objects)) {
    for (const one of id === undefined ? retiring : [id, ...retiring]) {
      const holder = holders.get(one);
      if (holder !== undefined) return `${holder} and ${key} both hold ${one}`;
      holders.set(one, key);
    }
  }
  return null;
}
