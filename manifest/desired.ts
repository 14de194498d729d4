/** What manifests ask for, after validation: plain values, each with the place it came from. */
import type { Issue, Position } from '../resources/issue';
import type { Profile } from '../resources/profile';
import type { DesiredValues, SecretSource } from '../resources/values';

/** One wanted object: a map entry, a single link line, or one member of an exact set. */
export interface DesiredEntry {
  readonly kind: string;
  /** `OAuthClient/github`, `RunTrigger/<target>/<source>`, by alias where one exists, else by id. */
  readonly address: string;
  /** Manifest it stands in, relative to the root, with forward slashes; the ledger remembers it. */
  readonly file: string;
  readonly at: Position;
  /** Places of single fields, for errors about their value. */
  readonly fieldsAt: Readonly<Record<string, Position>>;
  /** Managed fields only, by code name, ids resolved through aliases; write-only fields are in `secrets`. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Id of an existing object to adopt (`id:`). */
  readonly id?: string;
  readonly idAt?: Position;
  /** Null where the line is left out: what the ledger remembers stays. */
  readonly protect: boolean | null;
  readonly allowDuplicate: boolean;
}

/** "Exactly these": links of `kind` whose `fixed` fields match and that no entry wants are deleted. */
export interface ExactSet {
  readonly kind: string;
  /** One end of the pair: `{ workspaceId: 'ws-app' }`, `{ oauthClientId: { address: 'OAuthClient/github' } }`. */
  readonly fixed: DesiredValues;
  /** For people: `the sources of app`. */
  readonly label: string;
  readonly file: string;
  readonly at: Position;
}

/** A line under `approved:`, bound to what it was given for, so that it can approve nothing else later. */
export type Approval = ObjectApproval | LimitApproval;

/** Destroying or replacing the object with that id. */
export interface ObjectApproval {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
  readonly at?: Position;
}

/** Up to so many deletes, or missing objects that are made again, in a plan that starts from that serial of the ledger. */
export interface LimitApproval {
  readonly action: 'deletes' | 'missing';
  readonly count: number;
  readonly serial: number;
  readonly at?: Position;
}

/** The line as a manifest writes it: `{ deletes: 8, serial: 3 }`. */
export function approvalLine(line: Approval): string {
  return 'serial' in line
    ? `{ ${line.action}: ${line.count}, serial: ${line.serial} }`
    : `{ ${line.action}: ${line.address}, id: ${line.id} }`;
}

export interface DesiredOrganization {
  readonly organization: string;
  readonly profile: Profile;
  /** The text of the `profile:` line (a name or a file), or the flag's. */
  readonly profileName: string;
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  /** Alias → id. */
  readonly aliases: {
    readonly workspaces: Readonly<Record<string, string>>;
    readonly projects: Readonly<Record<string, string>>;
    readonly agentPools: Readonly<Record<string, string>>;
  };
  readonly moved: readonly { readonly from: string; readonly to: string; readonly at: Position }[];
  readonly forget: readonly { readonly address: string; readonly at: Position }[];
  readonly approved: readonly Approval[];
}

/** A manifest that was read. */
export interface LoadedFile {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  readonly organization: string | null;
}

export interface Manifests {
  /** Absolute; file names of entries and of secrets are relative to it. */
  readonly folder: string;
  readonly organizations: readonly DesiredOrganization[];
  readonly files: readonly LoadedFile[];
  /** Errors and warnings, in file order; with an error, `organizations` must not be acted on. */
  readonly issues: readonly Issue[];
}

/** Where an address ends after all moves that go on from it; one of a circle stays in it. */
export function endOfMoves(moves: DesiredOrganization['moved'], address: string): string {
  const next = new Map(moves.map(({ from, to }) => [from, to]));
  let end = address;
  for (let steps = 0; steps < moves.length && next.has(end); steps += 1) end = next.get(end) ?? end;
  return end;
}

/** The address without its organization part: `acme:OAuthClient/github` → `OAuthClient/github`. */
export function splitAddress(address: string): { organization: string | null; address: string } {
  const colon = address.indexOf(':');
  const slash = address.indexOf('/');
  if (colon < 0 || (slash >= 0 && slash < colon)) return { organization: null, address };
  return { organization: address.slice(0, colon), address: address.slice(colon + 1) };
}
