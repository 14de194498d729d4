/** The content of one folder's manifests as plain values. */
import type { DesiredValues, Position, SecretSource } from '../resources/kind';
import type { Lookups, NameLookup } from '../resources/names';
import type { Profile } from '../resources/profile';
import type { LedgerPlace } from './ledger-place';

export interface DesiredEntry {
  readonly kind: string;
  /** An address such as `RunTrigger/app/network`. It holds the alias of an end, else its name or id. */
  readonly address: string;
  readonly at: Position;
  /** It is empty for a link. */
  readonly fieldsAt: Readonly<Record<string, Position>>;
  /** Write-only fields are in `secrets`, and lists of links in `sets`. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** The id of an existing object to adopt, or to move here. */
  readonly id?: string;
  readonly idAt?: Position;
  /** Ids of possible matches that this object may stand beside. */
  readonly allowDuplicate: readonly string[];
}

/** Every other link of `kind` with this fixed end is deleted, whoever made it. */
export interface ExactSet {
  readonly kind: string;
  /** `{ workspaceId: 'ws-app' }`: one end of the pair. */
  readonly fixed: DesiredValues;
  /** Messages show it, such as `the sources of app`. */
  readonly label: string;
  readonly at: Position;
}

/** An approval names one id, so it can approve nothing else later. */
export interface Approval {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
  readonly at?: Position;
}

/** Writes `{ destroy: OAuthClient/old, id: oc-1 }`. Two approvals with the same line are the same (`guards.ts`). */
export function approvalLine({ action, address, id }: Approval): string {
  return `{ ${action}: ${address}, id: ${id} }`;
}

export interface Manifests {
  /** An absolute path. */
  readonly folder: string;
  readonly organization: string;
  readonly organizationAt: Position;
  /** It is null for `tether.ledger.json` in the folder. */
  readonly ledger: LedgerPlace | null;
  /** Addresses of one service. A ledger of one of them may be used at another. */
  readonly addresses: readonly string[];
  readonly profile: Profile;
  /** A built-in name, or the path of a file. */
  readonly profileName: string;
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  /** The names in place of ids. The keys look like `workspace/app`, and entries hold the key of an unknown name. */
  readonly nameReferences: ReadonlyMap<string, NameLookup & { readonly at: Position }>;
  /** It is null before a run has looked names up. */
  readonly lookups: Lookups | null;
  /** The alias of each id, else its name. The keys are ids. */
  readonly namesById: ReadonlyMap<string, { readonly name: string }>;
  /** `text` is the address as the manifest spells it. */
  readonly forget: readonly { readonly address: string; readonly text: string; readonly at: Position }[];
  readonly approved: readonly Approval[];
}

/** The part of an address after the kind: `github`, `app/network`. */
export function nameInAddress(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}
