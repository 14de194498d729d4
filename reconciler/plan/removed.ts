/** Plans what the ledger holds and the manifests do not want any more, row by row of the table in docs/architecture.md. Pure. */
import type { Key, ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { heldKey } from '../ledger-key';
import { planPredecessor } from './cleanup';
import {
  allLinks,
  type Context,
  canonicalAddress,
  definitionFor,
  isLateArrival,
  linkAddress,
  observationIn,
} from './context';
import type { PlannedLinks } from './links';
import { approvalFor, type ObjectStates } from './object-task';
import type { Plan, Step } from './plan';
import { type About, buildStep, duplicateStep, type Findings, joinFindings } from './steps';

interface Removed {
  readonly context: Context;
  readonly about: About;
  readonly object: LedgerObject;
  readonly definition: ResourceDefinition;
}

/** `planned`: ids of links that exact sets deal with. */
export function planRemoved(
  context: Context,
  states: ObjectStates,
  { wanted, unseen }: Pick<PlannedLinks, 'wanted' | 'unseen'>,
  planned: ReadonlySet<string>,
): Findings {
  const { bindings, desired, ledger } = context;
  const forgotten = new Set(
    desired.forget.flatMap(({ address }) => [address, canonicalAddress(context, address)]),
  );
  const isForgotten = ({ about: { address, key } }: Removed): boolean =>
    forgotten.has(address) || forgotten.has(key);
  const contested = contestedKeys(context);
  const all = Object.entries(ledger.objects).map(([key, object]): Removed => {
    const definition = definitionFor(context, object);
    const { kind, file, protect, values } = object;
    const address = definition.pair.length > 0 ? linkAddress(context, definition, values) : key;
    return { context, about: { kind, address, key, file, protect }, object, definition };
  });
  const leaving = all.filter(
    ({ about: { key }, definition: { pair } }) =>
      pair.length === 0 &&
      !bindings.boundKeys.has(key) &&
      !states.has(key) &&
      (!contested.has(key) || forgotten.has(key)),
  );
  // Links of an object that goes, or gives way to another, go with it.
  const goneWith = new Set([
    ...leaving.flatMap(({ object: { id, replaces = id } }) => [id, replaces]),
    ...renewedIds(context, states),
  ]);
  const stopped = stoppedIds(context, states, contested);
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
      const why = Object.values(one.object.values).flatMap((id) => stopped.get(String(id)) ?? [])[0];
      return why === undefined
        ? planRemovedLink(one, successorOf(one, unseen))
        : leftUnknown(one, `it waits: ${why}`);
    }),
  ]);
}

/** A wanted link with one end in common that is left alone: a mistyped id or a missing right must not cost the link that is there. */
function successorOf({ object, definition }: Removed, unseen: PlannedLinks['unseen']): string | undefined {
  const isShared = (ids: Key): boolean =>
    definition.pair.some((field) => ids[field] === object.values[field]);
  return unseen.find(({ kind, ids }) => kind === object.kind && isShared(ids))?.address;
}

/** The ledger keys of objects that would move to an address with a problem, each with that address. */
function contestedKeys({ bindings }: Context): ReadonlyMap<string, string> {
  return new Map([...bindings.clashes].flatMap(([end, { from }]) => from.map((key) => [key, end] as const)));
}

/** Old ids of objects that this plan creates again or replaces, or whose replacement it ends. */
function renewedIds({ bindings }: Context, states: ObjectStates): readonly string[] {
  return [...states].flatMap(([address, { state }]) => {
    const { id, replaces } = bindings.byAddress.get(address)?.object ?? {};
    return [replaces, state === 'pending' ? id : undefined].filter((one) => one !== undefined);
  });
}

/** Why the objects with these ids, and so their links, are stopped. */
function stoppedIds(
  { ledger }: Context,
  states: ObjectStates,
  contested: ReadonlyMap<string, string>,
): ReadonlyMap<string | null | undefined, string> {
  const stopped = [...states.values()].filter(({ state }) => state === 'stopped');
  return new Map([
    ...stopped.map(({ id, why = 'what it refers to is not planned' }) => [id, why] as const),
    ...[...contested].map(([key, end]) => [ledger.objects[key]?.id, `${end} has a problem`] as const),
  ]);
}

function letGo({ about, object: { id, replaces } }: Removed): Partial<Findings> {
  const both = replaces === undefined ? 'it' : `it and ${replaces}, which it was to replace,`;
  const why = ['told-to-forget', `a \`forget\` line lets ${both} go; nothing is touched`] as const;
  return { steps: [buildStep('forget', about, why, { objectId: id })] };
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
  const { address, kind, key } = about;
  const ids = heldKey(definition, object);
  const observation = observationIn(context, definition, ids, object.id);
  if (observation.state === 'unknown') return leftUnknown(removed, observation.why);
  const others = (allLinks(context, definition, ids) ?? []).filter(({ id }) => id !== object.id);
  const isOurs = observation.state === 'present' && observation.found.id === object.id;
  if (isOurs && successor !== undefined) {
    return leftUnknown(removed, `it waits: ${successor}, which may be meant in its place, is not planned`);
  }
  const step = isOurs ? deleteStep(removed, { observed: observation.found.values }) : forgetMissing(removed);
  if (isLateArrival(context, kind, key)) {
    return { steps: [...others.map((other) => duplicateStep(about, other, ids, 'late')), step] };
  }
  const notes: Plan['notes'] = others.map(({ id }) => ({
    address,
    code: 'still-there',
    text: `${id}, made by somebody else, still links this pair`,
  }));
  return { steps: [step], notes };
}
