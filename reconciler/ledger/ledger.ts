/** What a ledger, its journal and its lock hold: types, strict shapes, one text. */
import Ajv from 'ajv';
import type { FieldValues } from '../../resources/kind';
import { isDigest } from './digest';

/** A managed object as it was last applied. Never a secret. */
export interface LedgerObject {
  readonly kind: string;
  /** `oc-…`, `rt-…`; for an attachment `<client id>/<project id>`. */
  readonly id: string;
  /** Its manifest, relative to the ledger's folder; null after an export. */
  readonly file: string | null;
  /** Managed, readable fields as last applied. For links: the pair. */
  readonly values: FieldValues;
  /** By write-only field, as last written. */
  readonly digests: Readonly<Record<string, string>>;
  /** Write-only fields declared at adoption and not written since. */
  readonly unverified?: readonly string[];
  readonly protect: boolean;
  /** The replaced object that is still to be destroyed. */
  readonly replaces?: string;
  /** The replaced object that was destroyed, which an `id:` may still name. */
  readonly replaced?: string;
}

/** A create that was started and not finished. */
export interface PendingIntent {
  readonly kind: string;
  /** The temporary name; for a link its ledger key. */
  readonly nonce: string;
  /** Of the inputs it was sent with, secrets included; salted with the nonce. */
  readonly hash: string;
}

/** A create whose answer was lost: its object may still appear. */
export interface UnconfirmedCreate {
  readonly kind: string;
  readonly address: string;
  readonly nonce: string;
  /** ISO 8601; old ones are dropped when an apply ends. */
  readonly since: string;
}

export interface Ledger {
  readonly version: 1;
  readonly organization: string;
  /** Random id of this history; empty before the first apply. */
  readonly lineage: string;
  /** Grows with every apply that changed something. */
  readonly serial: number;
  /** Id of the journal taken in last, which may outlive its folding. */
  readonly journal?: string;
  /** By ledger key: `<kind>/<id>/<id>` for a link, else the address. */
  readonly objects: Readonly<Record<string, LedgerObject>>;
  readonly pending: Readonly<Record<string, PendingIntent>>;
  readonly tombstones: readonly UnconfirmedCreate[];
  /** `workspace/app` → `ws-1`: what names meant at the last apply. Absent while there were none. */
  readonly names?: Readonly<Record<string, string>>;
}

export type LedgerChange =
  | { readonly event: 'intent'; readonly key: string; readonly intent: PendingIntent }
  | { readonly event: 'late'; readonly tombstone: UnconfirmedCreate }
  /** The object as it is now; ends a pending intent of that key. */
  | { readonly event: 'object'; readonly key: string; readonly object: LedgerObject }
  /** Deleted or forgotten; ends a pending intent too. */
  | { readonly event: 'removed'; readonly key: string }
  /** Deleted without ever being held. It changes the serial alone: an approval for that serial is used up. */
  | { readonly event: 'deleted'; readonly kind: string; readonly id: string }
  | { readonly event: 'moved'; readonly from: string; readonly to: string }
  | { readonly event: 'names'; readonly names: Readonly<Record<string, string>> };

/** A line of the journal; `at` in ISO 8601. */
export type JournalRecord = LedgerChange & { readonly at: string };

/** A journal's first line: its id, and the ledger that it goes on from. */
export interface JournalStart extends Pick<Ledger, 'organization' | 'lineage' | 'serial'> {
  readonly id: string;
}

export interface JournalSink {
  /** Resolves when it is on disk. Rejects, with nothing written, a contradiction. */
  append(record: JournalRecord): Promise<void>;
}

/** The process with a lock. What a system does not tell is null. */
export interface LockHolder {
  readonly host: string;
  /** Of this start of the machine. */
  readonly boot: string | null;
  /** Containers of one machine share its boot, but count their own processes. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Clock ticks since boot, unlike those of a later process of the same number. */
  readonly started: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** For people: `tether apply`. */
  readonly command: string;
  /** Random. */
  readonly token: string;
  /** Of a lock on a branch: its address in the CI system, and its group, of which nothing else runs beside it; */
  readonly job?: string;
  readonly owner?: string;
  /** the commit that its checkout was at, and the end of the lock before; */
  readonly commit?: string;
  readonly after?: string;
  /** ISO 8601, once it was released. */
  readonly ended?: string;
}

