/** Writes and reads the text of a ledger. Reading is strict, because an id becomes part of a URL. */
import { oneLine } from '../../client/text';
import { idSchema, type JsonSchema, strict } from '../../resources/json-schema';
import { isLink } from '../../resources/kind';
import { nameProblem } from '../../resources/names';
import { unlessItFails } from '../../resources/plain-file';
import { registry } from '../../resources/registry';
import { loadValidator } from '../../resources/validator';
import { findPrefix } from '../../resources/violations';
import { digestPattern } from './digest';
import type { Ledger, LedgerObject, Pending } from './ledger';
import { LedgerError } from './store';

/** Writes one sorted line for each entry, so that equal ledgers have equal texts and are easy to review. */
export function renderLedger({ objects, pending, ...ledger }: Ledger): string {
  const { version, organization, address, lineage, salt, serial, lastApply } = ledger;
  const head: Readonly<Record<keyof typeof ledger, unknown>> = {
    version,
    organization,
    address,
    lineage,
    salt,
    serial,
    lastApply,
  };
  const lines = Object.entries(head)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  "${name}": ${rendered(value)},\n`)
    .join('');
  return `{\n${lines}  "objects": ${section(objects)},\n  "pending": ${section(pending)}\n}\n`;
}

function section(entries: Readonly<Record<string, object>>): string {
  const keys = Object.keys(entries).sort();
  const lines = keys.map((key) => `\n    ${JSON.stringify(key)}: ${rendered(entries[key])}`);
  return lines.length === 0 ? '{}' : `{${lines.join(',')}\n  }`;
}

function rendered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.sort().map(([name, member]) => `${JSON.stringify(name)}: ${rendered(member)}`);
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`;
}

/** Throws `LedgerError` unless the text is a valid ledger of this version and organization. Messages show `place`. */
export function parseLedger(
  text: string,
  { place, organization }: { readonly place: string; readonly organization: string },
): Ledger {
  const invalid = (what: string) =>
    new LedgerError(`${place} ${what} and run \`tether plan\`, which shows how to adopt what exists`);
  const restore = 'Restore an earlier version. If there is none, remove it';
  const newer = 'A newer Tether may have written it: use that version. Otherwise restore an earlier ledger';
  const isMerged = /^(<{7}|={7}|>{7})/m.test(text);
  if (isMerged) throw invalid('holds the marks of a merge conflict. Take either side');
  // The parser's error may quote the text, which may hold a secret.
  const value = unlessItFails<unknown>(() => JSON.parse(text.replace(/^\uFEFF/, '')));
  if (value === null) throw invalid(`is not valid JSON. ${restore}`);
  const { version, terraform_version: isState } = Object(value) as Partial<Record<string, unknown>>;
  if (isState) throw new LedgerError(`${place} is a Terraform state: name another place under \`ledger:\``);
  if (typeof version === 'number' && version !== 3) {
    throw new LedgerError(
      `${place} has version ${version}, and this Tether reads version 3. Use the Tether that wrote it. Or move it away and run \`tether export\`: applying what that prints adopts what exists`,
    );
  }
  const problem = findProblem(value);
  const advice = problem?.isUnknown ? newer : restore;
  if (problem !== null) throw invalid(`is not a valid ledger: ${oneLine(problem.what, 200)}. ${advice}`);
  const ledger = value as Ledger;
  if (ledger.organization === organization) return ledger;
  throw new LedgerError(
    `${place} is the ledger of ${ledger.organization}, and the manifests are for ${organization}: check \`organization:\`, or use a folder of its own`,
  );
}

const day = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const clock = '([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d+)?(Z|[+-][01]\\d:[0-5]\\d)?';
const time = { type: 'string', pattern: `^${day}T${clock}$` };

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && new RegExp(time.pattern).test(value);
}

const text = { type: 'string' };
const values = byField({ type: ['string', 'boolean', 'null', 'array'], items: text });
const digests = byField({ ...text, pattern: digestPattern });

