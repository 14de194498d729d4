/** What was changed elsewhere since the last apply: observed against the baseline in the ledger. Pure. */
import { itemOf } from '../../observation/evidence';
import {
  type FieldValue,
  type FieldValues,
  type Key,
  listName,
  type ResourceDefinition,
  sameValue,
} from '../../resources/kind';

import { registry as kinds, type Registry } from '../../resources/registry';

import type { PlanInputs } from '../inputs';
import type { LedgerObject } from '../ledger/ledger';
import { ledgerKey } from '../ledger-key';
import {
  type Context,
  definitionFor,
  knownIds,
  linkEntries,
  objectEntries,
  observationIn,
} from '../plan/context';
import { contextOf } from '../plan/make';
import { defaultPlanOptions } from '../plan/options';
import type { Plan, Step } from '../plan/plan';
import type { DriftItem, DriftReport } from './drift';

/** What drifted. `plan` is the plan of the same inputs: it says what is pending and what an exact set covers. */
export function driftOf(inputs: PlanInputs, plan: Plan, registry: Registry = kinds): DriftReport {
  const context = contextOf(inputs, defaultPlanOptions, registry);
  const items = [
    ...objectDrift(context),
    ...linkDrift(context),
    ...plan.steps.filter((step) => step.action === 'delete' && step.foreign).map(foreignItem),
  ];
  const drifted = new Set(items.map((item) => item.address));
  return {
    organization: plan.organization,
    items,
    undetermined: plan.undetermined,
    pending: plan.steps
      .filter((step) => !drifted.has(step.address))
      .map((step) => ({ address: step.address, action: step.action })),
    problems: plan.problems.map(({ address, message }) => ({ address, message })),
  };
}

function objectDrift(context: Context): DriftItem[] {
  return objectEntries(context).flatMap((entry) => {
    const object = context.claims.byAddress.get(entry.address)?.object;
    if (object === undefined) return [];
    const definition = definitionFor(context, entry);
    return driftOfObject(
      context,
      definition,
      { id: object.id },
      { object, address: entry.address },
      entry.inputs,
    );
  });
}

function linkDrift(context: Context): DriftItem[] {
  return linkEntries(context).flatMap((entry) => {
    const definition = definitionFor(context, entry);
    const ids = knownIds(
      definition,
      entry.inputs,
      (address) => context.claims.byAddress.get(address)?.object.id ?? null,
    );
    const object = context.ledger.objects[ledgerKey(definition, ids)];
    return object === undefined
      ? []
      : driftOfObject(context, definition, ids, { object, address: entry.address }, null);
  });
}

interface Subject {
  readonly object: LedgerObject;
  readonly address: string;
}

/** `managed`: only these fields of the baseline count; null for links, whose fields are their identity. */
function driftOfObject(
  context: Context,
  definition: ResourceDefinition,
  ids: Key,
  { object, address }: Subject,
  managed: Readonly<Record<string, unknown>> | null,
): DriftItem[] {
  const observation = observationIn(context, definition, ids, object.id);
  const base = { address, kind: object.kind, objectId: object.id };
  if (observation.state === 'undetermined') return [];
  if (observation.state === 'absent') {
    const lists = observation.evidence.map((ref) => `${listName(ref)}: read whole, without it`);
    const item = itemOf({ definition, key: ids, id: object.id }) ?? '';
    const shown = { absent: [`${item}: answers "not found"`], present: [`${item}: its page is without it`] };
    const show = context.observed.shows[item];
    return [
      {
        ...base,
        state: 'gone',
        fields: [],
        evidence: [...lists, ...(show === undefined ? [] : shown[show])],
      },
    ];
  }
  const fields = managed === null ? [] : changedFields(object.values, observation.found.values, managed);
  return fields.length === 0 ? [] : [{ ...base, state: 'changed', fields, evidence: [] }];
}

function changedFields(
  baseline: FieldValues,
  observed: FieldValues,
  managed: Readonly<Record<string, unknown>>,
): { field: string; was: FieldValue; is: FieldValue }[] {
  return Object.entries(baseline).flatMap(([field, was]) => {
    const is = observed[field];
    return !(field in managed) || is === undefined || sameValue(was, is) ? [] : [{ field, was, is }];
  });
}

function foreignItem(step: Step): DriftItem {
  return {
    address: step.address,
    kind: step.kind,
    objectId: step.objectId ?? null,
    state: 'foreign',
    fields: [],
    evidence: [step.because],
  };
}
