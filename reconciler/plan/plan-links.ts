/** Plans the wanted links: adopt, create or nothing, and what an exact set does not list. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { foundAll } from '../../observation/observe';
import { type Found, isReference, type Key, type ResourceDefinition } from '../../resources/kind';

import { ledgerKey } from '../ledger-key';
import type { ById } from './address-ends';
import { type Context, definitionFor, knownIds, linkEntries, observationIn } from './context';
import { bareStep, type Draft, type ObjectState } from './draft';
import { duplicateStep, isLateArrival } from './duplicates';
import { forgetSteps, wrongEnd } from './ends-by-id';

/** Adds the wanted links to the draft; returns the ledger keys of all of them whose pair is known. */
export function planLinks(context: Context, draft: Draft): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const entry of linkEntries(context)) {
    const definition = definitionFor(context, entry);
    const blocker = stoppedReference(draft, definition, entry);
    const ids = knownIds(definition, entry.inputs, (address) => presentId(draft, address));
    const isKnown = Object.keys(ids).length === definition.pair.length;
    // Also what has to wait is wanted: without this, a client with a problem would lose its attachments.
    if (isKnown) wanted.add(ledgerKey(definition, ids));
    const byId = context.byId.get(entry);
    if (byId !== undefined) tellById(draft, entry, byId);
    if (byId?.contradicted) continue;
    const wrong = wrongEnd(context, definition, entry);
    if (wrong !== null) problem(draft, entry, 'bad-end', wrong);
    else if (blocker !== null) draft.undetermined.push({ address: entry.address, why: blocker });
    else if (isKnown) planKnownPair(context, draft, definition, entry, ids);
    else planPendingPair(draft, definition, entry);
  }
  return wanted;
}

function tellById(draft: Draft, entry: DesiredEntry, { contradicted, message }: ById): void {
  const { address, at } = entry;
  if (contradicted) problem(draft, entry, 'link-contradicted', message);
  else draft.warnings.push({ rule: 'link-by-id', severity: 'warning', message, path: address, at });
}

function problem(draft: Draft, { address, at }: DesiredEntry, rule: string, message: string): void {
  draft.problems.push({ rule, severity: 'error', message, path: address, at, address });
}

/** The id of an object that exists and stays; null while its step is still to give it one. */
export function presentId(draft: Draft, address: string): string | null {
  const state = draft.objects.get(address);
  return state?.state === 'pending' ? null : (state?.id ?? null);
}

function references(definition: ResourceDefinition, entry: DesiredEntry): string[] {
  return definition.pair.flatMap((field) => {
    const value = entry.inputs[field];
    return isReference(value) ? [value.address] : [];
  });
}

function stoppedReference(draft: Draft, definition: ResourceDefinition, entry: DesiredEntry): string | null {
  const states = references(definition, entry).map((address): ObjectState | undefined =>
    draft.objects.get(address),
  );
  const stopped = states.find((state) => state === undefined || state.state === 'stopped');
  return states.length > 0 && stopped !== undefined
    ? `it waits: ${stopped.why ?? 'what it refers to is not planned'}`
    : null;
}

/** A link of an object that this plan creates or replaces: nothing of it can exist yet. */
function planPendingPair(draft: Draft, definition: ResourceDefinition, entry: DesiredEntry): void {
  const needs = references(definition, entry).flatMap((address) => draft.objects.get(address)?.step ?? []);
  draft.steps.push({
    ...createStep(definition, entry),
    key: entry.address,
    reason: 'new',
    because: 'it follows the client that this plan makes',
    needs,
    managed: entry.inputs,
  });
}

function createStep(definition: ResourceDefinition, entry: DesiredEntry) {
  return {
    ...bareStep,
    id: `create ${entry.address}`,
    action: 'create' as const,
    kind: definition.kind,
    address: entry.address,
    inputs: entry.inputs,
    file: entry.file,
  };
}

