/** The plan is plain JSON that can be shown, compared and applied. */
import type { Approval, DesiredEntry } from '../../manifest/desired';
import {
  type DesiredValues,
  type FieldValue,
  type FieldValues,
  isLink,
  type Key,
  type Position,
  type ResourceDefinition,
  type SecretSource,
} from '../../resources/kind';
import { heldIds, type Ledger, type LedgerSummary } from '../ledger/ledger';

export type Action = 'adopt' | 'create' | 'update' | 'replace' | 'delete' | 'forget' | 'move';

/** Reports show it. Some parts of the product also decide by one, so look for its uses before another takes its place. */
export type Reason =
  | 'new'
  | 'gone'
  | 'manifest-changed'
  | 'changed-elsewhere'
  | 'conflict'
  | 'secret-changed'
  | 'secret-unknown'
  | 'found'
  /** An earlier apply created it, and the answer was lost. */
  | 'taken-over'
  | 'removed-from-manifest'
  | 'not-in-exact-set'
  /** It is a further trigger of a pair. */
  | 'duplicate'
  | 'replaced'
  | 'renamed'
  | 'already-gone'
  | 'forget-line'
  | 'nothing-made'
  | 'destroy';

/** A difference of one field. For a secret, only `secret` is set and never a value. */
export interface PlannedChange {
  readonly field: string;
  readonly from?: FieldValue;
  readonly to?: FieldValue;
  /** The value last applied. It is present if somebody has changed it since. */
  readonly baseline?: FieldValue;
  readonly secret?: 'changed' | 'unknown';
  readonly risk?: string;
}

/** Every step has these members. */
interface StepBase {
  /** A unique text, such as `create OAuthClient/github`. */
  readonly id: string;
  readonly kind: string;
  /** The address that a user writes, such as `RunTrigger/app/network`. */
  readonly address: string;
  /** The key in the ledger. If a link's client does not exist yet, the client's address replaces its id. */
  readonly key: LedgerKey;
  readonly reason: Reason;
  /** The reason as a sentence, without a full stop. */
  readonly because: string;
  /** The id of the object. It is absent for an object to create, and for a link without an id of its own. */
  readonly objectId?: string;
  /** The ids of steps that must be done before this one. */
  readonly needs: readonly string[];
  /** The ids of steps that must have ended before this one, done or not. */
  readonly after?: readonly string[];
}

/** A step of an OAuth client that may send values. */
interface SendingStep extends StepBase {
  /** The values that are sent. An update sends only the changed ones. */
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly changes: readonly PlannedChange[];
  /** The values that the ledger records when the step is done. */
  readonly values: DesiredValues;
  readonly risks: readonly string[];
}

/** A step that ends an OAuth client, or replaces it by another. */
interface EndingStep extends StepBase {
  readonly objectId: string;
  /** The values that the plan saw. If the client has other values, the step is refused. */
  readonly observed: FieldValues;
  /** The line that allows the step. `given` is true if a manifest has it. */
  readonly approval: Approval & { readonly given: boolean };
  /** Ids of projects and names of workspaces that lose a client with this step. */
  readonly affected: readonly string[];
  readonly risks: readonly string[];
}

export interface CreateClientStep extends SendingStep {
  readonly action: 'create';
  /** The ids of equal clients that exist before a create. */
  readonly existing: readonly string[];
  /** The predecessors of the address when the step is done. */
  readonly retiring: readonly string[];
}

export interface ReplaceClientStep extends SendingStep, EndingStep {
  readonly action: 'replace';
  readonly objectId: string;
  readonly existing: readonly string[];
  readonly retiring: readonly string[];
  readonly risks: readonly string[];
}

/** An adoption has `createdAt` and `retiring`, and an update keeps those of the ledger. */
export interface UpdateClientStep extends SendingStep {
  readonly action: 'update' | 'adopt';
  readonly objectId: string;
  /** It is absent if nothing is sent because the ledger alone changes. */
  readonly observed?: FieldValues;
  readonly createdAt?: string;
  readonly retiring?: readonly string[];
}

