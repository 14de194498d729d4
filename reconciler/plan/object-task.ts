/** One wanted object while it is planned: what is known of it, how it differs, how it stands in the end. */
import type { DesiredEntry, ExactSet, ObjectApproval } from '../../manifest/desired';
import { diff, type FieldChange, onChangeOf } from '../../resources/diff';
import {
  type FieldValues,
  type Found,
  type Issue,
  type ResourceDefinition,
  sameValue,
} from '../../resources/kind';
import { isNonce } from '../../resources/names';
import type { LedgerObject } from '../ledger/ledger';
import type { Context, ObjectTask } from './context';
import type { PlannedChange } from './plan';
import { type About, buildStep, type Findings, leaveAlone, problem, type Why, warning } from './steps';

/** For links that refer to it: with neither `step` nor `why` it is there, and stays. */
export interface ObjectState {
  readonly id: string | null;
  /** The step that gives it its id, or another one. */
  readonly step?: string;
  /** Why this plan leaves it, and so its links, alone. */
  readonly why?: string;
  /** The ledger has it, and it was proved missing. */
  readonly isMissing?: true;
}

/** By address. */
export type ObjectStates = ReadonlyMap<string, ObjectState>;

/** The id that an object has and keeps; null while its step is still to give it one. */
export function stableId(states: ObjectStates, address: string): string | null {
  const { id = null, step } = states.get(address) ?? {};
  return step === undefined ? id : null;
}

export interface PlannedObject extends Findings {
  readonly object: ObjectState;
}

/** Nothing of the address or of its links is planned until this is solved. */
export function refuse({ entry, held }: ObjectTask, rule: string, message: string, at?: Issue['at']) {
  const object = { id: held?.id ?? null, why: `${entry.address} has a problem` };
  return { ...problem(entry, rule, message, at), object };
}

/** Nothing of the address or of its links is planned: nobody can see what is there. */
export function leaveUnknown({ entry: { address } }: ObjectTask, id: string | null, why: string) {
  return { ...leaveAlone(address, why), object: { id, why: `${address} cannot be seen` } };
}

export type ObjectChanges = ReturnType<typeof objectChanges>;

/** The entry against what is observed; the ledger shows which side moved. With any `replace`, only another object can have these values. */
export function objectChanges(task: ObjectTask, found: Found) {
  const { context, definition, entry, wanted, held, about } = task;
  const { profile } = context.desired;
  const changes = { update: [] as PlannedChange[], replace: [] as PlannedChange[] };
  for (const change of diff(definition, wanted, found.values, profile)) {
    changes[change.onChange].push(threeWay(change, held));
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    if (!(name in entry.secrets)) continue;
    const state = context.secretState(entry.address, name);
    const onChange = onChangeOf(field, profile);
    const risk = field.risk?.(undefined, undefined) ?? null;
    const planned = { field: name, ...(risk === null ? {} : { risk }) };
    const isDue = state === 'changed' || state === 'new' || state === 'needed';
    if (isDue || (context.options.writeSecrets && onChange === 'update')) {
      changes[onChange].push({ ...planned, secret: state === 'needed' ? 'new' : state });
    }
  }
  // A temporary name goes even where the manifest leaves the name out.
  if (changes.replace.length === 0 && isNonce(found.values.name) && !('name' in wanted)) {
    changes.update.push({ field: 'name', from: found.values.name ?? null, to: null });
  }
  if (held !== null && held.protect !== about.protect) {
    changes.update.push({ field: 'protect', from: held.protect, to: about.protect, local: true });
  }
  return changes;
}

function threeWay({ field, from, to, risk }: FieldChange, held: LedgerObject | null): PlannedChange {
  const baseline = held?.values[field];
  const elsewhere = baseline !== undefined && !sameValue(baseline, from);
  return {
    field,
    ...(from === undefined ? {} : { from }),
    to,
    ...(elsewhere ? { baseline } : {}),
    ...(elsewhere && !sameValue(baseline, to) ? { conflict: true } : {}),
    ...(risk === null ? {} : { risk }),
  };
}

export function risksOf(changes: readonly PlannedChange[]) {
  return [...new Set(changes.flatMap(({ risk }) => risk ?? []))];
}

/** A conflict outweighs somebody else's change, that outweighs an edit. */
export function reasonOf(changes: readonly PlannedChange[]): Why {
  const secrets = new Set(changes.flatMap(({ local, secret }) => (local ? [] : [secret])));
  const lacks = (...states: readonly PlannedChange['secret'][]) => !states.some((one) => secrets.has(one));
  if (changes.some((one) => one.conflict))
    return ['conflict', 'changed in the manifest and outside Tether; the manifest wins'];
  if (changes.some((one) => 'baseline' in one))
    return ['changed-elsewhere', 'changed outside Tether since the last apply'];
  if (secrets.size === 0) return ['protection-changed', 'its protection changes in the ledger'];
  if (lacks(undefined, 'new', 'changed'))
    return ['secret-unverified', 'its secrets are written because --write-secrets was given'];
  if (lacks(undefined, 'new')) return ['secret-changed', 'the value of a secret changed'];
  return ['manifest-changed', 'the manifest changed'];
}

interface Ending {
  because: string;
  needs?: readonly string[];
  /** More happens than the end of what was approved, so it needs approval once more. */
  approve?: ObjectApproval['action'];
}

/**
 * The delete of what an object replaced and an interrupted apply left; while nobody can see that (`unknown`), nothing else is
 * planned in its place.
 */
export function planPredecessor(
  { context, about }: { readonly context: Context; readonly about: About },
  { replaces: id }: LedgerObject,
  { because, needs = [], approve }: Ending,
): Findings {
  if (id === undefined) return {};
  const { address } = about;
  const observation = context.observe(context.definition(about.kind), { id });
  if (observation.state === 'unknown') {
    return leaveAlone(address, `whether ${id}, which it replaced, still exists: ${observation.why}`);
  }
  const isThere = observation.state === 'present';
  const step = buildStep('delete', about, ['replaced', because], {
    detail: `replaced ${id}`,
    objectId: id,
    needs,
    ...(isThere ? { observed: observation.found.values } : {}),
    ...(isThere && approve !== undefined ? { approval: context.approval(approve, address, id) } : {}),
  });
  return { steps: [step] };
}

/** Of an object that stays offered to everybody: its list of projects restricts nothing. `sets` and `links` are its own; `there`: what is observed of it, null for not known. */
export function scopeWarnings(
  { fields }: ResourceDefinition,
  entry: DesiredEntry,
  [set]: readonly ExactSet[] = [],
  links: readonly DesiredEntry[] = [],
  there: FieldValues | null,
): readonly Issue[] {
  const [name, field] = Object.entries(fields).find(([, { isScope }]) => isScope) ?? [];
  if (name === undefined) return [];
  const scope = entry.inputs[name] ?? (there === null ? null : (there[name] ?? field?.default));
  if (scope !== true || set === undefined || links.length === 0) return [];
  const message = `${entry.address} is offered to the whole organization, so ${set.label} restrict nothing: write \`${name}: false\` to offer it to them alone, or leave them out`;
  return [warning(entry, 'projects-restrict-nothing', message, set.at)];
}
