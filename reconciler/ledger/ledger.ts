/** The ledger's content: what we made or adopted, and what we last applied. Never a secret. */
import type { FieldValues } from '../../resources/kind';

/** One object that is ours. */
export interface LedgerObject {
  readonly kind: string;
  /** `oc-…`, `rt-…`; for an attachment `<client id>/<project id>`. */
  readonly id: string;
  /** Manifest it came from, relative to the ledger's folder, for messages; null after an export. */
  readonly file: string | null;
  /** Managed, readable fields as last applied. For links: the pair. */
  readonly values: FieldValues;
  /** Digest by write-only field, as last written (reconciler/ledger/digest.ts). */
  readonly digests: Readonly<Record<string, string>>;
  /** Write-only fields that the entry had when the object was adopted and that we have not written since; absent where there are none. */
  readonly unverified?: readonly string[];
  readonly protect: boolean;
  /** The object this one replaced and that is still to be destroyed. */
  readonly replaces?: string;
  /** The object this one replaced and that is gone, for a hint when an `id:` still names it. */
  readonly replaced?: string;
}

/** A create that was begun and not finished. */
export interface PendingIntent {
  readonly kind: string;
  readonly nonce: string;
  /** Digest of the inputs it was sent with, secrets included; salted with the nonce. */
  readonly hash: string;
}

/** A nonce (or a link's pair) under which something may still appear after its answer was lost. */
export interface Tombstone {
  readonly kind: string;
  readonly address: string;
  /** The name for clients; for links the canonical key. */
  readonly nonce: string;
  /** ISO 8601; old ones are dropped when an apply ends. */
  readonly since: string;
}

/** The ledger of a folder. */
export interface Ledger {
  readonly version: 1;
  readonly organization: string;
  /** Random id of this history; another lineage is another ledger. Empty before the first apply. */
  readonly lineage: string;
  /** Grows with every apply that changed something. */
  readonly serial: number;
  /** Id of the journal taken in last, so that one that outlived its folding is recognised; absent before the first. */
  readonly journal?: string;
  /** By ledger key: the address for objects with an id of their own, `<kind>/<id>/<id>` by ids for links. */
  readonly objects: Readonly<Record<string, LedgerObject>>;
  /** By ledger key. */
  readonly pending: Readonly<Record<string, PendingIntent>>;
  readonly tombstones: readonly Tombstone[];
}

/** The ledger of a folder that nothing was applied to yet. */
export function emptyLedger(organization: string): Ledger {
  return { version: 1, organization, lineage: '', serial: 0, objects: {}, pending: {}, tombstones: [] };
}

/** One thing that happened, as journaled while `apply` runs and folded into the ledger afterwards. */
export type JournalRecord =
  | { readonly at: string; readonly event: 'intent'; readonly key: string; readonly intent: PendingIntent }
  | { readonly at: string; readonly event: 'late'; readonly tombstone: Tombstone }
  /** The object as it is now; ends a pending intent of that key. */
  | { readonly at: string; readonly event: 'object'; readonly key: string; readonly object: LedgerObject }
  /** Gone or let go; ends a pending intent of that key too. */
  | { readonly at: string; readonly event: 'removed'; readonly key: string }
  | { readonly at: string; readonly event: 'moved'; readonly from: string; readonly to: string };
