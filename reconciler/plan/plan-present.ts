/** Plans a wanted object that exists: nothing, an update in place, an adoption, or a replacement. Pure. */

import type { DesiredEntry } from '../../manifest/desired';
import type { Found } from '../../resources/kind';
import { personNeeded } from '../connecting';
import { bareStep } from './draft';
import { hasTemporaryName } from './look-alikes';
import { objectChanges, plainInputs, reasonOf } from './object-changes';
import type { PlannedChange } from './plan';
import { planPredecessor } from './plan-predecessor';
import { planReplace } from './plan-replace';
import { moveNeeds, problem, risksOf, type Subject } from './subject';

/** Adds what the object needs to be as the manifest says; fields that never change in place stop an adoption. */
export function planPresent(subject: Subject, found: Found): void {
  const { context, draft, definition, entry, claim } = subject;
  const adopting = claim === null;
  const changes = objectChanges(context, definition, entry, found.values, claim?.object ?? null);
  // What no ledger holds is not ours to destroy, so it cannot be replaced either.
  if (claim === null && changes.replace.some((one) => one.secret === undefined)) {
    for (const one of changes.replace.filter((change) => change.secret === undefined)) {
      problem(
        subject,
        'cannot-adopt',
        `${found.id} cannot be adopted as it is: its ${one.field} is ${JSON.stringify(one.from)}, and this field never changes in place. Correct the manifest, or name another id`,
        entry.fieldsAt[one.field] ?? entry.idAt,
      );
    }
    return;
  }
  const holder = [...draft.objects].find(([, state]) => state.id === found.id)?.[0];
  if (holder !== undefined) {
    const message = `${found.id} is taken by ${holder} in this plan: one object cannot be two addresses`;
    problem(subject, 'id-claimed-twice', message, entry.idAt);
    return;
  }
  draft.objects.set(entry.address, { state: 'present', id: found.id });
  addNotes(subject, found, changes.unverified, changes.notCompared);
  if (!adopting && changes.replace.length > 0) {
    planReplace(subject, found, changes.replace, [...changes.update, ...protection(subject)]);
    return;
  }
  const update = [...changes.update, ...leftoverName(entry, found), ...protection(subject)];
  if (claim !== null) {
    planPredecessor(subject, claim.object, {
      because: `${found.id} took its place; its destruction was approved and then interrupted`,
      approve: null,
      needs: moveNeeds(subject),
    });
  }
  if (!adopting && update.length === 0) {
    keep(subject);
    return;
  }
  const why =
    update.length === 0 || adopting
      ? { reason: 'found' as const, because: `${found.id} exists and becomes ours` }
      : hasTemporaryName(found)
        ? { reason: 'interrupted' as const, because: 'its creation was interrupted before it got its name' }
        : reasonOf(update);
  const fields = new Set(update.filter((one) => one.local === undefined).map((one) => one.field));
  draft.steps.push({
    ...bareStep,
    id: `${adopting ? 'adopt' : 'update'} ${entry.address}`,
    action: adopting ? 'adopt' : 'update',
    kind: entry.kind,
    address: entry.address,
    key: entry.address,
    objectId: found.id,
    ...why,
    changes: update,
    risks: risksOf(update),
    needs: moveNeeds(subject),
    inputs: Object.fromEntries(Object.entries(entry.inputs).filter(([field]) => fields.has(field))),
    secrets: Object.fromEntries(Object.entries(entry.secrets).filter(([field]) => fields.has(field))),
    ...(adopting ? { unverified: Object.keys(entry.secrets).filter((field) => !fields.has(field)) } : {}),
    managed: entry.inputs,
    observed: found.values,
    file: entry.file,
    protect: subject.protect,
  });
}

/** A temporary name goes even where the manifest leaves the name out. */
function leftoverName(entry: DesiredEntry, found: Found): readonly PlannedChange[] {
  if (!hasTemporaryName(found) || 'name' in entry.inputs) return [];
  return [{ field: 'name', from: found.values.name ?? null, to: null }];
}

function protection({ claim, protect }: Subject): readonly PlannedChange[] {
  if (claim === null || claim.object.protect === protect) return [];
  return [{ field: 'protect', from: claim.object.protect, to: protect, local: true }];
}

function keep({ draft, entry, claim }: Subject): void {
  draft.unchanged.push(entry.address);
  if (claim === null) return;
  const managed = plainInputs(entry);
  const same = JSON.stringify(sorted(managed)) === JSON.stringify(sorted(claim.object.values));
  if (!same || claim.object.file !== entry.file) {
    draft.baselineRefresh.push({ key: entry.address, managed, file: entry.file });
  }
}

function sorted(values: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(values)
    .map(([field, value]) => [field, Array.isArray(value) ? [...value].sort() : value] as const)
    .sort(([one], [two]) => (one < two ? -1 : 1));
}

function addNotes(
  { context, draft, entry }: Subject,
  found: Found,
  unverified: readonly string[],
  notCompared: readonly string[],
): void {
  if (unverified.length > 0) {
    draft.notes.push({
      address: entry.address,
      code: 'secret-unverified',
      text: `secret not verified: ${unverified.join(', ')} (never written by us; --write-secrets writes what can be written)`,
    });
  }
  if (notCompared.length > 0) {
    draft.notes.push({
      address: entry.address,
      code: 'secret-not-compared',
      text: `secret not compared: ${notCompared.join(', ')} (its value is not at hand)`,
    });
  }
  const text = personNeeded(found.outputs, context.observed.address);
  if (text !== null) draft.notes.push({ address: entry.address, code: 'not-connected', text });
}