export interface MoveClientStep extends StepBase {
  readonly action: 'move';
  readonly objectId: string;
  /** The earlier address. */
  readonly from: string;
  readonly values: DesiredValues;
  readonly retiring: readonly string[];
}

export interface DeleteClientStep extends EndingStep {
  readonly action: 'delete';
}

/** Without `objectId`, it drops an earlier create. `retiring` has the predecessors that stay in the ledger. */
export interface ForgetClientStep extends StepBase {
  readonly action: 'forget';
  readonly retiring?: readonly string[];
}

export interface MakeLinkStep extends StepBase {
  readonly action: 'create' | 'adopt';
  readonly inputs: DesiredValues;
}

export interface MoveLinkStep extends StepBase {
  readonly action: 'move';
  readonly inputs: DesiredValues;
  /** The earlier key. */
  readonly from: string;
}

export interface DeleteLinkStep extends StepBase {
  readonly action: 'delete';
  /** An exact set deletes a link that the ledger does not have. */
  readonly unmanaged?: true;
  /** The exact set that deletes an unmanaged link, if the ledger has no link of it yet. */
  readonly newSet?: string;
}

export interface ForgetLinkStep extends StepBase {
  readonly action: 'forget';
}

export type ClientStep =
  | CreateClientStep
  | ReplaceClientStep
  | UpdateClientStep
  | MoveClientStep
  | DeleteClientStep
  | ForgetClientStep;

export type LinkStep = MakeLinkStep | MoveLinkStep | DeleteLinkStep | ForgetLinkStep;

export type Step = ClientStep | LinkStep;

export function isClientStep(step: Step): step is ClientStep {
  return !isLink(step.kind);
}

/** The names of the members that steps of any action have. */
export type StepMember = MemberOf<Step>;

type MemberOf<Variant> = Variant extends Variant ? keyof Variant : never;

type ValueIn<Variant, Name> = Variant extends Variant
  ? Name extends keyof Variant
    ? Variant[Name]
    : never
  : never;

/** Returns a member of a step of any action, and nothing if steps of that action lack it. */
export function readMember<Name extends StepMember>(step: Step, name: Name): ValueIn<Step, Name> | undefined {
  return (step as { readonly [Member in Name]?: ValueIn<Step, Name> })[name];
}

/** Returns the action that a user reads. An adoption that writes to the object is an update. */
export function shownAction(step: Step): Action {
  const { action } = step;
  return action === 'adopt' && (readMember(step, 'changes') ?? []).length > 0 ? 'update' : action;
}

/** The parts of a link's pair, or the one name of an object: `['RunTrigger', 'ws-app', 'ws-network']`. */
export type LedgerKey = readonly [kind: string, ...parts: string[]];

/** True for the address of a client that the plan makes, which stands in a link's key until the client has an id. */
export function isAddressPart(part: string): boolean {
  return part.includes('/');
}

/** An address that is left alone: neither created, changed nor deleted. */
export interface LeftAlone {
  readonly address: string;
  /** The reason as a whole sentence. */
  readonly message: string;
  /** A line for the manifest that ends this state. */
  readonly line?: string | undefined;
  /** The address of another object that is left alone, or an unknown name, because of which this one is. */
  readonly cause?: string | undefined;
  readonly at?: Position | undefined;
}

export type LeaveDetails = Omit<LeftAlone, 'address' | 'message'> & {
  /** The object that is left alone, where that is not the one at the address. */
  readonly subject?: string;
};

export function leftAlone(
  address: string,
  why: string,
  { subject = address, ...more }: LeaveDetails = {},
): LeftAlone {
  return { address, message: `${subject} is left alone, because ${why}.`, ...more };
}

/** A problem that the user must solve. The rest of the plan does not wait for it. */
export interface Problem extends LeftAlone {
  readonly rule:
    | 'possible-match'
    | 'create-pending'
    | 'several-made'
    | 'id-conflict'
    | 'id-missing'
    | 'not-shown'
    | 'cannot-adopt'
    | 'missing-fields'
    | 'secret-needed'
    | 'named-by-id'
    | 'too-many-sources'
    | 'same-object';
  /** The ids of possible matches. None of them is deleted, because one may be the client that is meant. */
  readonly matches?: readonly string[];
}

