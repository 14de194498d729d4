/** Plans what the ledger holds and the manifests do not want any more, row by row of the table in docs/architecture.md. Pure. */
import type { Key, ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { approvalFor } from './checks';
import {
  allLinks,
  type Context,
  canonicalAddress,
  definitionFor,
  linkAddress,
  objectEntries,
  observationIn,
  pairOf,
} from './context';
import { duplicateStep, isLateArrival, type PlannedLinks } from './links';
import type { PlannedObjects } from './objects';
import type { Plan, Step } from './plan';
import { planPredecessor } from './replace';
import type { PlannedSets } from './sets';
import { type About, aboutHeld, buildStep, type Findings, joinFindings } from './steps';

interface Removed {
  readonly context: Context;
  readonly about: About;
  readonly object: LedgerObject;
  readonly definition: ResourceDefinition;
}

/** What becomes of it: let go, deleted, forgotten because it is missing, or left alone. */
export function planRemoved(
  context: Context,
  { objects }: PlannedObjects,
  { wanted, unseen }: PlannedLinks,
  { planned }: PlannedSets,
): Findings {
  const { bindings, desired, ledger } = context;
  const forgotten = new Set(
    desired.forget.flatMap(({ address }) => [address, canonicalAddress(context, address)]),
  );
  const isForgotten = ({ about: { address, key } }: Removed): boolean =>
    forgotten.has(address) || forgotten.has(key);
  const contested = contestedKeys(context);
  const wantedObjects = new Set(objectEntries(context).map((entry) => entry.address));
  const all = Object.entries(ledger.objects).map(([key, object]): Removed => {
    const definition = definitionFor(context, object);
    const isLink = definition.pair.length > 0;
    const address = isLink ? linkAddress(context, definition, object.values) : key;
    return { context, about: aboutHeld(object, key, address), object, definition };
  });
  const leaving = all.filter(
    ({ about: { key }, definition: { pair } }) =>
      pair.length === 0 &&
      !bindings.boundKeys.has(key) &&
      !wantedObjects.has(key) &&
      (!contested.has(key) || forgotten.has(key)),
  );
  // Links of an object that goes, or gives way to another, go with it.
  const goneWith = new Set([
    ...leaving.flatMap(({ object: { id, replaces } }) => (replaces === undefined ? [id] : [id, replaces])),
    ...renewedIds(context, objects),
  ]);
  const stopped = stoppedIds(context, objects);
  const links = all.filter(
    ({ about: { key }, object: { id, values }, definition: { pair } }) =>
      pair.length > 0 &&
      !wanted.has(key) &&
      !planned.has(id) &&
      !Object.values(values).some((end) => typeof end === 'string' && goneWith.has(end)),
  );
  return joinFindings([
    ...leaving.map((one) => (isForgotten(one) ? letGo(one) : planRemovedObject(one))),
    ...links.map((one) => {
      if (isForgotten(one)) return letGo(one);
      const end = Object.values(one.object.values).find((id) => stopped.has(String(id)));
      if (end !== undefined) return leftUnknown(one, `it waits: ${stopped.get(String(end))}`);
      return planRemovedLink(one, successorOf(one, unseen));
    }),
  ]);
}

/** A wanted link that is left alone and that shares one end: a mistyped id, or a right that is missing, must not cost the link that is there. */
function successorOf({ object, definition }: Removed, unseen: PlannedLinks['unseen']): string | undefined {
  const isShared = (ids: Key): boolean =>
    definition.pair.some((field) => ids[field] === object.values[field]);
  return unseen.find(({ kind, ids }) => kind === object.kind && isShared(ids))?.address;
}

/** Old ids of objects that this plan creates again or replaces, or whose replacement it ends. */
function renewedIds({ bindings }: Context, objects: PlannedObjects['objects']): readonly string[] {
  return [...objects].flatMap(([address, { state }]) => {
    const { id, replaces } = bindings.byAddress.get(address)?.object ?? {};
    return [replaces, state === 'pending' ? id : undefined].filter((one) => one !== undefined);
  });
}

/** The ledger keys of objects that `moved` lines lead to an address with a problem, each with that address. */
function contestedKeys({ bindings }: Context): ReadonlyMap<string, string> {
  return new Map([...bindings.clashes].flatMap(([end, { from }]) => from.map((key) => [key, end] as const)));
}

/** Why the objects with these ids are stopped, which stops their links too. */
function stoppedIds(
  context: Context,
  objects: PlannedObjects['objects'],
): ReadonlyMap<string | undefined, string> {
  const stopped = [...objects.values()].flatMap(({ state, id, why }): [string, string][] =>
    state === 'stopped' && id !== null ? [[id, why ?? 'what it refers to is not planned']] : [],
  );
  const contested = [...contestedKeys(context)].map(
    ([key, end]) => [context.ledger.objects[key]?.id, `${end} has a problem`] as const,
  );
  return new Map([...stopped, ...contested]);
}

function letGo({ about, object }: Removed): Partial<Findings> {
  const both = object.replaces === undefined ? 'it' : `it and ${object.replaces}, which it was to replace,`;
  const why = ['told-to-forget', `a \`forget\` line lets ${both} go; nothing is touched`] as const;
  return { steps: [buildStep('forget', about, why, { objectId: object.id })] };
}

function forgetMissing({ about, object }: Removed, needs: readonly string[] = []): Step {
  const why = ['already-gone', 'it is not wanted any more, and it is gone already'] as const;
  return buildStep('forget', about, why, { objectId: object.id, needs });
}

function leftUnknown({ about: { address } }: Removed, why: string): Partial<Findings> {
  return { undetermined: [{ address, why }] };
}

function deleteStep({ context, about, object }: Removed, more: Partial<Step>): Step {
  const why = context.options.destroy
    ? (['destroy', 'destroy was asked for'] as const)
    : (['removed-from-manifest', 'it is ours, and not in the manifest any more'] as const);
  return buildStep('delete', about, why, { objectId: object.id, managed: object.values, ...more });
}

function planRemovedObject(removed: Removed): Partial<Findings> {
  const { context, about, object, definition } = removed;
  const observation = observationIn(context, definition, { id: object.id }, object.id);
  if (observation.state === 'unknown') return leftUnknown(removed, observation.why);
  // What the object replaced goes first, while the ledger still knows it.
  const old = planPredecessor(removed, object, {
    because: `${object.id} took its place, and neither is wanted any more`,
    approve: 'destroy',
    needs: [],
  });
  if (old.isUnknown) return old;
  const needs = old.steps.map((step) => step.id);
  const step =
    observation.state === 'missing'
      ? forgetMissing(removed, needs)
      : deleteStep(removed, {
          needs,
          observed: observation.found.values,
          approval: approvalFor(context, 'destroy', about.address, object.id),
        });
  return { steps: [...old.steps, step] };
}

function planRemovedLink(removed: Removed, successor: string | undefined): Partial<Findings> {
  const { context, about, object, definition } = removed;
  const ids = pairOf(definition, object.values);
  const observation = observationIn(context, definition, ids, object.id);
  if (observation.state === 'unknown') return leftUnknown(removed, observation.why);
  const others = (allLinks(context, definition, ids) ?? []).filter(({ id }) => id !== object.id);
  const isLate = isLateArrival(context, definition, about.key);
  const notes: Plan['notes'] = others.map(({ id }) => ({
    address: about.address,
    code: 'still-there',
    text: `${id}, made by somebody else, still links this pair`,
  }));
  const isOurs = observation.state === 'present' && observation.found.id === object.id;
  if (isOurs && successor !== undefined) {
    return leftUnknown(removed, `it waits: ${successor}, which may be meant in its place, is not planned`);
  }
  const step = isOurs ? deleteStep(removed, { observed: observation.found.values }) : forgetMissing(removed);
  return isLate
    ? { steps: [...others.map((other) => duplicateStep(about, other, ids, 'late')), step] }
    : { steps: [step], notes };
}
