/** What a ledger, its journal and its lock hold: of each its strict shape, with the type that follows from it, and one text. */
import type { ValidateFunction } from 'ajv';
import type { FieldValue } from '../../resources/kind';
import { validatorOf } from '../../resources/validator';
import { isDigest } from './digest';

/** A JSON Schema, and the type of what fits it. */
interface Schema<Type = unknown> {
  [keyword: string]: unknown;
  /** In the order of writing. */
  properties?: Members;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  /** Never set. */
  fits?: Type;
}

/** By name; what ends in `?` may be left out. */
type Members = Readonly<Record<string, Schema>>;

type Fit<Shape> = Shape extends Schema<infer Type> ? Type : never;

type FitAll<All> = {
  readonly [Name in keyof All as Name extends `${string}?` ? never : Name]: Fit<All[Name]>;
} & {
  readonly [Name in keyof All as Name extends `${infer Optional}?` ? Optional : never]?: Fit<All[Name]>;
};

function record<All extends Members>(members: All): Schema<FitAll<All>> {
  const named = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema]);
  const required = Object.keys(members).filter((name) => !name.endsWith('?'));
  return { type: 'object', additionalProperties: false, required, properties: Object.fromEntries(named) };
}

function mapOf<Type>(values: Schema<Type>): Schema<Readonly<Record<string, Type>>> {
  return { type: 'object', propertyNames: string, additionalProperties: values };
}

function listOf<Type>(items: Schema<Type>): Schema<readonly Type[]> {
  return { type: 'array', items };
}

const string: Schema<string> = { type: 'string', minLength: 1 };
const nullableString: Schema<string | null> = { type: ['string', 'null'], minLength: 1 };
/** ISO 8601. */
const moment: Schema<string> = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$',
};
const one: Schema<1> = { const: 1 };
const count: Schema<number> = { type: 'integer', minimum: 0 };

/** A managed object as it was last applied. Never a secret. */
export type LedgerObject = Fit<typeof ledgerObject>;
const ledgerObject = record({
  kind: string,
  /** `oc-…`, `rt-…`; for an attachment `<client id>/<project id>`. */
  id: string,
  /** Its manifest, relative to the ledger's folder; null after an export. */
  file: nullableString,
  /** Managed, readable fields as last applied. For links: the pair. */
  values: mapOf<FieldValue>({ type: ['string', 'boolean', 'null', 'array'], items: { type: 'string' } }),
  /** By write-only field, as last written. */
  digests: mapOf<string>({ type: 'string', format: 'digest' }),
  /** Write-only fields declared at adoption and not written since. */
  'unverified?': listOf(string),
  protect: { type: 'boolean' } as Schema<boolean>,
  /** The replaced object that is still to be destroyed. */
  'replaces?': string,
  /** The replaced object that was destroyed, which an `id:` may still name. */
  'replaced?': string,
});

export type PendingIntent = Fit<typeof intent>;
const intent = record({
  kind: string,
  /** The temporary name; for a link its ledger key. */
  nonce: string,
  /** Of the inputs it was sent with, secrets included; salted with the nonce. */
  hash: string,
});

/** A create whose answer was lost: its object may still appear. Old ones are dropped when an apply ends. */
export type UnconfirmedCreate = Fit<typeof unconfirmed>;
const unconfirmed = record({ kind: string, address: string, nonce: string, since: moment });

const history = {
  organization: string,
  /** Random id of this history; empty before the first apply. */
  lineage: string,
  /** Grows with every apply that changed something. */
  serial: count,
};

export type Ledger = Fit<typeof ledgerShape>;
const ledgerShape = record({
  version: one,
  ...history,
  /** Id of the journal taken in last, which may outlive its folding. */
  'journal?': string,
  /** By ledger key: `<kind>/<id>/<id>` for a link, else the address. */
  objects: mapOf(ledgerObject),
  pending: mapOf(intent),
  tombstones: listOf(unconfirmed),
  /** `workspace/app` → `ws-1`: what names meant at the last apply. Absent while there were none. */
  'names?': mapOf(string),
});

const changes = {
  intent: { key: string, intent },
  late: { tombstone: unconfirmed },
  /** The object as it is now; ends a pending intent of that key. */
  object: { key: string, object: ledgerObject },
  /** Deleted or forgotten; ends a pending intent too. */
  removed: { key: string },
  /** Deleted without ever being held. It changes the serial alone: an approval for that serial is used up. */
  deleted: { kind: string, id: string },
  moved: { from: string, to: string },
  names: { names: mapOf(string) },
};

