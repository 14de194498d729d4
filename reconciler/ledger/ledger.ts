/** The ledger is one small document that lists the objects that Tether manages. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FieldValues } from '../../resources/kind';

/** An OAuth client has `values`. A link needs none, because its key holds them. */
export interface LedgerObject {
  /** Absent for a link without an id of its own. */
  readonly id?: string;
  /** The service's time of creation. A client younger than two minutes never counts as missing. */
  readonly createdAt?: string;
  /** The readable fields that were last applied. */
  readonly values?: FieldValues;
  /** The digests of the values last written to write-only fields. A digest is absent if the value is unknown. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Ids of predecessors that a replacement has not deleted yet. */
  readonly retiring?: readonly string[];
}

export type ClientRecord = LedgerObject & { readonly id: string };

/** Returns all recorded ids, and those of predecessors. */
export function heldIds(records: Iterable<LedgerObject>): ReadonlySet<string> {
  return new Set([...records].flatMap(({ id, retiring = [] }) => [id ?? [], retiring].flat()));
}

/** A create that was started and whose answer was not recorded. */
export interface Pending {
  /** The service's time before the last POST, ISO 8601. The POST was sent at most ten seconds later. */
  readonly attemptedAt: string;
  /** The time before the first POST, if it was sent again. */
  readonly firstAttemptAt?: string;
  /** The readable fields that were sent. */
  readonly values: FieldValues;
  readonly digests: Readonly<Record<string, string>>;
  /** Ids of equal clients that existed before. */
  readonly existing: readonly string[];
}

/** Who applied, from which revision. It shows a stale checkout for what it is. */
export interface Author {
  /** The user and the host, or the URL of a CI job. */
  readonly by: string;
  /** The commit of the manifests, as the CI server names it. */
  readonly revision?: string;
}

/**
 * A reader refuses members that it does not know (`document.ts`), so an older Tether cannot read a ledger with a new one. `version` goes up when
 * an earlier document means something else.
 */
export interface Ledger {
  readonly version: 3;
  readonly organization: string;
  /** The base URL of the service that has the objects. It is empty before the first save. */
  readonly address: string;
  /** The first save creates it, and it never changes. It is empty before. */
  readonly lineage: string;
  /** The keys of all digests are derived with it, and it never changes. */
  readonly salt: string;
  /** It grows with each save. It is 0 before the first one. */
  readonly serial: number;
  /** The last apply that saved a change. `at` is its time in ISO 8601. */
  readonly lastApply?: Author & { readonly at: string };
  /** The keys are addresses of clients, and for links ids such as `RunTrigger/ws-app/ws-network`. */
  readonly objects: Readonly<Record<string, LedgerObject>>;
  /** The keys are addresses. */
  readonly pending: Readonly<Record<string, Pending>>;
}

/** The summary of a ledger for reports. */
export interface LedgerSummary {
  /** The place, such as `tether.ledger.json` or `s3://bucket/key`. */
  readonly place: string;
  readonly lineage: string;
  readonly serial: number;
  /** The number of objects in it. */
  readonly objects: number;
  readonly lastApply?: Ledger['lastApply'];
  /** The run that has the lock, if that is another one and a read shows it. */
  readonly lock?: { readonly who: string; readonly since: string } | undefined;
}

export function summarizeLedger(
  { lineage, serial, objects, lastApply }: Ledger,
  place: string,
): LedgerSummary {
  const count = Object.keys(objects).length;
  return { place, lineage, serial, objects: count, ...(lastApply && { lastApply }) };
}

/** The ledger before the first save. It has no lineage, so that two plans of it are equal. */
export function emptyLedger(organization: string): Ledger {
  const head = { version: 3, organization, address: '', lineage: '', salt: newSalt(), serial: 0 } as const;
  return { ...head, objects: {}, pending: {} };
}

/** Returns 128 random bits in base64url. */
export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

/** `address` is that of the run. Without an author, nobody is named. */
export function nextSerial({ lastApply: _, ...ledger }: Ledger, address: string, author?: Author): Ledger {
  const lineage = ledger.lineage || randomUUID();
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const next = { ...ledger, address, lineage, serial: ledger.serial + 1 };
  return author === undefined ? next : { ...next, lastApply: { at, ...author } };
}
