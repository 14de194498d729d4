/** The ledger: what Tether manages, as one small document. design.md, "The ledger". */
import { randomUUID } from 'node:crypto';
import type { FieldValues } from '../../resources/kind';

/** An OAuth client has `values`; a link's values are its key. */
export interface LedgerObject {
  /** Absent for a link without an id of its own. */
  readonly id?: string;
  /** By the service's clock: what is younger than two minutes is never taken for missing. */
  readonly createdAt?: string;
  /** The readable fields that were last applied. */
  readonly values?: FieldValues;
  /** By write-only field, `scrypt:…` of the value last written; absent where that is unknown. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Ids of predecessors that a replacement has not deleted yet. */
  readonly retiring?: readonly string[];
}

/** A create whose answer did not arrive. */
export interface Pending {
  /** The service's time before the POST, ISO 8601. */
  readonly attemptedAt: string;
  /** The readable fields that were sent. */
  readonly values: FieldValues;
  readonly digests: Readonly<Record<string, string>>;
  /** Ids of equal clients that existed before. */
  readonly existing: readonly string[];
}

export interface Ledger {
  readonly version: 2;
  readonly organization: string;
  /** Made with the first save, never changed: another one is another ledger. Empty before. */
  readonly lineage: string;
  /** Grows with each save; 0 before the first. */
  readonly serial: number;
  /** By address (clients) or by ids (links): `RunTrigger/ws-app/ws-network`. */
  readonly objects: Readonly<Record<string, LedgerObject>>;
  /** By address. */
  readonly pending: Readonly<Record<string, Pending>>;
}

/** What a report says of the ledger. */
export interface LedgerHead {
  /** `tether.ledger.json`, `s3://bucket/key`. */
  readonly place: string;
  readonly lineage: string;
  readonly serial: number;
  /** How many objects it holds. */
  readonly objects: number;
}

export function headOf({ lineage, serial, objects }: Ledger, place: string): LedgerHead {
  return { place, lineage, serial, objects: Object.keys(objects).length };
}

/** The ledger before the first save: it has no lineage, so that two plans of it are equal. */
export function emptyLedger(organization: string): Ledger {
  return { version: 2, organization, lineage: '', serial: 0, objects: {}, pending: {} };
}

/** The ledger as it is to be saved next. */
export function nextSerial(ledger: Ledger): Ledger {
  return { ...ledger, lineage: ledger.lineage || randomUUID(), serial: ledger.serial + 1 };
}
