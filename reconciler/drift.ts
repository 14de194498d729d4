/** What was changed elsewhere since the last apply: observed against the baseline in the ledger. Pure. */
import type { DesiredEntry } from '../manifest/desired';
import { itemOf } from '../observation/evidence';
import { type FieldValue, type Registry, sameValue } from '../resources/kind';
import { registry as kinds } from '../resources/registry';
import type { LedgerObject } from './ledger/ledger';
import { heldKey } from './ledger-key';
import { Context, type PlanInputs } from './plan/context';
import type { Plan, Step } from './plan/plan';
import { withoutReplaced } from './plan/steps';

export interface DriftItem {
  readonly address: string;
  readonly kind: string;
  readonly objectId: string | null;
  /** `changed`: fields differ from what was applied. `gone`: proved absent. `unmanaged`: in an exact set, not ours. */
  readonly state: 'changed' | 'gone' | 'unmanaged';
  /** Of `changed`: as it was applied, and now. */
  readonly fields: readonly { readonly field: string; readonly was: FieldValue; readonly is: FieldValue }[];
  /** Of `gone`: which reads prove it. Of `unmanaged`: which exact set. */
  readonly evidence: readonly string[];
  /** It is as the manifests want it already: an apply that was interrupted may have done it. */
  readonly asDesired?: true;
}

export interface DriftReport {
  readonly organization: string;
  readonly items: readonly DriftItem[];
  readonly unknown: Plan['unknown'];
  /** Manifest edits not applied yet, and what creates of ours left (`leftover` says which): listed, not counted. */
  readonly pending: readonly (Pick<Step, 'address' | 'action'> & { readonly leftover?: string })[];
  readonly problems: readonly Pick<Plan['problems'][number], 'address' | 'message'>[];
}

/** `plan`, of the same inputs, says what is pending and what an exact set covers. */
export function driftOf(inputs: PlanInputs, plan: Plan, registry: Registry = kinds): DriftReport {
  const context = new Context(inputs, {}, registry);
  const unmanaged = plan.steps.filter((step) => step.action === 'delete' && step.unmanaged);
  const items = [...ledgerDrift(context), ...unmanaged.map(unmanagedItem)];
  const drifted = new Set(items.map((item) => item.address));
  return {
    organization: plan.organization,
    items,
    // What waits to be made again is known to be gone.
    unknown: plan.unknown.filter(({ address }) => !drifted.has(address)),
    pending: withoutReplaced(plan.steps)
      .filter(({ address }) => !drifted.has(address))
      .map(pendingOf),
    problems: plan.problems.map(({ address, message }) => ({ address, message })),
  };
}

/** Every object of the ledger, the wanted ones first and in their order: a line that was dropped since undoes no change. */
function ledgerDrift(context: Context): DriftItem[] {
  const { bindings, objectEntries, linkEntries } = context;
  const { objects } = context.ledger;
  const keyOf = (address: string) => bindings.byAddress.get(address)?.movedFrom ?? context.keyOf(address);
  const wanted = new Map([...objectEntries, ...linkEntries].map((entry) => [keyOf(entry.address), entry]));
  const keys = new Set([...wanted.keys(), ...Object.keys(objects)]);
  return [...keys].flatMap((key) => {
    const object = objects[key];
    return object === undefined ? [] : driftOfObject(context, key, object, wanted.get(key));
  });
}

/** Of a wanted object the fields count that its manifest still manages; a link's are its identity. */
function driftOfObject(
  context: Context,
  key: string,
  object: LedgerObject,
  entry: DesiredEntry | undefined,
): DriftItem[] {
  const { id, kind, values } = object;
  const definition = context.definition(kind);
  const item = { address: entry?.address ?? context.addressOf(key), kind, objectId: id };
  const observation = context.observeHeld(object);
  if (observation.state === 'unknown') return [];
  if (observation.state === 'missing') {
    const shownIn = itemOf({ definition, key: heldKey(definition, object), id }) ?? '';
    const show = context.observed.shows[shownIn];
    const evidence = observation.evidence.map(({ name }) => `${name}: read whole, without it`);
    if (show === 'missing') evidence.push(`${shownIn}: answers "not found"`);
    if (show === 'present') evidence.push(`${shownIn}: its page is without it`);
    const renamed = context.renamedEnd(key);
    if (renamed !== undefined) evidence.push(renamed);
    const isUnwanted = !entry && !renamed && context.unknownEnd(kind, values) === undefined;
    return [{ ...item, state: 'gone', fields: [], evidence, ...(isUnwanted ? { asDesired: true } : {}) }];
  }
  if (definition.pair.length > 0) return [];
  const managed = entry?.inputs ?? values;
  const fields = Object.entries(values).flatMap(([field, was]) => {
    const is = observation.found.values[field];
    return !(field in managed) || is === undefined || sameValue(was, is) ? [] : [{ field, was, is }];
  });
  if (fields.length === 0) return [];
  const isDesired = fields.every(({ field, is }) => sameValue(entry?.inputs[field], is));
  return [{ ...item, state: 'changed', fields, evidence: [], ...(isDesired ? { asDesired: true } : {}) }];
}

/** A second object of a create whose answer was lost is ours, and nobody's edit. */
function pendingOf({ address, action, objectId, reason, because }: Step): DriftReport['pending'][number] {
  if (action !== 'cleanup' && reason !== 'duplicate') return { address, action };
  const isNamed = objectId === undefined || address.endsWith(objectId);
  return { address, action, leftover: isNamed ? because : `${objectId}: ${because}` };
}

function unmanagedItem({ address, kind, objectId, because }: Step): DriftItem {
  return { address, kind, objectId: objectId ?? null, state: 'unmanaged', fields: [], evidence: [because] };
}
