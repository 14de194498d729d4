/** Puts the steps in an order in which they can be done, and says which must wait for which. Pure. */
import { isReference, type Key, type ResourceDefinition } from '../../resources/kind';
import { pairOf } from '../ledger-key';
import { allLinks, type Context, definitionFor } from './context';
import type { Step } from './plan';

/** Rank of an action where nothing else decides: bookkeeping first, what makes things before what takes them away. */
const rank: Readonly<Record<Step['action'], number>> = {
  move: 0,
  forget: 1,
  sweep: 2,
  adopt: 3,
  create: 4,
  replace: 4,
  update: 5,
  delete: 6,
};

/** What the addresses are that the exact set of a delete lists, by the id of its step. */
type ListedBeside = ReadonlyMap<string, ReadonlySet<string>>;

/** Adds the needs that follow from what the steps do to each other, and sorts: stable, needs first. */
export function orderSteps(
  context: Context,
  steps: readonly Step[],
  listedBeside: ListedBeside,
): readonly Step[] {
  const index = indexSteps(context, steps);
  const withNeeds = steps.map((step) => ({
    ...step,
    needs: [
      ...new Set([...step.needs, ...cleanupFirst(context, step, index), ...needsOf(context, step, index)]),
    ],
  }));
  return sortByNeeds(afterAdditions(withNeeds, listedBeside));
}

/** The ids of steps by what others have to know of them. */
interface Index {
  /** Cleanups by their ledger key or temporary name. */
  readonly cleanups: ReadonlyMap<string, readonly string[]>;
  /** Creates by what they refer to: `address …` or `id …`; of links alone, and of all kinds. */
  readonly linkCreates: ReadonlyMap<string, readonly string[]>;
  readonly creates: ReadonlyMap<string, readonly string[]>;
  /** Updates that widen the scope of an object, by its id. */
  readonly widenings: ReadonlyMap<string, readonly string[]>;
  /** What replacements wait for. */
  readonly beforeReplacing: ReadonlySet<string>;
  readonly queues: ReadonlyMap<string, Queue>;
}

/** Links of one kind into one end that takes only so many. */
interface Queue {
  readonly isFull: boolean;
  /** Steps that take one away. */
  readonly removing: readonly string[];
}

function indexSteps(context: Context, steps: readonly Step[]): Index {
  const creates = steps.filter((step) => step.action === 'create');
  return {
    cleanups: grouped(steps.flatMap(({ action, key, id }) => (action === 'sweep' ? [[key, id]] : []))),
    linkCreates: grouped(creates.filter((step) => isLink(context, step)).flatMap(endsOf)),
    creates: grouped(creates.flatMap(endsOf)),
    widenings: grouped(
      steps.flatMap((step) =>
        changesScope(context, step, true) && step.objectId ? [[step.objectId, step.id]] : [],
      ),
    ),
    beforeReplacing: new Set(steps.flatMap(({ action, needs }) => (action === 'replace' ? needs : []))),
    queues: queuesOf(context, steps),
  };
}

function grouped(pairs: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [name = '', id = ''] of pairs) {
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [id]);
    else group.push(id);
  }
  return groups;
}

/** What a step refers to, each with its own id. */
function endsOf({ id, inputs }: Step): readonly (readonly string[])[] {
  return Object.values(inputs).flatMap((value) => {
    if (isReference(value)) return [[`address ${value.address}`, id]];
    return typeof value === 'string' ? [[`id ${value}`, id]] : [];
  });
}

function isLink(context: Context, step: Step): boolean {
  return definitionFor(context, step).pair.length > 0;
}

/** What ends an unfinished create in the ledger comes after the cleanup of what that create left. */
function cleanupFirst(
  { ledger: { pending } }: Context,
  { action, key, movedFrom }: Step,
  { cleanups }: Index,
): readonly string[] {
  if (action === 'create' || action === 'replace' || action === 'sweep') return [];
  return [key, movedFrom ?? key].flatMap((one) => cleanups.get(pending[one]?.nonce ?? '') ?? []);
}

