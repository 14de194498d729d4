/** What the manifests of one folder ask for, as plain values with their places. */
import type { DesiredValues, Position, SecretSource } from '../resources/kind';
import type { ExternalKind } from '../resources/names';
import type { Profile } from '../resources/profile';

/** One wanted object: an entry of a map, a single link line, or one member of an exact set. */
export interface DesiredEntry {
  readonly kind: string;
  /** `OAuthClient/github`, `RunTrigger/<target>/<source>`: by alias where there is one, else by name or id. */
  readonly address: string;
  readonly at: Position;
  /** The places of the fields that are written. A link has none, because it is its line. */
  readonly fieldsAt: Readonly<Record<string, Position>>;
  /** Managed fields by code name. Write-only ones are in `secrets`, lists of links in `sets`. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** The id of an existing object to adopt, or to move here. */
  readonly id?: string;
  readonly idAt?: Position;
  /** Ids of possible matches that this object may stand beside. */
  readonly allowDuplicate: readonly string[];
}

/** "Exactly these": every other link of `kind` with this fixed end is deleted, whoever made it. */
export interface ExactSet {
  readonly kind: string;
  /** One end of the pair: `{ workspaceId: 'ws-app' }` or `{ oauthClientId: { address: 'OAuthClient/github' } }`. */
  readonly fixed: DesiredValues;
  /** For messages: `the sources of app`. */
  readonly label: string;
  readonly at: Position;
}

/** A line under `approved:`. It is bound to one id, so it can approve nothing else later. */
export interface Approval {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
  readonly at?: Position;
}

/** The line as a manifest writes it: `{ destroy: OAuthClient/old, id: oc-1 }`. */
export function approvalLine({ action, address, id }: Pick<Approval, 'action' | 'address' | 'id'>): string {
  return `{ ${action}: ${address}, id: ${id} }`;
}

/** What the service says about a name: its id, or why nobody can tell which object is meant. */
export type Lookup = { readonly id: string } | { readonly why: string };

/** The names that the manifests use and the profile can look up, by `workspace/app`. */
export type Lookups = ReadonlyMap<string, Lookup>;

export interface Manifests {
  /** Absolute. File names in positions are relative to the working directory. */
  readonly folder: string;
  readonly organization: string;
  readonly organizationAt: Position;
  readonly profile: Profile;
  /** A built-in name, or the file that the `profile:` line or the flag names. */
  readonly profileName: string;
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  /** Alias → id. */
  readonly aliases: Readonly<Record<ExternalKind['aliases'], Readonly<Record<string, string>>>>;
  /**
   * Every name in use, by `workspace/app`, with its first place. Where nobody can tell the id, `why` is set, and the entries that use the
   * name hold a reference to that key: `{ address: 'workspace/app' }`.
   */
  readonly names: ReadonlyMap<string, { readonly at: Position; readonly why?: string }>;
  /** How a person writes an id: its alias, else its name, and the first place of that. */
  readonly written: ReadonlyMap<string, { readonly as: string; readonly at: Position }>;
  readonly forget: readonly { readonly address: string; readonly at: Position }[];
  readonly approved: readonly Approval[];
}

/** The part of an address after the kind: `github`, `app/network`. */
export function nameInAddress(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}

/** Names of files that are looked for in folders. */
export function isManifestName(name: string): boolean {
  return /\.tether\.(?:yaml|yml|json)$/.test(name);
}
