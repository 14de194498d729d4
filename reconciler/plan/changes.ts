/** What differs for one wanted object: readable fields three ways, secrets by digest. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { diff, type FieldChange, hasTemporaryName, onChangeOf } from '../../resources/diff';
import { type FieldValues, type Found, isReference, sameValue } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import type { ObjectTask } from './object-task';
import type { PlannedChange } from './plan';
import type { Why } from './steps';

export interface ObjectChanges {
  readonly update: readonly PlannedChange[];
  /** Not empty: only another object can have these values. */
  readonly replace: readonly PlannedChange[];
  /** Secrets that exist and were never written by us. */
  readonly unverified: readonly string[];
  /** Secrets that were written and whose value is not at hand now. */
  readonly notCompared: readonly string[];
}

/** The desired values without references: what the diff compares. */
export function plainInputs({ inputs }: Pick<DesiredEntry, 'inputs'>): FieldValues {
  const plain = Object.entries(inputs).flatMap(([field, value]) =>
    isReference(value) ? [] : [[field, value] as const],
  );
  return Object.fromEntries(plain);
}

/** Compares the entry with what is observed, and says which side moved where the ledger knows. */
export function objectChanges(
  { context, definition, entry, held, about }: ObjectTask,
  found: Found,
): ObjectChanges {
  const { profile } = context.desired;
  const update: PlannedChange[] = [];
  const replace: PlannedChange[] = [];
  const unverified: string[] = [];
  const notCompared: string[] = [];
  for (const change of diff(definition, plainInputs(entry), found.values, profile)) {
    (change.onChange === 'update' ? update : replace).push(threeWay(change, held));
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    if (!field.writeOnly || !(name in entry.secrets)) continue;
    const state = context.secrets[entry.address]?.[name] ?? 'not-compared';
    const onChange = onChangeOf(field, profile);
    const risk = field.risk?.(undefined, undefined) ?? null;
    const planned = { field: name, ...(risk === null ? {} : { risk }) };
    if (state === 'changed' || state === 'new')
      (onChange === 'update' ? update : replace).push({ ...planned, secret: state });
    else if (context.options.writeSecrets && onChange === 'update') {
      update.push({ ...planned, secret: state === 'same' ? 'changed' : 'unverified' });
    } else if (state === 'unverified') unverified.push(name);
    else if (state === 'not-compared') notCompared.push(name);
  }
  // A temporary name goes even where the manifest leaves the name out.
  if (replace.length === 0 && hasTemporaryName(found) && !('name' in entry.inputs)) {
    update.push({ field: 'name', from: found.values.name ?? null, to: null });
  }
  if (held !== null && held.protect !== about.protect) {
    update.push({ field: 'protect', from: held.protect, to: about.protect, local: true });
  }
  return { update, replace, unverified, notCompared };
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

/** True when `--write-secrets` can write one of these fields: not what this service only takes in a create. */
export function canWriteSecret({ context, definition }: ObjectTask, fields: readonly string[]): boolean {
  const { profile } = context.desired;
  return fields.some((name) => {
    const field = definition.fields[name];
    return field?.writeOnly === true && onChangeOf(field, profile) === 'update';
  });
}

/** Each once. */
export function risksOf(changes: readonly PlannedChange[]): readonly string[] {
  return [...new Set(changes.flatMap(({ risk }) => risk ?? []))];
}

/** A conflict outweighs somebody else's change, that outweighs an edit. */
export function reasonOf(changes: readonly PlannedChange[]): Why {
  const secrets = new Set(changes.flatMap(({ local, secret }) => (local ? [] : [secret])));
  if (changes.some((one) => one.conflict))
    return ['conflict', 'the manifest and somebody else changed it; the manifest wins'];
  if (changes.some((one) => 'baseline' in one))
    return ['changed-elsewhere', 'somebody changed it since the last apply'];
  if (secrets.size === 0) return ['protection-changed', 'its protection changes in the ledger'];
  if (secrets.size === 1 && secrets.has('unverified'))
    return ['secret-unverified', 'its secrets are written because --write-secrets was given'];
  if (!secrets.has(undefined) && !secrets.has('new'))
    return ['secret-changed', 'the value of a secret changed'];
  return ['manifest-changed', 'the manifest changed'];
}
