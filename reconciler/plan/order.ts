/** Puts the steps in an order in which they can be done. */
import { grouped } from '../../resources/groups';
import { addressesIn } from '../../resources/kind';
import { pairOf } from '../ledger-key';
import type { Context } from './context';
import { fullTargets, limitedTarget } from './limits';
import type { Step } from './plan';

/** Where nothing else decides: bookkeeping first, what makes things before what takes them away. */
const rank: Readonly<Record<Step['action'], number>> = {
  move: 0,
  forget: 1,
  cleanup: 2,
  adopt: 3,
  create: 4,
  replace: 4,
  update: 5,
  delete: 6,
};

/** Ids of steps by something that others know of them. */
type Ids = ReadonlyMap<string, readonly string[]>;

/** Stable, with all needs of a step before it, also those that only the other steps show. `listedBeside`: see `planSets`. */
export function orderSteps(context: Context, steps: readonly Step[], listedBeside: Ids): readonly Step[] {
  return sortByNeeds(afterAdditions(withNeeds(context, steps), listedBeside));
}

function withNeeds(context: Context, steps: readonly Step[]) {
  const { pending } = context.ledger;
  const idsBy = (namesOf: (step: Step) => readonly string[]): Ids =>
    grouped(steps.flatMap((step) => namesOf(step).map((name) => [name, step.id] as const)));
  // By ledger key or temporary name.
  const cleanups = idsBy(({ action, key }) => (action === 'cleanup' ? [key] : []));
  let known: Ids | undefined;
  const creates = () => (known ??= idsBy((step) => (step.action === 'create' ? endsOf(context, step) : [])));
  const widenings = idsBy((step) =>
    step.objectId && changesScope(context, step, true) ? [step.objectId] : [],
  );
  const beforeReplacing = new Set(steps.flatMap(({ action, needs }) => (action === 'replace' ? needs : [])));
  const makingRoom = fullTargets(context, steps);
  const named = (ids: Ids, names: readonly unknown[]) =>
    names.flatMap((one) => (typeof one === 'string' ? (ids.get(one) ?? []) : []));

  const needsOf = (step: Step) => {
    const { id, action, reason, address, objectId, managed } = step;
    // The old object goes when all that refers to the new one is there, but at once if a replacement waits for it.
    if (reason === 'replaced') return beforeReplacing.has(id) ? [] : named(creates(), [address]);
    if (action === 'update' || action === 'adopt') {
      // Attach before the scope narrows.
      return changesScope(context, step, false) ? named(creates(), [address, objectId]) : [];
    }
    if (!context.isLink(step.kind)) return [];
    // Detach after the scope widened.
    if (action === 'delete') return named(widenings, Object.values(managed));
    return action === 'create' ? named(makingRoom, [limitedTarget(context, step)?.name]) : [];
  };
  // What ends an unfinished create in the ledger comes after the cleanup of what that create left.
  const cleanedBefore = ({ action, key, movedFrom = key }: Step) =>
    action === 'create' || action === 'replace' || action === 'cleanup'
      ? []
      : named(cleanups, [pending[key]?.nonce, pending[movedFrom]?.nonce]);

  return steps.map((step) => {
    const more = [...cleanedBefore(step), ...needsOf(step)];
    return more.length === 0 ? step : { ...step, needs: [...new Set([...step.needs, ...more])] };
  });
}

/** The ids of a link's ends, and the addresses of all that the step refers to. */
function endsOf(context: Context, { kind, inputs }: Step) {
  return [...addressesIn(inputs), ...Object.values(pairOf(context.definition(kind), inputs))];
}

/** Whether the step offers the object to everybody, or no longer does. */
function changesScope(context: Context, step: Step, to: boolean) {
  const { fields } = context.definition(step.kind);
  return step.changes.some((one) => fields[one.field]?.isScope && one.to === to && one.from === !to);
}

/** A member of an exact set goes when what is added to the set is there, or first where that would be a circle. */
function afterAdditions(steps: readonly Step[], listedBeside: Ids) {
  if (listedBeside.size === 0) return steps;
  const creates = new Map(
    steps.flatMap(({ action, address, id }) => (action === 'create' ? [[address, id] as const] : [])),
  );
  const bySet = new Map(
    [...new Set(listedBeside.values())].map((listed) => [
      listed,
      listed.flatMap((address) => creates.get(address) ?? []),
    ]),
  );
  const additions = ({ id }: Step) => bySet.get(listedBeside.get(id) ?? []) ?? [];
  const waiting = grouped(
    steps.flatMap((step) => [...step.needs, ...additions(step)].map((need) => [need, step.id] as const)),
  );
  return steps.map((step) => {
    const added = additions(step);
    if (added.length === 0) return step;
    const later = allWaiting(waiting, step.id);
    return { ...step, needs: [...new Set([...step.needs, ...added.filter((id) => !later.has(id))])] };
  });
}

function allWaiting(waiting: Ids, id: string) {
  const found = new Set([id]);
  for (const one of found) for (const other of waiting.get(one) ?? []) found.add(other);
  return found;
}

/** Depth first, without recursion: chains of needs can be as long as the plan. */
function sortByNeeds(steps: readonly Step[]) {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const stack = [...steps].sort((one, two) => rank[one.action] - rank[two.action]).reverse();
  const begun = new Set<string>();
  const order = new Set<Step>();
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (begun.has(top.id) || top.needs.length === 0) {
      // All that it needs was above it, and is done.
      order.add(top);
      stack.pop();
      continue;
    }
    begun.add(top.id);
    for (const need of top.needs.toReversed()) {
      const step = byId.get(need);
      if (step !== undefined && !begun.has(need)) stack.push(step);
    }
  }
  return [...order];
}
