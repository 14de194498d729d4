/** Puts the steps in an order in which they can be done, and says which must wait for which. Pure. */
import { isReference, type Key, type ResourceDefinition } from '../../resources/kind';
import { pairOf } from '../ledger-key';
import { allLinks, type Context, definitionFor } from './context';
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

/** The addresses that the exact set of a delete lists, by the id of its step. */
type ListedBeside = ReadonlyMap<string, ReadonlySet<string>>;

/** Adds the needs that follow from what the steps do to each other, and sorts: stable, needs first. */
export function orderSteps(
  context: Context,
  steps: readonly Step[],
  listedBeside: ListedBeside,
): readonly Step[] {
  const index = indexSteps(context, steps);
  const withNeeds = steps.map((step) => {
    const others = [...cleanupFirst(context, step, index), ...needsOf(context, step, index)];
    return { ...step, needs: [...new Set([...step.needs, ...others])] };
  });
  return sortByNeeds(afterAdditions(withNeeds, listedBeside));
}

/** Ids of steps by what others have to know of them. */
type Ids = ReadonlyMap<string, readonly string[]>;

interface Index {
  /** Cleanups by their ledger key or temporary name. */
  readonly cleanups: Ids;
  /** Creates by the addresses and ids that they refer to. */
  readonly creates: Ids;
  /** Updates that widen the scope of an object, by its id. */
  readonly widenings: Ids;
  /** What replacements wait for. */
  readonly beforeReplacing: ReadonlySet<string>;
  /** The steps that take links away, by the name of a queue that would have too many. */
  readonly fullQueues: Ids;
}

function indexSteps(context: Context, steps: readonly Step[]): Index {
  return {
    cleanups: grouped(steps.flatMap(({ action, key, id }) => (action === 'cleanup' ? [[key, id]] : []))),
    creates: grouped(steps.flatMap((step) => (step.action === 'create' ? endsOf(context, step) : []))),
    widenings: grouped(
      steps.flatMap((step) =>
        changesScope(context, step, true) && step.objectId ? [[step.objectId, step.id]] : [],
      ),
    ),
    beforeReplacing: new Set(steps.flatMap(({ action, needs }) => (action === 'replace' ? needs : []))),
    fullQueues: fullQueues(context, steps),
  };
}

function grouped(pairs: readonly (readonly string[])[]): Ids {
  const groups = new Map<string, string[]>();
  for (const [name = '', id = ''] of pairs) {
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [id]);
    else group.push(id);
  }
  return groups;
}

/** What a step refers to, each with its own id. */
function endsOf(context: Context, step: Step): readonly (readonly string[])[] {
  const { pair } = definitionFor(context, step);
  return Object.entries(step.inputs).flatMap(([field, value]) => {
    if (isReference(value)) return [[value.address, step.id]];
    return pair.includes(field) && typeof value === 'string' ? [[value, step.id]] : [];
  });
}

/** What ends an unfinished create in the ledger comes after the cleanup of what that create left. */
function cleanupFirst(
  { ledger: { pending } }: Context,
  { action, key, movedFrom = key }: Step,
  { cleanups }: Index,
): readonly string[] {
  if (action === 'create' || action === 'replace' || action === 'cleanup') return [];
  return [key, movedFrom].flatMap((one) => cleanups.get(pending[one]?.nonce ?? '') ?? []);
}

function needsOf(context: Context, step: Step, index: Index): readonly string[] {
  const { id, action, address, objectId = '', managed, reason } = step;
  const { beforeReplacing, creates, fullQueues, widenings } = index;
  const named = (names: readonly unknown[], ids: Ids) =>
    names.flatMap((one) => (typeof one === 'string' ? (ids.get(one) ?? []) : []));
  // The old object goes when all that refers to the new one is there; one that a replacement waits for, at once.
  if (reason === 'replaced') return beforeReplacing.has(id) ? [] : named([address], creates);
  if (action === 'update' || action === 'adopt') {
    // Attach before the scope narrows.
    return changesScope(context, step, false) ? named([address, objectId], creates) : [];
  }
  if (definitionFor(context, step).pair.length === 0) return [];
  // Detach after the scope widened.
  if (action === 'delete') return named(Object.values(managed), widenings);
  return action === 'create' ? named([queueName(context, step)], fullQueues) : [];
}

