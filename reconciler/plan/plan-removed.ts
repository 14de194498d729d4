/** Plans what the ledger holds and the manifests do not want any more: forget, delete, or leave alone. Pure. */
import type { Observation } from '../../observation/evidence';
import { foundAll } from '../../observation/observe';
import type { ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { approvalFor, unlinks } from './approvals';
import {
  type Context,
  canonicalAddress,
  definitionFor,
  linkAddress,
  objectEntries,
  observationIn,
} from './context';
import { bareStep, type Draft } from './draft';
import { duplicateStep, isLateArrival } from './duplicates';
import { planPredecessor } from './plan-predecessor';

interface Removed {
  readonly key: string;
  readonly address: string;
  readonly object: LedgerObject;
  readonly definition: ResourceDefinition;
}

/** `wanted`: ledger keys of wanted links. `planned`: ids that an exact set deletes already. */
export function planRemoved(
  context: Context,
  draft: Draft,
  wanted: ReadonlySet<string>,
  planned: ReadonlySet<string>,
): void {
  const forgotten = new Set(
    context.desired.forget.flatMap(({ address }) => [address, canonicalAddress(context, address)]),
  );
  const wantedObjects = new Set(objectEntries(context).map((entry) => entry.address));
  const leaving = new Set<string>();
  const links: Removed[] = [];
  for (const [key, object] of Object.entries(context.ledger.objects)) {
    const definition = definitionFor(context, object);
    if (definition.pair.length > 0) {
      const address = linkAddress(context, definition, object.values);
      links.push({ key, address, object, definition });
    } else if (!context.claims.claimedKeys.has(key) && !wantedObjects.has(key)) {
      const removed = { key, address: key, object, definition };
      if (forgotten.has(key)) planForget(draft, removed);
      else planRemovedObject(context, draft, removed);
      leaving.add(object.id);
      if (object.replaces !== undefined) leaving.add(object.replaces);
    }
  }
  const renewed = renewedIds(context, draft);
  const stopped = stoppedIds(draft);
  for (const link of links) {
    const ends = Object.values(link.object.values);
    if (wanted.has(link.key) || planned.has(link.object.id)) continue;
    if (ends.some((id) => typeof id === 'string' && (leaving.has(id) || renewed.has(id)))) continue;
    if (forgotten.has(link.address) || forgotten.has(link.key)) planForget(draft, link);
    else {
      const why = ends.map((id) => stopped.get(String(id))).find((one) => one !== undefined);
      if (why === undefined) planRemovedLink(context, draft, link);
      else draft.undetermined.push({ address: link.address, why: `it waits: ${why}` });
    }
  }
}

/** Old ids of objects that this plan creates again or replaces, or whose replacement it ends: their links go with them. */
function renewedIds(context: Context, draft: Draft): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [address, state] of draft.objects) {
    const object = context.claims.byAddress.get(address)?.object;
    if (object?.replaces !== undefined) ids.add(object.replaces);
    if (object !== undefined && state.state === 'pending') ids.add(object.id);
  }
  return ids;
}

/** Why the objects with these ids are stopped, which stops their links too. */
function stoppedIds(draft: Draft): ReadonlyMap<string, string> {
  return new Map(
    [...draft.objects.values()].flatMap(({ state, id, why }): [string, string][] =>
      state === 'stopped' && id !== null ? [[id, why ?? 'what it refers to is not planned']] : [],
    ),
  );
}

function planForget(draft: Draft, { key, address, object, definition }: Removed): void {
  draft.steps.push({
    ...bareStep,
    id: `forget ${address}`,
    action: 'forget',
    kind: definition.kind,
    address,
    key,
    objectId: object.id,
    reason: 'told-to-forget',
    because: 'a `forget` line lets it go; nothing is touched',
    file: object.file,
    protect: object.protect,
  });
}

function planGone(
  draft: Draft,
  { key, address, object, definition }: Removed,
  needs: readonly string[] = [],
): void {
  draft.steps.push({
    ...bareStep,
    id: `forget ${address}`,
    action: 'forget',
    kind: definition.kind,
    address,
    key,
    objectId: object.id,
    reason: 'already-gone',
    because: 'it is not wanted any more, and it is gone already',
    needs,
    file: object.file,
    protect: object.protect,
  });
}

function planRemovedObject(context: Context, draft: Draft, removed: Removed): void {
  const { key, address, object, definition } = removed;
  const observation = observationIn(context, definition, { id: object.id }, object.id);
  if (observation.state === 'undetermined') {
    draft.undetermined.push({ address, why: observation.why });
    return;
  }
  const needs = planPredecessorOf(context, draft, removed);
  if (needs === null) return;
  if (observation.state === 'absent') {
    planGone(draft, removed, needs);
    return;
  }
  draft.steps.push({
    ...deleteStep(context, removed, observation),
    id: `delete ${address}`,
    key,
    needs,
    risks: [unlinks(context, object.id)],
    approval: approvalFor(context, 'destroy', address, object.id),
  });
}

/** What the object replaced and what an interrupted apply left goes first, while the ledger still knows it; null when nobody can see it. */
function planPredecessorOf(
  context: Context,
  draft: Draft,
  { address, object, definition }: Removed,
): readonly string[] | null {
  const { kind, file, protect } = object;
  const entry = { kind, address, file };
  const planned = planPredecessor({ context, draft, definition, entry, protect }, object, {
    because: `${object.id} took its place, and neither is wanted any more`,
    approve: 'destroy',
    needs: [],
  });
  return planned === 'unseen' ? null : planned.steps;
}

function deleteStep(
  context: Context,
  { address, key, object, definition }: Removed,
  observation: Observation,
) {
  return {
    ...bareStep,
    action: 'delete' as const,
    kind: definition.kind,
    address,
    key,
    objectId: object.id,
    reason: context.options.destroy ? ('destroy' as const) : ('removed-from-manifest' as const),
    because: context.options.destroy
      ? 'destroy was asked for'
      : 'it is ours, and not in the manifest any more',
    managed: object.values,
    ...(observation.state === 'present' ? { observed: observation.found.values } : {}),
    file: object.file,
    protect: object.protect,
  };
}

function planRemovedLink(context: Context, draft: Draft, removed: Removed): void {
  const { address, object, definition } = removed;
  const ids = Object.fromEntries(definition.pair.map((field) => [field, String(object.values[field])]));
  const observation = observationIn(context, definition, ids, object.id);
  if (observation.state === 'undetermined') {
    draft.undetermined.push({ address, why: observation.why });
    return;
  }
  const all = foundAll(context.observed, definition, { ...ids, organization: context.organization }) ?? [];
  for (const twin of all.filter((found) => found.id !== object.id)) {
    if (isLateArrival(context, definition, removed.key)) {
      draft.steps.push(duplicateStep({ ...removed, kind: definition.kind }, twin, ids, 'late'));
      continue;
    }
    draft.notes.push({
      address,
      code: 'still-there',
      text: `${twin.id}, made by somebody else, still links this pair`,
    });
  }
  const ours = observation.state === 'present' && observation.found.id === object.id;
  if (!ours) {
    planGone(draft, removed);
    return;
  }
  draft.steps.push({ ...deleteStep(context, removed, observation), id: `delete ${address}` });
}