/** Of a folder that nothing was applied to yet. */
export function emptyLedger(organization: string): Ledger {
  return { version: 1, organization, lineage: '', serial: 0, objects: {}, pending: {}, tombstones: [] };
}

interface Schema {
  [keyword: string]: unknown;
  /** In the order of writing. */
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

const string = { type: 'string', minLength: 1 };
const nullableString = { type: ['string', 'null'], minLength: 1 };
const moment = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' };
const history = { organization: string, lineage: string, serial: { type: 'integer', minimum: 0 } };

function record(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

function mapOf(values: Schema): Schema {
  return { type: 'object', propertyNames: string, additionalProperties: values };
}

const ledgerObject = record(
  {
    kind: string,
    id: string,
    file: nullableString,
    values: mapOf({ type: ['string', 'boolean', 'null', 'array'], items: { type: 'string' } }),
    digests: mapOf({ type: 'string', format: 'digest' }),
    unverified: { type: 'array', items: string },
    protect: { type: 'boolean' },
    replaces: string,
    replaced: string,
  },
  ['unverified', 'replaces', 'replaced'],
);
const intent = record({ kind: string, nonce: string, hash: string });
const unconfirmed = record({ kind: string, address: string, nonce: string, since: moment });

function event(name: string, members: Record<string, Schema>) {
  return record({ at: moment, event: { const: name }, ...members });
}

const events = {
  intent: event('intent', { key: string, intent }),
  late: event('late', { tombstone: unconfirmed }),
  object: event('object', { key: string, object: ledgerObject }),
  removed: event('removed', { key: string }),
  deleted: event('deleted', { kind: string, id: string }),
  moved: event('moved', { from: string, to: string }),
  names: event('names', { names: mapOf(string) }),
} satisfies Record<LedgerChange['event'], Schema>;

const schemas = {
  ledger: record(
    {
      version: { const: 1 },
      ...history,
      journal: string,
      objects: mapOf(ledgerObject),
      pending: mapOf(intent),
      tombstones: { type: 'array', items: unconfirmed },
      names: mapOf(string),
    },
    ['journal', 'names'],
  ),
  journal: record({ at: moment, journal: { const: 1 }, id: string, ...history }),
  lock: record(
    {
      host: string,
      boot: nullableString,
      pidNamespace: nullableString,
      pid: { type: 'integer', minimum: 1 },
      started: nullableString,
      since: string,
      command: string,
      token: { type: 'string', pattern: '^[0-9a-f]{16}$' },
      job: string,
      owner: string,
      commit: { type: 'string', pattern: '^[0-9a-f]{40,64}$' },
      after: string,
      ended: string,
    },
    ['job', 'owner', 'commit', 'after', 'ended'],
  ),
  ...events,
};

let ajv: Ajv | undefined;

/** Where and how a value breaks its shape: `serial must be integer`, without the value. A record's shape is its event. */
export function shapeProblems(shape: keyof typeof schemas, value: unknown): string[] {
  ajv ??= new Ajv({ allErrors: true, allowUnionTypes: true, formats: { digest: isDigest } });
  // Each is compiled once: Ajv knows a schema that it has seen.
  if (ajv.validate(schemas[shape], value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, keyword, params, message = 'is wrong' }) => {
    const members = instancePath.slice(1).replaceAll('/', ' › ').replaceAll('~1', '/').replaceAll('~0', '~');
    const extra = keyword === 'additionalProperties' ? ` (${params.additionalProperty})` : '';
    return `${members === '' ? 'the whole' : members} ${message}${extra}`;
  });
}

export function isJournalRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null || !('event' in value)) return false;
  const name = String(value.event);
  return Object.hasOwn(events, name) && shapeProblems(name as keyof typeof events, value).length === 0;
}

/** Members as in the schema, maps and lists sorted: equal ledgers have equal texts. */
export function serializeLedger(ledger: Ledger) {
  return `${JSON.stringify(ordered(ledger, schemas.ledger), null, 2)}\n`;
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
