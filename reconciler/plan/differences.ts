/** How a declared client differs from the one that exists: field by field, against what was last applied too. */
import type { DesiredEntry } from '../../manifest/desired';
import { onChangeOf } from '../../resources/diff';
import { type FieldValue, isReference, sameValue } from '../../resources/kind';
import type { ClientRecord } from './bind';
import type { World } from './inputs';
import type { Note, PlannedChange, Reason } from './plan';

export interface Differences {
  readonly changes: readonly PlannedChange[];
  readonly reason: Reason;
  readonly because: string;
  /** Some of it needs another object. */
  readonly isReplacement: boolean;
  readonly notes: readonly Note[];
}

export function differences(
  world: World,
  entry: DesiredEntry,
  observed: Readonly<Record<string, FieldValue>>,
  record: ClientRecord | undefined,
): Differences {
  const { fields } = world.clientKind;
  const { profile } = world.inputs.manifests;
  const changes: PlannedChange[] = [];
  const notes: Note[] = [];
  let isReplacement = false;
  for (const [field, definition] of Object.entries(fields)) {
    const onChange = onChangeOf(definition, profile);
    const change = definition.writeOnly
      ? secretChange(world, entry, field, onChange === 'update', notes)
      : plainChange(entry, field, observed[field], record?.values?.[field]);
    if (change === undefined) continue;
    const risk = definition.risk?.(change.from, change.to) ?? null;
    changes.push(risk === null ? change : { ...change, risk });
    if (onChange === 'replace') isReplacement = true;
  }
  return { changes, ...reasonFor(changes), isReplacement, notes };
}

function plainChange(
  { inputs }: DesiredEntry,
  field: string,
  from: FieldValue | undefined,
  baseline: FieldValue | undefined,
): PlannedChange | undefined {
  const to = inputs[field];
  if (to === undefined || isReference(to) || sameValue(to, from)) return undefined;
  const isElsewhere = baseline !== undefined && !sameValue(baseline, from);
  return {
    field,
    ...(from !== undefined && { from }),
    to,
    ...(isElsewhere && { baseline }),
  };
}

/** One that was never written by Tether is written where that is possible in place; else it is taken for the one that is there. */
function secretChange(
  { inputs }: World,
  { address, secrets }: DesiredEntry,
  field: string,
  isUpdate: boolean,
  notes: Note[],
): PlannedChange | undefined {
  const source = secrets[field];
  if (source === undefined) return undefined;
  const state = inputs.secrets[address]?.[field] ?? 'unknown';
  if (state === 'same') return undefined;
  if (state === 'changed') return { field, secret: 'changed' };
  if (state === 'unknown' && isUpdate) return { field, secret: 'unknown' };
  const place =
    'fromEnv' in source ? `${source.fromEnv} is not set here` : `${source.fromFile} cannot be read here`;
  const message =
    state === 'unknown'
      ? `${field} cannot be changed in place, so the one in the manifest is taken for the one that is there.`
      : `${field} was not compared, because ${place}.`;
  notes.push({ address, message });
  return undefined;
}

function reasonFor(changes: readonly PlannedChange[]): { reason: Reason; because: string } {
  const elsewhere = changes.filter(({ baseline }) => baseline !== undefined);
  const isConflict = elsewhere.some(({ baseline, to }) => !sameValue(baseline, to));
  if (isConflict) {
    return {
      reason: 'conflict',
      because: 'the manifest changed, and somebody changed the same field elsewhere',
    };
  }
  if (elsewhere.length > 0) {
    return { reason: 'changed-elsewhere', because: 'it was changed outside Tether since the last apply' };
  }
  if (changes.every(({ secret }) => secret === 'changed')) {
    return { reason: 'secret-changed', because: 'the value of a secret changed' };
  }
  if (changes.every(({ secret }) => secret !== undefined)) {
    return {
      reason: 'secret-unknown',
      because: 'the value of a secret was never written by Tether, or its write was cut off',
    };
  }
  return { reason: 'manifest-changed', because: 'the manifest changed' };
}
