/** What manifests ask for, as plain values with their places. */
import type { DesiredValues, Position, SecretSource } from '../resources/kind';
import type { ExternalKind } from '../resources/names';
import type { Profile } from '../resources/profile';

/** One wanted object: a map entry, a single link line, or one member of an exact set. */
export interface DesiredEntry {
  readonly kind: string;
  /** `OAuthClient/github`, `RunTrigger/<target>/<source>`, by alias where one exists, else by id. */
  readonly address: string;
  /** Relative to the folder, with forward slashes; the ledger remembers it. */
  readonly file: string;
  readonly at: Position;
  /** Of every field that is written; none of a link, which is its line. */
  readonly fieldsAt: Readonly<Record<string, Position>>;
  /** Managed fields only, by code name, aliases as ids; write-only ones are in `secrets`. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Of an existing object to adopt. */
  readonly id?: string;
  readonly idAt?: Position;
  /** Null where the line is left out: what the ledger remembers stays. */
  readonly protect: boolean | null;
  readonly allowDuplicate: boolean;
}

/** "Exactly these": links of `kind` with these `fixed` fields that no entry wants are deleted. */
export interface ExactSet {
  readonly kind: string;
  /** One end of the pair: `{ workspaceId: 'ws-app' }`, `{ oauthClientId: { address: 'OAuthClient/github' } }`. */
  readonly fixed: DesiredValues;
  /** `the sources of app`. */
  readonly label: string;
  readonly file: string;
  readonly at: Position;
}

/** A line under `approved:`, bound to one object, or one state of one ledger, so that it can approve nothing else later. */
export type Approval = ObjectApproval | LimitApproval;

/** Destroying or replacing the object with that id. */
export interface ObjectApproval {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
  readonly at?: Position;
}

/** Up to so many deletes, or missing objects, in a plan from that serial of that ledger. */
export interface LimitApproval {
  readonly action: 'deletes' | 'missing';
  readonly count: number;
  readonly serial: number;
  /** Its beginning: a new ledger counts its serials anew. Absent before the first apply, and good for any where a line leaves it out. */
  readonly lineage?: string;
  readonly at?: Position;
}

/** As a manifest writes it: `{ deletes: 8, serial: 3, lineage: 5f0c6a1e-93b2 }`. */
export function approvalLine(line: Approval): string {
  if (!('serial' in line)) return `{ ${line.action}: ${line.address}, id: ${line.id} }`;
  const { action, count, serial, lineage } = line;
  return `{ ${action}: ${count}, serial: ${serial}${lineage === undefined ? '' : `, lineage: ${lineage}`} }`;
}

/** What a name of a workspace, project or agent pool means. */
export interface Lookup {
  /** Null while it is not known. */
  readonly id: string | null;
  /** Why nobody can tell; else what to say of the name, or empty. */
  readonly why: string;
  /** What it cannot mean: those that have another name in the ledger, and still have it. */
  readonly others: readonly string[];
  /** Its id at the last apply, where it is another one's name now. */
  readonly was?: string;
}

/** What the manifests of a folder ask for. */
export interface Manifests {
  /** Absolute; file names of entries and of secrets are relative to it. */
  readonly folder: string;
  readonly organization: string;
  /** The first line that names it; undefined where only the flag does. */
  readonly organizationAt: Position | undefined;
  readonly profile: Profile;
  /** The text of the `profile:` line (a name or a file), or the flag's. */
  readonly profileName: string;
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  /** Alias → id. */
  readonly aliases: Readonly<Record<ExternalKind['aliases'], Readonly<Record<string, string>>>>;
  /** With `lookupByName`, every name and alias in use, by `workspace/app` (also the address of a reference to what nobody can tell), and where it is first. */
  readonly named: ReadonlyMap<string, Lookup & { readonly at: Position }>;
  /** By id: its alias, else its name or the id as they are written, and where that is first. */
  readonly written: ReadonlyMap<string, { readonly as: string; readonly at: Position }>;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly at: Position }[];
  readonly forget: readonly { readonly address: string; readonly at: Position }[];
  readonly approved: readonly Approval[];
}

/** Where an address ends after all moves from it; one of a circle stays in it. */
export function endOfMoves(moves: Manifests['moved'], address: string): string {
  const next = new Map(moves.map(({ from, to }) => [from, to]));
  let end = address;
  for (let steps = 0; steps < moves.length && next.has(end); steps += 1) end = next.get(end) ?? end;
  return end;
}

/** What follows the kind in an address: `github`, `app/network`. */
export function nameInAddress(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}

/** True for the names of files that are looked for in folders. */
export function isManifestName(name: string): boolean {
  return /\.tether\.(?:yaml|yml|json)$/.test(name);
}
