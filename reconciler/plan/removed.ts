/** Plans what the ledger holds and nobody wants any more, row by row of the table in docs/architecture.md. */
import { grouped } from '../../resources/groups';
import type { FieldValue, FieldValues } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { heldKey } from '../ledger-key';
import type { Context } from './context';
import type { PlannedLinks } from './links';
import { type ObjectStates, planPredecessor } from './object-task';
import type { Step } from './plan';
import { buildStep, deleteDuplicates, type Findings, joinFindings, leaveAlone, type Why } from './steps';

type Removed = ReturnType<typeof removedFrom>;

function removedFrom(context: Context, [key, object]: readonly [string, LedgerObject]) {
  const { kind, file, protect } = object;
  const about = { kind, address: context.addressOf(key), key, file, protect };
  return { context, about, object, definition: context.definition(kind) };
}

/** `planned`: ids of links that exact sets deal with. */
export function planRemoved(
  context: Context,
  states: ObjectStates,
  { wanted, unseen }: Pick<PlannedLinks, 'wanted' | 'unseen'>,
  planned: ReadonlySet<string>,
): Findings {
  const { desired } = context;
  const { boundKeys, contested } = context.bindings;
  const held = Object.entries(context.ledger.objects);
  const leaving = held
    .filter(
      ([key, { kind }]) =>
        !context.isLink(kind) && !boundKeys.has(key) && (!contested.has(key) || context.isLetGo(key)),
    )
    .map((one) => removedFrom(context, one));
  // Links of an object that goes, or gives way to another, go with it.
  const goneWith = new Set<FieldValue>([
    ...leaving.flatMap(({ object: { id, replaces = id } }) => [id, replaces]),
    ...renewedIds(context, states),
  ]);
  const waiting = new Map<FieldValue, string>();
  for (const { id, why } of states.values()) if (id !== null && why !== undefined) waiting.set(id, why);
  for (const [key, { id, replaces = id }] of held) {
    const end = contested.get(key);
    if (end !== undefined) for (const one of [id, replaces]) waiting.set(one, `${end} has a problem`);
  }
  const unwanted = held
    .filter(([key, { id, kind }]) => context.isLink(kind) && !wanted.has(key) && !planned.has(id))
    .map((one) => removedFrom(context, one));
  const leftAround = grouped(
    (desired.forget.length === 0 ? [] : unwanted).flatMap(({ object }) =>
      Object.values(object.values).map((end) => [String(end), object] as const),
    ),
  );
  const linksOf = (id: string) => leftAround.get(id)?.length ?? 0;
  const successors = grouped(
    unseen.flatMap(({ kind, address, ids }) => endsIn(kind, ids).map((end) => [end, address] as const)),
  );
  const objects = leaving.map((one) =>
    context.isLetGo(one.about.key) ? letGo(one, linksOf(one.object.id)) : planRemovedObject(one),
  );
  const links = unwanted.flatMap((one) => {
    const { about, object } = one;
    const ends = Object.values(object.values);
    if (ends.some((end) => goneWith.has(end))) return [];
    if (context.isLetGo(about.key)) return letGo(one, 0);
    const [why] = ends.flatMap((end) => waiting.get(end) ?? []);
    return why === undefined
      ? planRemovedLink(one, successorOf(one, successors))
      : leaveAlone(about.address, `it waits: ${why}`);
  });
  const parts = [...objects, ...links];
  const isDeleted = ({ steps = [] }: Findings) =>
    steps.some(({ reason }) => reason === 'removed-from-manifest');
  return joinFindings([...parts, parts.some(isDeleted) ? { notes: [wayOut] } : {}]);
}

const wayOut = {
  address: '',
  code: 'removed',
  text: 'to keep what was removed and only stop managing it, list its address under `forget:` in a manifest',
};

/** A wanted link with one end in common that is left alone: a mistyped id must not cost this one. */
function successorOf(
  { object: { kind, values } }: Removed,
  successors: ReadonlyMap<string, readonly string[]>,
) {
  return endsIn(kind, values).flatMap((end) => successors.get(end) ?? [])[0];
}

function endsIn(kind: string, values: FieldValues) {
  return Object.entries(values).map((end) => JSON.stringify([kind, ...end]));
}

/** Old ids of what this plan creates again or replaces, or whose replacement it ends. */
function renewedIds({ bindings }: Context, states: ObjectStates) {
  return [...states].flatMap(([address, { step }]) => {
    const { id, replaces } = bindings.byAddress.get(address)?.object ?? {};
    return [replaces, step === undefined ? undefined : id].filter((one) => one !== undefined);
  });
}

/** `links`: how many the ledger holds of it. */
function letGo({ about, object: { id, replaces } }: Removed, links: number): Findings {
  const both = replaces === undefined ? 'it' : `it and ${replaces}, which it was to replace,`;
  const along =
    links === 0 ? '' : ` with ${links === 1 ? 'the link' : `the ${links} links`} that the ledger holds of it`;
  const why: Why = ['forget-line', `a \`forget\` line lets ${both} go${along}; nothing is touched`];
  return { steps: [buildStep('forget', about, why, { objectId: id })] };
}

function forgetMissing({ about, object }: Removed, needs: readonly string[] = []) {
  const why: Why = ['already-gone', 'no longer in the manifests, and already deleted'];
  return buildStep('forget', about, why, { objectId: object.id, needs });
}

function deleteStep({ context, about, object }: Removed, more: Partial<Step>) {
  const why: Why = context.options.destroy
    ? ['destroy', 'destroy was asked for']
    : ['removed-from-manifest', 'no longer in the manifests'];
  return buildStep('delete', about, why, { objectId: object.id, managed: object.values, ...more });
}

function planRemovedObject(removed: Removed): Findings {
  const { context, about, object } = removed;
  const observation = context.observeHeld(object);
  if (observation.state === 'unknown') return leaveAlone(about.address, observation.why);
  // First what it replaced, while the ledger still knows that.
  const because = `${object.id} took its place, and neither is wanted any more`;
  const old = planPredecessor(removed, object, { because, approve: 'destroy' });
  if (old.unknown !== undefined) return old;
  const { steps: first = [] } = old;
  const needs = first.map((step) => step.id);
  const step =
    observation.state === 'missing'
      ? forgetMissing(removed, needs)
      : deleteStep(removed, {
          needs,
          observed: observation.found.values,
          approval: context.approval('destroy', about.address, object.id),
        });
  return { steps: [...first, step] };
}

function planRemovedLink(removed: Removed, successor: string | undefined): Findings {
  const { context, about, object, definition } = removed;
  const { address, kind, key } = about;
  const observation = context.observeHeld(object);
  if (observation.state === 'unknown') return leaveAlone(address, observation.why);
  const isOurs = observation.state === 'present' && observation.found.id === object.id;
  if (isOurs && successor !== undefined) {
    return leaveAlone(address, `it waits: ${successor}, which may be meant in its place, is not planned`);
  }
  const step = isOurs ? deleteStep(removed, { observed: observation.found.values }) : forgetMissing(removed);
  const ids = heldKey(definition, object);
  const others = (context.found(definition, ids) ?? []).filter(({ id }) => id !== object.id);
  const [ours, rest] = context.lateArrivals(kind, key, others);
  const notes = rest.map(({ id }) => ({
    address,
    code: 'still-there',
    text: `${id}, made by somebody else, still links this pair`,
  }));
  return { steps: [...deleteDuplicates(about, ours, ids, true), step], notes };
}