function byField(value: JsonSchema) {
  const propertyNames = { pattern: '^[a-zA-Z]+$' };
  return { type: 'object', propertyNames, additionalProperties: value };
}

/** The schema of each member. A new member of the type does not compile without its schema. */
type Members<Type> = Readonly<Record<keyof Type, JsonSchema>>;

/** Returns the JSON Schema of a ledger. */
export function ledgerSchema(): object {
  const objects: Record<string, JsonSchema> = {};
  const pending: Record<string, JsonSchema> = {};
  for (const { kind, pair, fields, idPrefix } of registry) {
    const ends = pair.map((field) => `/${findPrefix(fields[field]?.refersTo ?? '')}-[A-Za-z0-9_-]+`);
    const id = idSchema(idPrefix ?? '');
    if (isLink(kind)) {
      // Earlier builds recorded the time of a trigger. It is accepted, and nothing uses it.
      const link = idPrefix === undefined ? {} : { id };
      objects[`^${kind}${ends.join('')}$`] = strict({ ...link, createdAt: time }, Object.keys(link));
    } else {
      const ids = { type: 'array', items: id };
      const client: Members<LedgerObject> = { id, createdAt: time, values, digests, retiring: ids };
      const { firstAttemptAt, ...create }: Members<Pending> = {
        attemptedAt: time,
        firstAttemptAt: time,
        values,
        digests,
        existing: ids,
      };
      objects[`^${kind}/[^/]+$`] = strict(client, ['id']);
      pending[`^${kind}/[^/]+$`] = strict({ ...create, firstAttemptAt }, Object.keys(create));
    }
  }
  const lastApply: Members<NonNullable<Ledger['lastApply']>> = { at: time, by: text, revision: text };
  const ledger: Members<Ledger> = {
    version: { const: 3 },
    organization: text,
    address: { ...text, pattern: '^https?://[^\\s@?#/]+(/[^\\s?#]*)?$' },
    lineage: { ...text, pattern: '^[A-Za-z0-9_-]{1,100}$' },
    salt: { ...text, pattern: '^[A-Za-z0-9_-]{22}$' },
    serial: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    lastApply: strict(lastApply, ['at', 'by']),
    objects: { ...strict({}), patternProperties: objects },
    pending: { ...strict({}), patternProperties: pending },
  };
  const { lastApply: _, ...required } = ledger;
  return strict(ledger, Object.keys(required));
}

/** Throws `LedgerError` for a ledger that could not be read again, because the service gives ids of another form. */
export function refuseInvalid(ledger: Ledger): void {
  const problem = findProblem(ledger);
  if (problem !== null) throw new LedgerError(`The ledger cannot record it: ${oneLine(problem.what, 200)}`);
}

/** Returns the first mistake with its place, or null. `isUnknown` is true for a member that this version does not know. */
function findProblem(value: unknown): { readonly what: string; readonly isUnknown: boolean } | null {
  const validate = loadValidator('ledger');
  if (validate(value)) {
    const what = mistakeAcross(value as Ledger);
    return what === null ? null : { what, isUnknown: false };
  }
  const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
  const where = instancePath === '' ? 'the document' : instancePath.replaceAll('~1', '/');
  const { additionalProperty: unknown } = params;
  if (unknown === undefined) return { what: `${where} ${message}`, isUnknown: false };
  return { what: `${where} cannot have "${unknown}"`, isUnknown: true };
}

/** Finds a client without a proper name, and an id that two entries hold. */
function mistakeAcross({ objects, pending }: Ledger): string | null {
  const holders = new Map<string, string>();
  for (const [key, { id, retiring = [] }] of Object.entries<LedgerObject>({ ...pending, ...objects })) {
    const [, name = '', ...more] = key.split('/');
    const problem = more.length > 0 ? undefined : nameProblem(name);
    if (problem !== undefined) return `"${name}" ${problem}`;
    for (const heldId of id === undefined ? retiring : [id, ...retiring]) {
      const holder = holders.get(heldId);
      if (holder !== undefined) return `${holder} and ${key} both hold ${heldId}`;
      holders.set(heldId, key);
    }
  }
  return null;
}
