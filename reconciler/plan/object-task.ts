/** One wanted object while it is planned: what is known of it, and how it stands in the end. Pure. */
import { approvalLine, type DesiredEntry, type ObjectApproval } from '../../manifest/desired';
import type { Issue, ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import type { Context } from './context';
import type { Step } from './plan';
import type { About, Findings } from './steps';

/** One wanted object with all that is known of it. */
export interface ObjectTask {
  readonly context: Context;
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** What the ledger holds of it. */
  readonly held: LedgerObject | null;
  /** With the protection it has once the plan is applied: as its line says, else as the ledger remembers. */
  readonly about: About;
  /** The step that moves the object, which all others of it need. */
  readonly moveNeeds: readonly string[];
}

export type HeldTask = ObjectTask & { readonly held: LedgerObject };

/** For the links that refer to it. */
export interface ObjectState {
  /** `present`: links can be compared by id. `pending`: it has no id until its step is done. `stopped`: it will not be made by this plan. */
  readonly state: 'present' | 'pending' | 'stopped';
  readonly id: string | null;
  /** The step that gives it its id. */
  readonly step?: string;
  /** Why it is stopped. */
  readonly why?: string;
  /** The ledger has it, and it was proved missing. */
  readonly isMissing?: true;
}

/** By address. */
export type ObjectStates = ReadonlyMap<string, ObjectState>;

/** The id of an object that exists and stays; null while its step is still to give it one. */
export function presentId(states: ObjectStates, address: string): string | null {
  const state = states.get(address);
  return state?.state === 'pending' ? null : (state?.id ?? null);
}

export interface PlannedObject extends Partial<Findings> {
  readonly object: ObjectState;
}

/** Nothing of the address or of what refers to it is planned until this is solved. */
export function refuse(
  { entry: { address, at: ownAt }, held }: ObjectTask,
  rule: string,
  message: string,
  at: Issue['at'] = ownAt,
): PlannedObject {
  return {
    problems: [{ rule, severity: 'error', message, path: address, address, at }],
    object: { state: 'stopped', id: held?.id ?? null, why: `${address} has a problem` },
  };
}

/** Nothing of the address or of what refers to it is planned: nobody can see what is there. */
export function leaveUnknown(
  { entry: { address } }: ObjectTask,
  id: string | null,
  why: string,
): PlannedObject {
  return {
    undetermined: [{ address, why }],
    object: { state: 'stopped', id, why: `${address} cannot be seen` },
  };
}

/** Whether this destruction or replacement was approved, and the line that would approve it. */
export function approvalFor(
  { desired }: Context,
  action: ObjectApproval['action'],
  address: string,
  id: string,
): NonNullable<Step['approval']> {
  const given = desired.approved.some(
    (one) => one.action === action && one.address === address && one.id === id,
  );
  return { action, id, given, line: `- ${approvalLine({ action, address, id })}` };
}