/** Whether the step offers the object to everybody, or no longer does. */
function changesScope(context: Context, step: Step, to: boolean): boolean {
  const { fields } = definitionFor(context, step);
  return step.changes.some((one) => fields[one.field]?.isScope && one.to === to && one.from === !to);
}

/** Where adding would go beyond the sources that a target may have, what takes one away goes first. */
function fullQueues(context: Context, steps: readonly Step[]): Ids {
  const queues = new Map<string, { readonly step: Step; added: number; readonly removing: string[] }>();
  for (const step of steps) {
    // What is let go or taken over neither takes room nor makes any; the ends of a missing link may be unknown.
    if (!['create', 'delete', 'cleanup'].includes(step.action)) continue;
    const name = queueName(context, step);
    if (name === null) continue;
    const queue = queues.get(name) ?? { step, added: 0, removing: [] };
    queues.set(name, queue);
    if (step.action === 'create') queue.added += 1;
    else queue.removing.push(step.id);
  }
  return new Map(
    [...queues].flatMap(([name, { step, added, removing }]) => {
      const definition = definitionFor(context, step);
      const there = linksInto(context, definition, pairOf(definition, step.managed));
      return there + added > limitOf(context, definition) ? [[name, removing] as const] : [];
    }),
  );
}

/** The queue of a link whose kind has a limit; null for all others. */
function queueName(context: Context, { kind, managed }: Step): string | null {
  const definition = definitionFor(context, { kind });
  if (definition.createLane === undefined || limitOf(context, definition) === Number.POSITIVE_INFINITY)
    return null;
  return `${kind} ${definition.createLane(pairOf(definition, managed))}`;
}

function limitOf({ desired: { profile } }: Context, { edge }: ResourceDefinition): number {
  return (edge?.limit === undefined ? null : profile.limits[edge.limit]) ?? Number.POSITIVE_INFINITY;
}

/** Links that share the end with the limit; without a list that shows them, more than any limit. */
function linksInto(context: Context, definition: ResourceDefinition, ids: Key): number {
  const to = definition.edge?.to ?? '';
  return allLinks(context, definition, { [to]: ids[to] ?? '' })?.length ?? Number.POSITIVE_INFINITY;
}

/** A member of an exact set goes when what is added to the set is there, unless that would be a circle: then it goes first. */
function afterAdditions(steps: readonly Step[], listedBeside: ListedBeside): readonly Step[] {
  const creates = steps.filter((step) => step.action === 'create');
  const bySet = new Map(
    [...new Set(listedBeside.values())].map((listed) => [
      listed,
      creates.flatMap(({ address, id }) => (listed.has(address) ? id : [])),
    ]),
  );
  const additions = ({ id }: Step): readonly string[] => {
    const listed = listedBeside.get(id);
    return listed === undefined ? [] : (bySet.get(listed) ?? []);
  };
  const waiting = grouped(
    steps.flatMap((step) => [...step.needs, ...additions(step)].map((need) => [need, step.id])),
  );
  return steps.map((step) => {
    const added = additions(step);
    if (added.length === 0) return step;
    const later = allWaiting(waiting, step.id);
    return { ...step, needs: [...new Set([...step.needs, ...added.filter((id) => !later.has(id))])] };
  });
}

/** The steps that wait for this one, over however many others. */
function allWaiting(waiting: Ids, id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (const one of found) for (const other of waiting.get(one) ?? []) found.add(other);
  return found;
}

/** Depth first, without recursion: chains of needs can be as long as the plan. */
function sortByNeeds(steps: readonly Step[]): readonly Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ranked = [...steps].sort((one, two) => rank[one.action] - rank[two.action]);
  const begun = new Set<string>();
  const order: Step[] = [];
  const path: { readonly step: Step; readonly needs: Iterator<string, undefined> }[] = [];
  const enter = (id: string): void => {
    const step = byId.get(id);
    if (step === undefined || begun.has(id)) return;
    begun.add(id);
    path.push({ step, needs: step.needs.values() });
  };
  for (const { id } of ranked) {
    enter(id);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value: need } = top.needs.next();
      if (need !== undefined) enter(need);
      else {
        path.pop();
        order.push(top.step);
      }
    }
  }
  return order;
}