function needsOf(context: Context, step: Step, index: Index): readonly string[] {
  const { id, action, address, objectId, managed } = step;
  if (step.reason === 'replaced') {
    // The old object goes when all that refers to the new one is there; one that a replacement waits for, at once.
    return index.beforeReplacing.has(id) ? [] : (index.creates.get(`address ${address}`) ?? []);
  }
  if ((action === 'update' || action === 'adopt') && changesScope(context, step, false)) {
    // Attach before the scope narrows.
    const ends = [`address ${address}`, `id ${objectId ?? ''}`];
    return ends.flatMap((end) => index.linkCreates.get(end) ?? []);
  }
  if (!isLink(context, step)) return [];
  if (action === 'delete') {
    // Detach after the scope widened.
    return Object.values(managed).flatMap((end) =>
      typeof end === 'string' ? (index.widenings.get(end) ?? []) : [],
    );
  }
  const queue = action === 'create' ? queueName(context, step) : null;
  const { isFull = false, removing = [] } = index.queues.get(queue ?? '') ?? {};
  return isFull ? removing : [];
}

/** Whether the step offers the object to everybody, or no longer does. */
function changesScope(context: Context, step: Step, to: boolean): boolean {
  const { fields } = definitionFor(context, step);
  return step.changes.some((one) => fields[one.field]?.isScope && one.to === to && one.from === !to);
}

/** Where adding would go beyond the sources that a target may have, what takes one away goes first. */
function queuesOf(context: Context, steps: readonly Step[]): ReadonlyMap<string, Queue> {
  const queues = new Map<string, { readonly step: Step; added: number; readonly removing: string[] }>();
  for (const step of steps) {
    // What is let go or taken over neither takes room nor makes any; the ends of a missing link may be unknown.
    if (!['create', 'delete', 'sweep'].includes(step.action)) continue;
    const name = queueName(context, step);
    if (name === null) continue;
    const queue = queues.get(name) ?? { step, added: 0, removing: [] };
    queues.set(name, queue);
    if (step.action === 'create') queue.added += 1;
    if (step.action === 'delete' || step.action === 'sweep') queue.removing.push(step.id);
  }
  return new Map(
    [...queues].map(([name, { step, added, removing }]) => {
      const definition = definitionFor(context, step);
      const room =
        limitOf(context, definition) - linksInto(context, definition, pairOf(definition, step.managed));
      return [name, { isFull: added > room, removing }];
    }),
  );
}

/** The queue of a link whose kind has a limit; null for all others. */
function queueName(context: Context, step: Step): string | null {
  const definition = definitionFor(context, step);
  if (definition.createLane === undefined || limitOf(context, definition) === Number.POSITIVE_INFINITY)
    return null;
  return `${step.kind} ${definition.createLane(pairOf(definition, step.managed))}`;
}

function limitOf({ desired: { profile } }: Context, { edge }: ResourceDefinition): number {
  return (edge?.limit === undefined ? null : profile.limits[edge.limit]) ?? Number.POSITIVE_INFINITY;
}

/** How many links share the end that has the limit; without a list that shows them, more than any limit. */
function linksInto(context: Context, definition: ResourceDefinition, ids: Key): number {
  const to = definition.edge?.to ?? '';
  return allLinks(context, definition, { [to]: ids[to] ?? '' })?.length ?? Number.POSITIVE_INFINITY;
}

/** A member of an exact set goes when what is added to the set is there; where steps would wait for each other in a circle, it goes first. */
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
function allWaiting(waiting: ReadonlyMap<string, readonly string[]>, id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (const one of found) for (const other of waiting.get(one) ?? []) found.add(other);
  return found;
}

/** Depth first, without recursion: chains of needs can be as long as the plan. */
function sortByNeeds(steps: readonly Step[]): readonly Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ranked = steps
    .map((step, index) => ({ step, index }))
    .sort((one, two) => rank[one.step.action] - rank[two.step.action] || one.index - two.index);
  const begun = new Set<string>();
  const order: Step[] = [];
  for (const { step } of ranked) {
    const path: { readonly step: Step; next: number }[] = [];
    const enter = (one: Step | undefined): void => {
      if (one === undefined || begun.has(one.id)) return;
      begun.add(one.id);
      path.push({ step: one, next: 0 });
    };
    enter(step);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const need = top.step.needs[top.next];
      top.next += 1;
      if (need !== undefined) enter(byId.get(need));
      else {
        path.pop();
        order.push(top.step);
      }
    }
  }
  return order;
}