/** A reason to stop the whole apply before its first write. */
export interface Blocker {
  readonly rule: 'approval' | 'losses';
  readonly address?: string;
  readonly message: string;
  /** The line for `approved:`, or the flag to add. */
  readonly remedy: string;
}

export type Note = Pick<LeftAlone, 'address' | 'message' | 'at'>;

/** A stage of the planner tells the user these beside its result. */
export type Findings = Pick<Plan, 'problems' | 'unknown' | 'notes'>;

export interface Plan {
  readonly organization: string;
  /** The base URL of the service. */
  readonly address: string;
  readonly profileName: string;
  readonly ledger: LedgerSummary;
  /** The steps in the order of display. Each comes after those that it needs. */
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  /** Objects that are left alone, because they cannot be observed or wait, or because a name or line names nothing. */
  readonly unknown: readonly LeftAlone[];
  readonly blockers: readonly Blocker[];
  /** The deletes and missing objects that count, and how many this plan may have without a flag. */
  readonly losses: { readonly count: number; readonly limit: number };
  readonly notes: readonly Note[];
  /** The number of declared objects without a step. */
  readonly unchanged: number;
  /** Clients that are as declared while the ledger has other values. An apply records these, and writes nothing to the service. */
  readonly toRecord: readonly ToRecord[];
}

export interface ToRecord {
  readonly address: string;
  readonly objectId: string;
  readonly values: FieldValues;
}

/** Names an object alike in two plans of one organization, of whose name the service ignores the case. */
export function sharedName({ address, organization }: Plan, key: string): string {
  return `${address} ${organization.toLowerCase()} ${key}`;
}

/** Names the objects that a plan changes, or only those that it deletes. New clients have no name. */
export function changedObjects(plan: Plan, only?: 'delete'): readonly string[] {
  const keys = plan.steps.flatMap(({ action, kind, key, objectId }) => {
    // The delete of a replaced client is a step of its own.
    if (action === 'forget' || action === 'replace' || action !== (only ?? action)) return [];
    if (isLink(kind)) return key.some(isAddressPart) ? [] : keyText(key);
    return objectId === undefined ? [] : keyText([kind, objectId]);
  });
  return keys.map((key) => sharedName(plan, key));
}

/** Names the clients that an `id:` line declares, or that the ledger has and the plan does not forget. */
export function heldClients(
  plan: Plan,
  { objects }: Pick<Ledger, 'objects'>,
  entries: readonly Pick<DesiredEntry, 'kind' | 'id'>[],
): readonly string[] {
  const forgets = plan.steps.filter((step) => isClientStep(step) && step.action === 'forget');
  const forgottenIds = forgets.flatMap((step) => {
    const isWhole = readMember(step, 'retiring')?.length === 0;
    return isWhole ? [...heldIds([objects[step.address] ?? {}])] : (step.objectId ?? []);
  });
  const recorded = Object.entries(objects).flatMap(([key, object]) => {
    const ids = [...heldIds([object])].filter((id) => !forgottenIds.includes(id));
    return ids.map((id) => ({ kind: parseKey(key)[0], id }));
  });
  return [...recorded, ...entries].flatMap(({ kind, id }) =>
    id === undefined ? [] : sharedName(plan, keyText([kind, id])),
  );
}

/** Throws for a malformed key, which a checked ledger cannot have. */
export function parseKey(text: string): LedgerKey {
  const [kind, ...parts] = text.split('/');
  if (kind === undefined || parts.length === 0) throw new Error(`not a key of a ledger: ${text}`);
  return [kind, ...parts];
}

export function keyText(key: LedgerKey): string {
  return key.join('/');
}

export function toLedgerKey({ kind, pair }: ResourceDefinition, ends: FieldValues): LedgerKey {
  return [kind, ...pair.map((field) => String(ends[field]))];
}

/** Returns the parts of a link's key. The fields are in the order of the pair. */
export function toEnds({ pair }: ResourceDefinition, key: LedgerKey): Key {
  const ends: Record<string, string> = {};
  for (const [index, field] of pair.entries()) ends[field] = key[index + 1] ?? '';
  return ends;
}
