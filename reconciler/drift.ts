/** Drift: what was changed elsewhere since the last apply, observed against the baseline in the ledger. Pure. */
import type { DesiredEntry } from '../manifest/desired';
import { itemOf } from '../observation/evidence';
import {
  type FieldValue,
  type FieldValues,
  type Key,
  type Registry,
  type ResourceDefinition,
  sameValue,
} from '../resources/kind';
import { registry as kinds } from '../resources/registry';
import type { LedgerObject } from './ledger/ledger';
import { ledgerKey } from './ledger-key';
import {
  type Context,
  definitionFor,
  knownIds,
  linkAddress,
  linkEntries,
  objectEntries,
  observationIn,
} from './plan/context';
import { contextOf } from './plan/make';
import { defaultPlanOptions, type Plan, type PlanInputs, type Step } from './plan/plan';

export interface DriftItem {
  readonly address: string;
  readonly kind: string;
  readonly objectId: string | null;
  /** `changed`: fields differ from what was applied. `gone`: proved absent. `foreign`: in an exact set, not ours. */
  readonly state: 'changed' | 'gone' | 'foreign';
  /** For changed: what it was when applied and what it is now. */
  readonly fields: readonly { readonly field: string; readonly was: FieldValue; readonly is: FieldValue }[];
  /** For gone: which reads prove it. For foreign: which exact set. */
  readonly evidence: readonly string[];
}

/** What was changed elsewhere in the organization of one folder. */
export interface DriftReport {
  readonly organization: string;
  readonly items: readonly DriftItem[];
  readonly undetermined: readonly { readonly address: string; readonly why: string }[];
  /** Manifest edits not applied yet: listed, not counted. */
  readonly pending: readonly { readonly address: string; readonly action: string }[];
  readonly problems: readonly { readonly address: string; readonly message: string }[];
}

/** What drifted. `plan` is the plan of the same inputs: it says what is pending and what an exact set covers. */
export function driftOf(inputs: PlanInputs, plan: Plan, registry: Registry = kinds): DriftReport {
  const context = contextOf(inputs, defaultPlanOptions, registry);
  const items = [
    ...ledgerDrift(context),
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

/** Every object of the ledger, the wanted ones first and in their order: a line that was dropped since undoes no change. */
function ledgerDrift(context: Context): DriftItem[] {
  const wanted = wantedKeys(context);
  const { objects } = context.ledger;
  const keys = new Set([...wanted.keys(), ...Object.keys(objects)]);
  return [...keys].flatMap((key) => {
    const object = objects[key];
    return object === undefined ? [] : driftOfObject(context, { key, object, entry: wanted.get(key) });
  });
}

/** The ledger key of each wanted object that the ledger may hold. */
function wantedKeys(context: Context): ReadonlyMap<string, DesiredEntry> {
  const { byAddress } = context.bindings;
  const idOf = (address: string): string | null => byAddress.get(address)?.object.id ?? null;
  const objects = objectEntries(context).map(
    (entry) => [byAddress.get(entry.address)?.movedFrom ?? entry.address, entry] as const,
  );
  const links = linkEntries(context).map((entry) => {
    const definition = definitionFor(context, entry);
    return [ledgerKey(definition, knownIds(definition, entry.inputs, idOf)), entry] as const;
  });
  return new Map([...objects, ...links]);
}

interface Held {
  readonly key: string;
  readonly object: LedgerObject;
  /** Absent where no manifest wants it any more. */
  readonly entry: DesiredEntry | undefined;
}

/** Of a wanted object, only the fields that its manifest still manages count; a link's are its identity. */
function driftOfObject(context: Context, { key, object, entry }: Held): DriftItem[] {
  const definition = definitionFor(context, object);
  const isLink = definition.pair.length > 0;
  const ids = isLink ? pairIds(definition, object) : { id: object.id };
  const unwanted = isLink ? linkAddress(context, definition, object.values) : key;
  const base = { address: entry?.address ?? unwanted, kind: object.kind, objectId: object.id };
  const observation = observationIn(context, definition, ids, object.id);
  if (observation.state === 'unknown') return [];
  if (observation.state === 'missing') {
    const lists = observation.evidence.map((ref) => `${ref.name}: read whole, without it`);
    const item = itemOf({ definition, key: ids, id: object.id }) ?? '';
    const shown = { missing: [`${item}: answers "not found"`], present: [`${item}: its page is without it`] };
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
  const fields = isLink
    ? []
    : changedFields(object.values, observation.found.values, entry?.inputs ?? object.values);
  return fields.length === 0 ? [] : [{ ...base, state: 'changed', fields, evidence: [] }];
}

function pairIds({ pair }: ResourceDefinition, { values }: LedgerObject): Key {
  return Object.fromEntries(pair.map((field) => [field, String(values[field])]));
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