function planKnownPair(
  context: Context,
  draft: Draft,
  definition: ResourceDefinition,
  entry: DesiredEntry,
  ids: Key,
): void {
  const key = ledgerKey(definition, ids);
  const known = context.ledger.objects[key];
  if (known !== undefined) draft.inLedger.push(entry.address);
  const byId = observationIn(context, definition, ids, known?.id);
  // Ours is gone; somebody may have made another one for the pair since, where the token cannot see it.
  const observation = byId.state === 'absent' ? observationIn(context, definition, ids, undefined) : byId;
  if (observation.state === 'undetermined') {
    draft.undetermined.push({ address: entry.address, why: observation.why });
    return;
  }
  if (observation.state === 'absent') {
    if (known !== undefined && !ofVanished(draft, definition, entry)) draft.vanished.push(entry.address);
    const interrupted = context.ledger.pending[key] !== undefined;
    draft.steps.push({
      ...createStep(definition, entry),
      key,
      reason: known !== undefined ? 'gone' : interrupted ? 'interrupted' : 'new',
      because:
        known !== undefined
          ? 'it is gone: the lists that would show it do not'
          : interrupted
            ? 'its creation was interrupted'
            : 'it is in the manifest and does not exist',
      managed: ids,
    });
    return;
  }
  const all = foundAll(context.observed, definition, { ...ids, organization: context.organization }) ?? [];
  // Ours where the ledger holds one, else the oldest that any list shows.
  const chosen = all.find((found) => found.id === known?.id) ?? all[0] ?? observation.found;
  planTwins(
    context,
    draft,
    definition,
    entry,
    key,
    all.filter((found) => found.id !== chosen.id),
    ids,
  );
  const afterwards = forgetSteps(context, definition, entry);
  if (known?.id === chosen.id && afterwards.length === 0) {
    draft.unchanged.push(entry.address);
    // A link without an id of its own is all that an unfinished create of its pair could make.
    const finished = definition.idPrefix === undefined && context.ledger.pending[key] !== undefined;
    if (known.file !== entry.file || finished) {
      draft.baselineRefresh.push({ key, managed: ids, file: entry.file });
    }
    return;
  }
  draft.steps.push({
    ...bareStep,
    id: `adopt ${entry.address}`,
    action: 'adopt',
    kind: definition.kind,
    address: entry.address,
    key,
    objectId: chosen.id,
    reason: 'found',
    because:
      afterwards.length === 0
        ? `${chosen.id} exists and becomes ours`
        : 'its client is let go, and this line keeps the link',
    needs: afterwards,
    inputs: entry.inputs,
    managed: ids,
    observed: chosen.values,
    file: entry.file,
  });
}

/** An attachment whose client vanished went with it, and is not counted besides. */
function ofVanished(draft: Draft, definition: ResourceDefinition, entry: DesiredEntry): boolean {
  return references(definition, entry).some((address) => draft.vanished.includes(address));
}

/** More than one trigger for a wanted pair: the others go when our journal made them or an exact set covers them. */
function planTwins(
  context: Context,
  draft: Draft,
  definition: ResourceDefinition,
  entry: DesiredEntry,
  key: string,
  twins: readonly Found[],
  ids: Key,
): void {
  if (twins.length === 0) return;
  const late = isLateArrival(context, definition, key);
  const covered = context.desired.sets.some(
    (set) =>
      set.kind === definition.kind &&
      Object.entries(set.fixed).every(([field, value]) => ids[field] === value),
  );
  for (const twin of twins) {
    if (!late && !covered) {
      draft.notes.push({
        address: entry.address,
        code: 'twin',
        text: `${twin.id}, made by somebody else, links the same pair a second time`,
      });
      continue;
    }
    const link = { kind: definition.kind, address: entry.address, key };
    draft.steps.push(duplicateStep(link, twin, ids, late ? 'late' : 'covered'));
  }
}
