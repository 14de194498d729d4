/** Computes the digest of a plan. Two plans are equal if they write the same to the same service and ledger, at the same cost. Pure. */
import { createHash } from 'node:crypto';
import type { DesiredEntry } from '../manifest/desired';
import { keyText, type Plan, type PlannedChange, readMember, type Step, type StepMember } from './plan/plan';

/**
 * Returns 16 hexadecimal digits of a SHA-256. It leaves out reasons, messages, the time and the serial. Of a secret it has the reference
 * and not the value, because a review of a plan does not have the values.
 */
export function planDigest(plan: Plan, entries: readonly DesiredEntry[]): string {
  const hash = createHash('sha256');
  const { address, organization, profileName, ledger } = plan;
  // A first apply that could do nothing has saved an empty ledger.
  const lineage = ledger.objects === 0 ? '' : ledger.lineage;
  hash.update(JSON.stringify([address, organization, profileName, lineage]));
  const references = entries.flatMap((entry) =>
    Object.entries(entry.secrets).map(([field, source]) => JSON.stringify([entry.address, field, source])),
  );
  for (const text of references.sort()) hash.update(text);
  // Each text goes into the hash at once, because the texts of a large plan together need much memory.
  for (const step of plan.steps.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    hash.update(stepText(step));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The digest takes these parts of each member of a step, in this order. A new member of `Step` does not compile without its line. */
const members: { readonly [Name in StepMember]: 'left out' | ((step: Step) => unknown) } = {
  id: ({ id }) => id,
  key: ({ key }) => keyText(key),
  objectId: ({ objectId }) => objectId,
  from: (step) => readMember(step, 'from'),
  inputs: (step) => canonical(readMember(step, 'inputs') ?? {}),
  unmanaged: (step) => readMember(step, 'unmanaged'),
  approval: (step) => readMember(step, 'approval')?.given,
  values: (step) => canonical(readMember(step, 'values') ?? {}),
  retiring: (step) => readMember(step, 'retiring'),
  affected: (step) => canonical(readMember(step, 'affected')),
  changes: (step) => plainChanges(step).map(({ field, from, to }) => [field, canonical(from), canonical(to)]),
  // The id names the action and the address, and the key the kind.
  action: 'left out',
  address: 'left out',
  kind: 'left out',
  // The references to secrets are in the digest already.
  secrets: 'left out',
  // Risks follow from the changes, and from what loses the client, which is in `affected`.
  risks: 'left out',
  // A review does not depend on why and in which order a step is done.
  reason: 'left out',
  because: 'left out',
  needs: 'left out',
  after: 'left out',
  // A step is refused when the object is not as the plan saw it.
  observed: 'left out',
  createdAt: 'left out',
  existing: 'left out',
  // The limit on losses is the applying job's.
  newSet: 'left out',
};

function stepText(step: Step): string {
  // A plan that was made without secret values cannot contain an update of a secret alone.
  if (step.action === 'update' && plainChanges(step).length === 0) return '';
  const readers = Object.values(members).filter((member) => member !== 'left out');
  return JSON.stringify(readers.map((read) => read(step)));
}

function plainChanges(step: Step): readonly PlannedChange[] {
  return (readMember(step, 'changes') ?? []).filter(({ secret }) => secret === undefined);
}

/** Sorts members and lists, because the lists of this API are sets. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, member]) => [name, canonical(member)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}
