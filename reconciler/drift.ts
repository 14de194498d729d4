/** Drift: what was changed outside Tether since the last apply. */
import type { FieldValue } from '../resources/kind';
import type { LeftAlone, Plan } from './plan/plan';

export interface DriftChange {
  readonly field: string;
  /** As last applied. */
  readonly was: FieldValue | undefined;
  readonly is: FieldValue | undefined;
}

export interface DriftRow {
  readonly kind: string;
  readonly address: string;
  readonly objectId?: string;
  /** `added`: unmanaged, in an exact set. */
  readonly state: 'changed' | 'missing' | 'added';
  readonly changes: readonly DriftChange[];
  /** What proves it: `not among the inbound run triggers of ws-app`. */
  readonly evidence: readonly string[];
}

export interface DriftReport {
  readonly organization: string;
  readonly ledger: Plan['ledger'];
  readonly rows: readonly DriftRow[];
  readonly unknown: readonly LeftAlone[];
  /** Addresses of unmanaged links of the workspaces and clients that the folder names. */
  readonly unmanagedLinks: readonly string[];
  /** By kind, how many of the objects that were read no ledger entry names. */
  readonly unmanaged: Readonly<Record<string, number>>;
  /** Managed objects that are as last applied. */
  readonly unchanged: number;
}
