/** The plan: plain JSON that can be shown, compared and applied. */
import type { Approval } from '../../manifest/desired';
import type {
  DesiredValues,
  FieldValue,
  FieldValues,
  Key,
  Position,
  ResourceDefinition,
  SecretSource,
} from '../../resources/kind';
import type { LedgerHead } from '../ledger/ledger';

export type Action = 'adopt' | 'create' | 'update' | 'replace' | 'delete' | 'forget' | 'move';

export type Reason =
  /** In the manifest, and not on the service yet. */
  | 'new'
  | 'gone'
  | 'manifest-changed'
  | 'changed-elsewhere'
  | 'conflict'
  | 'secret-changed'
  /** Declared, and never written by Tether. */
  | 'secret-unknown'
  | 'found'
  /** Made by an apply whose answer was lost. */
  | 'taken-over'
  | 'removed-from-manifest'
  | 'not-in-exact-set'
  /** A further trigger of a pair. */
  | 'duplicate'
  /** Its successor is there. */
  | 'replaced'
  | 'renamed'
  | 'already-gone'
  | 'forget-line'
  /** A create was started, and nothing was made. */
  | 'nothing-made'
  | 'destroy';

/** A difference of one field. Of secrets only `secret` is set, never a value. */
export interface PlannedChange {
  readonly field: string;
  readonly from?: FieldValue;
  readonly to?: FieldValue;
  /** The value last applied, where somebody changed it since. */
  readonly baseline?: FieldValue;
  readonly secret?: 'changed' | 'unknown';
  /** What to know before this change. */
  readonly risk?: string;
}

export interface Step {
  /** `create OAuthClient/github`: unique in the plan. */
  readonly id: string;
  readonly action: Action;
  readonly kind: string;
  /** As a person writes it: `RunTrigger/app/network`. */
  readonly address: string;
  /** Its entry in the ledger; of a link of a client that is not there yet the end is the client's address. */
  readonly key: LedgerKey;
  readonly reason: Reason;
  /** The reason as a sentence, without a full stop. */
  readonly because: string;
  /** The object it is about, unless it is to be made. */
  readonly objectId?: string;
  /** Creates and replaces: all that is sent. Updates: what changes. Links: their ends. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly changes: readonly PlannedChange[];
  /** The values that the ledger records when it is done. */
  readonly values: DesiredValues;
  /** What the plan saw of the object; a write that finds something else is refused. */
  readonly observed?: FieldValues;
  readonly createdAt?: string;
  /** Ids of equal clients that exist before a create. */
  readonly existing?: readonly string[];
  /** The address or the key it had, for a move. */
  readonly from?: string;
  /** The predecessors that the address has when the step is done. */
  readonly retiring?: readonly string[];
  /** The names that the service gives a link's ends now: `app ← network`. */
  readonly called?: string;
  /** Ids of steps that must be done before. */
  readonly needs: readonly string[];
  /** The line that allows it, and whether a manifest has it. */
  readonly approval?: Approval & { readonly given: boolean };
  /** Nobody recorded it: an exact set deletes it. */
  readonly unmanaged?: true;
  /** The exact set that deletes it, or the first that covers it: `the sources of app`. */
  readonly set?: string;
  readonly risks: readonly string[];
}

/** The parts of a link's pair, or the one name of an object: `['RunTrigger', 'ws-app', 'ws-network']`. */
export type LedgerKey = readonly [kind: string, ...parts: string[]];

/** An address that is left alone: neither created, changed nor deleted. */
export interface LeftAlone {
  readonly address: string;
  /** A whole sentence. */
  readonly message: string;
  /** A line that ends it, to paste into a manifest. */
  readonly line?: string | undefined;
  readonly at?: Position | undefined;
}

/** What a person must solve: the rest of the plan is done without it. */
export interface Problem extends LeftAlone {
  readonly rule:
    | 'possible-match'
    | 'create-pending'
    | 'several-made'
    | 'id-conflict'
    | 'id-missing'
    | 'cannot-adopt'
    | 'missing-fields'
    | 'secret-needed'
    | 'too-many-sources'
    | 'same-object';
}

/** What stops the whole apply before its first write. */
export interface Blocker {
  readonly rule: 'approval' | 'losses';
  readonly address?: string;
  readonly message: string;
  /** The line for `approved:`, or the flag to add. */
  readonly remedy: string;
}

export interface Note {
  readonly address: string;
  readonly message: string;
}

export interface Plan {
  readonly organization: string;
  readonly profileName: string;
  readonly ledger: LedgerHead;
  /** In the order in which they are shown; each after those that it needs. */
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  /** What cannot be seen, and so is left alone. */
  readonly unknown: readonly LeftAlone[];
  readonly blockers: readonly Blocker[];
  readonly notes: readonly Note[];
  /** Declared objects for which there is nothing to do. */
  readonly unchanged: number;
}

/** Throws for a key of no such form, which no checked ledger has. */
export function parseKey(text: string): LedgerKey {
  const [kind, ...parts] = text.split('/');
  if (kind === undefined || parts.length === 0) throw new Error(`not a key of a ledger: ${text}`);
  return [kind, ...parts];
}

export function keyText(key: LedgerKey): string {
  return key.join('/');
}

export function keyOf({ kind, pair }: ResourceDefinition, ends: FieldValues): LedgerKey {
  return [kind, ...pair.map((field) => String(ends[field]))];
}

/** By field, in the order of the pair. */
export function endsOf({ pair }: ResourceDefinition, [, ...parts]: LedgerKey): Key {
  return Object.fromEntries(pair.map((field, index) => [field, parts[index] ?? '']));
}

/** The steps that a plan counts in its last line, and how many of each. */
export function countActions(steps: readonly Step[]): ReadonlyMap<Action, number> {
  const counts = new Map<Action, number>();
  for (const { action } of steps) counts.set(action, (counts.get(action) ?? 0) + 1);
  return counts;
}