type Changes = typeof changes;
export type LedgerChange = {
  [Event in keyof Changes]: { readonly event: Event } & FitAll<Changes[Event]>;
}[keyof Changes];

/** A line of the journal; `at` in ISO 8601. */
export type JournalRecord = LedgerChange & { readonly at: string };

/** A journal's first line: its id, and the ledger that it goes on from. */
export type JournalStart = Omit<Fit<typeof journalStart>, 'at' | 'journal'>;
const journalStart = record({ at: moment, journal: one, id: string, ...history });

export interface JournalSink {
  /** Resolves when it is on disk. Rejects, with nothing written, a contradiction. */
  append(record: JournalRecord): Promise<void>;
}

/** The process with a lock. What a system does not tell is null. */
export type LockHolder = Fit<typeof lockHolder>;
const lockHolder = record({
  host: string,
  /** Of this start of the machine. */
  boot: nullableString,
  /** Containers of one machine share its boot, but count their own processes. */
  pidNamespace: nullableString,
  pid: { type: 'integer', minimum: 1 } as Schema<number>,
  /** Clock ticks since boot, unlike those of a later process of the same number. */
  started: nullableString,
  /** ISO 8601. */
  since: string,
  /** For people: `tether apply`. */
  command: string,
  token: { type: 'string', pattern: '^[0-9a-f]{16}$' } as Schema<string>,
});

/** Of a folder that nothing was applied to yet. */
export function emptyLedger(organization: string): Ledger {
  return { version: 1, organization, lineage: '', serial: 0, objects: {}, pending: {}, tombstones: [] };
}

export const shapes: Members = {
  ledger: ledgerShape,
  journal: journalStart,
  lock: lockHolder,
  ...Object.fromEntries(
    Object.entries(changes).map(([event, members]) => [
      event,
      record({ at: moment, event: { const: event }, ...members }),
    ]),
  ),
};

export const formats = { digest: isDigest };

const validators = new Map<string, ValidateFunction>();

/** Where and how a value breaks its shape: `serial must be integer`, without the value. A record's shape is its event. */
export function shapeProblems(shape: 'ledger' | 'journal' | 'lock' | LedgerChange['event'], value: unknown) {
  const validate = validators.get(shape) ?? validatorOf(`ledger-${shape}`, shapes[shape] ?? {}, formats);
  validators.set(shape, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params, message = 'is wrong' }) => {
    const members = instancePath.slice(1).replaceAll('/', ' › ').replaceAll('~1', '/').replaceAll('~0', '~');
    const extra = keyword === 'additionalProperties' ? ` (${params.additionalProperty})` : '';
    return `${members === '' ? 'the whole' : members} ${message}${extra}`;
  });
}

export function isJournalRecord(value: unknown): value is JournalRecord {
  const { event } = Object(value) as { event?: LedgerChange['event'] };
  return event !== undefined && Object.hasOwn(changes, event) && shapeProblems(event, value).length === 0;
}

/** Members as in the schema, maps and lists sorted: equal ledgers have equal texts. */
export function serializeLedger(ledger: Ledger) {
  return `${JSON.stringify(ordered(ledger, ledgerShape), null, 2)}\n`;
}

function ordered(value: unknown, { properties, additionalProperties, items }: Schema): unknown {
  if (Array.isArray(value) && items !== undefined) {
    // Every list of a ledger is a set.
    const members = [...new Set<unknown>(value)].map((item) => ordered(item, items));
    return members.sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>(Object.entries(value));
  const names = properties === undefined ? [...members.keys()].sort() : Object.keys(properties);
  const inner = typeof additionalProperties === 'object' ? additionalProperties : {};
  return Object.fromEntries(
    names
      .filter((name) => members.get(name) !== undefined)
      .map((name) => [name, ordered(members.get(name), properties?.[name] ?? inner)]),
  );
}

/** Of an unconfirmed create, its address and temporary name. */
function sortKey(item: unknown) {
  if (typeof item !== 'object' || item === null) return String(item);
  const { address, nonce } = item as UnconfirmedCreate;
  return `${address}\n${nonce}`;
}
