/** What differs for one wanted object: readable fields three ways, secrets by digest. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { diff, hasTemporaryName, onChangeOf } from '../../resources/diff';
import {
  type FieldValues,
  type Found,
  isReference,
  type ResourceDefinition,
  sameValue,
} from '../../resources/kind';

import type { LedgerObject } from '../ledger/ledger';
import type { Context } from './context';
import type { PlannedChange } from './plan';
import type { Why } from './steps';

export interface ObjectChanges {
  readonly update: readonly PlannedChange[];
  readonly replace: readonly PlannedChange[];
  /** Secrets that exist and were never written by us, so nobody can compare them. */
  readonly unverified: readonly string[];
  /** Secrets that were written and whose value is not at hand now. */
  readonly notCompared: readonly string[];
}

/** Plain desired values: what the diff compares. */
export function plainInputs(entry: Pick<DesiredEntry, 'inputs'>): FieldValues {
  const plain: Record<string, FieldValues[string]> = {};
  for (const [field, value] of Object.entries(entry.inputs)) {
    if (!isReference(value)) plain[field] = value;
  }
  return plain;
}

/** Compares the entry with what is observed, and says which side moved where the ledger knows. */
export function objectChanges(
  context: Context,
  definition: ResourceDefinition,
  entry: DesiredEntry,
  observed: FieldValues,
  ledger: LedgerObject | null,
): ObjectChanges {
  const { profile } = context.desired;
  const update: PlannedChange[] = [];
  const replace: PlannedChange[] = [];
  for (const change of diff(definition, plainInputs(entry), observed, profile)) {
    const planned = threeWay(change, ledger);
    (change.onChange === 'update' ? update : replace).push(planned);
  }
  const unverified: string[] = [];
  const notCompared: string[] = [];
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
  return { update, replace, unverified, notCompared };
}

function threeWay(change: ReturnType<typeof diff>[number], ledger: LedgerObject | null): PlannedChange {
  const baseline = ledger?.values[change.field];
  const elsewhere = baseline !== undefined && !sameValue(baseline, change.from);
  const conflict = elsewhere && !sameValue(baseline, change.to);
  return {
    field: change.field,
    ...(change.from === undefined ? {} : { from: change.from }),
    to: change.to,
    ...(elsewhere ? { baseline } : {}),
    ...(conflict ? { conflict: true } : {}),
    ...(change.risk === null ? {} : { risk: change.risk }),
  };
}

/** A temporary name goes even where the manifest leaves the name out. */
export function leftoverName({ inputs }: DesiredEntry, found: Found): readonly PlannedChange[] {
  if (!hasTemporaryName(found) || 'name' in inputs) return [];
  return [{ field: 'name', from: found.values.name ?? null, to: null }];
}

/** The change of what the ledger remembers of protection. */
export function protectionChange(from: boolean, to: boolean): readonly PlannedChange[] {
  return from === to ? [] : [{ field: 'protect', from, to, local: true }];
}

/** The risks of changes, each once, secrets and fields alike. */
export function risksOf(changes: readonly PlannedChange[]): readonly string[] {
  return [...new Set(changes.flatMap((one) => (one.risk === undefined ? [] : [one.risk])))];
}

/** Why a set of changes is there: a conflict outweighs somebody else's change, that outweighs an edit. */
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
