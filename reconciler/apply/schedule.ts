/** Runs work in the order of its needs, as much at once as queues and the limit allow. Knows nothing of plans. */

export interface Work {
  readonly id: string;
  readonly needs: readonly string[];
}

/** In each queue one at a time; those of one group can be done in one go. */
export interface Queues {
  readonly queues: readonly string[];
  readonly group: string | null;
}

export interface ScheduleOptions<Unit extends Work> {
  readonly concurrency: number;
  /** Asked when a unit is ready; what it is about may be known only then. */
  queues(unit: Unit): Queues;
  /** Whether each of a group, usually of one, succeeded. Never rejects. */
  run(units: readonly Unit[]): Promise<readonly boolean[]>;
  onBlocked(unit: Unit, by: string): void;
  stopped(): boolean;
}

interface Node<Unit> {
  unit: Unit;
  /** What it still waits for. */
  open: Set<Node<Unit>>;
  dependents: Node<Unit>[];
}

/**
 * Resolves when nothing is under way and nothing more can start. Rejects before anything starts where units wait for each
 * other in a circle, which only a mistake of ours makes.
 */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  { concurrency, queues: queuesOf, run, onBlocked, stopped }: ScheduleOptions<Unit>,
) {
  const nodes = nodesOf(units);
  refuseCircles(nodes);
  const blocked = new Set<Unit>();
  const busy = new Set<string>();
  const running = new Set<Promise<void>>();
  let ready: (Queues & { node: Node<Unit> })[] = [];

  const makeReady = (candidates: readonly Node<Unit>[]) => {
    for (const node of candidates) {
      if (node.open.size === 0) ready.push({ node, ...queuesOf(node.unit) });
    }
  };
  const block = ({ dependents }: Node<Unit>, by: string) => {
    for (const dependent of dependents) {
      const { unit } = dependent;
      if (blocked.has(unit)) continue;
      blocked.add(unit);
      onBlocked(unit, by);
      block(dependent, by);
    }
  };
  const end = (node: Node<Unit>, hasSucceeded: boolean) => {
    if (!hasSucceeded) return block(node, node.unit.id);
    for (const { open } of node.dependents) open.delete(node);
    makeReady(node.dependents);
  };
  const start = (first: (typeof ready)[number]) => {
    const { queues, group } = first;
    const together = ready.filter((one) => one === first || (group !== null && one.group === group));
    ready = ready.filter((one) => !together.includes(one));
    for (const queue of queues) busy.add(queue);
    const work = run(together.map(({ node }) => node.unit)).then((succeeded) => {
      running.delete(work);
      for (const queue of queues) busy.delete(queue);
      for (const [index, { node }] of together.entries()) end(node, succeeded[index] === true);
    });
    running.add(work);
  };

  makeReady(nodes);
  for (;;) {
    while (running.size < concurrency && !stopped()) {
      const next = ready.find(({ queues }) => !queues.some((queue) => busy.has(queue)));
      if (next === undefined) break;
      start(next);
    }
    if (running.size === 0) return;
    await Promise.race(running);
  }
}

function nodesOf<Unit extends Work>(units: readonly Unit[]) {
  const nodes = new Map<string, Node<Unit>>();
  for (const unit of units) nodes.set(unit.id, { unit, open: new Set(), dependents: [] });
  for (const node of nodes.values()) {
    for (const id of new Set(node.unit.needs)) {
      const needed = nodes.get(id);
      if (needed === undefined) continue;
      node.open.add(needed);
      needed.dependents.push(node);
    }
  }
  return [...nodes.values()];
}

function refuseCircles<Unit extends Work>(nodes: readonly Node<Unit>[]) {
  const startable = new Set(nodes.filter(({ open }) => open.size === 0));
  for (const { dependents } of startable) {
    for (const dependent of dependents) {
      if ([...dependent.open].every((need) => startable.has(need))) startable.add(dependent);
    }
  }
  const never = nodes.filter((node) => !startable.has(node)).map(({ unit }) => unit.id);
  if (never.length === 0) return;
  throw new Error(
    `steps wait for each other, so none of them can start: ${never.join(', ')}. Nothing was done`,
  );
}
