/** Computes the digest of a plan. Two plans are equal if they write the same to the same service and ledger, at the same cost. Pure. */
import { createHash } from 'node:crypto';
import type { DesiredEntry } from '../manifest/desired';
import { keyText, type Plan, type Step } from './plan/plan';

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
  const references = entries.flatMap(({ address: of, secrets }) =>
    Object.entries(secrets).map(([field, source]) => JSON.stringify([of, field, source])),
  );
  for (const text of references.sort()) hash.update(text);
  // Each text goes into the hash at once, because the texts of a large plan together need much memory.
  for (const step of plan.steps.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    hash.update(stepText(step));
  }
  return hash.digest('hex').slice(0, 16);
}

function stepText({ inputs, values, changes, ...step }: Step): string {
  const plain = changes.filter(({ secret }) => secret === undefined);
  // A plan that was made without secret values cannot contain an update of a secret alone.
  if (step.action === 'update' && plain.length === 0) return '';
  const { id, key, objectId, from, unmanaged, approval, retiring, affected } = step;
  const members = [id, keyText(key), objectId, from, canonical(inputs), unmanaged, approval?.given];
  const fields = plain.map((one) => [one.field, canonical(one.from), canonical(one.to)]);
  return JSON.stringify([...members, canonical(values), retiring, canonical(affected), fields]);
}

/** Sorts members and lists, because the lists of this API are sets. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, member]) => [name, canonical(member)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}
