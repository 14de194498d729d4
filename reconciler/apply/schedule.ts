/** Runs work in the order of its needs, as much at once as queues and the limit allow. Knows nothing of plans. */

export interface Work {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Of one queue, one unit at a time runs. Those of one group are done in one call. */
export interface Place {
  readonly queue: string | null;
  readonly group: string | null;
}

export interface ScheduleOptions<Unit extends Work> {
  readonly concurrency: number;
  /** Asked when a unit is ready, because what it is about may be known only then. */
  place(unit: Unit): Place;
  /** Resolves to whether each of them succeeded; never rejects. */
  run(units: readonly Unit[]): Promise<readonly boolean[]>;
  onBlocked(unit: Unit, by: string): void;
  stopped(): boolean;
}

interface Node<Unit> {
  readonly unit: Unit;
  readonly dependents: Node<Unit>[];
  /** How many of its needs are not done. */
  open: number;
}

/** Resolves when nothing is under way and nothing more can start. Throws before anything starts where units wait for each other. */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  { concurrency, place, run, onBlocked, stopped }: ScheduleOptions<Unit>,
): Promise<void> {
  const nodes = nodesOf(units);
  refuseCircles(nodes);
  const ready = new Ready<Unit>();
  const blocked = new Set<Unit>();
  const running = new Set<Promise<void>>();

  const makeReady = (some: readonly Node<Unit>[]) => {
    for (const node of some) if (node.open === 0) ready.add({ node, ...place(node.unit) });
  };
  const block = (failed: Node<Unit>) => {
    const waiting = failed.dependents.map((node) => ({ node, by: failed.unit.id }));
    for (const { node, by } of waiting) {
      if (blocked.has(node.unit)) continue;
      blocked.add(node.unit);
      onBlocked(node.unit, by);
      for (const next of node.dependents) waiting.push({ node: next, by: node.unit.id });
    }
  };
  const end = (node: Node<Unit>, hasSucceeded: boolean) => {
    if (!hasSucceeded) return block(node);
    for (const dependent of node.dependents) dependent.open -= 1;
    makeReady(node.dependents);
  };

  makeReady(nodes);
  for (;;) {
    while (running.size < concurrency && !stopped()) {
      const together = ready.take();
      if (together === undefined) break;
      const work = run(together.map(({ node }) => node.unit)).then((succeeded) => {
        running.delete(work);
        ready.release(together);
        for (const [index, { node }] of together.entries()) end(node, succeeded[index] === true);
      });
      running.add(work);
    }
    if (running.size === 0) return;
    await Promise.race(running);
  }
}

interface Entry<Unit> extends Place {
  readonly node: Node<Unit>;
}

/** What can start, in order. Entries of a busy queue wait behind it, so that taking one costs the same however many wait. */
class Ready<Unit> {
  private readonly waiting: Entry<Unit>[] = [];
  private next = 0;
  private readonly behind = new Map<string, Entry<Unit>[]>();
  private readonly groups = new Map<string, Entry<Unit>[]>();
  private readonly taken = new Set<Entry<Unit>>();

  add(entry: Entry<Unit>): void {
    this.waiting.push(entry);
    if (entry.group === null) return;
    const group = this.groups.get(entry.group);
    if (group === undefined) this.groups.set(entry.group, [entry]);
    else group.push(entry);
  }

  /** The next whose queue is free, with all of its group that are ready. */
  take(): readonly Entry<Unit>[] | undefined {
    for (; this.next < this.waiting.length; this.next += 1) {
      const entry = this.waiting[this.next];
      if (entry === undefined || this.taken.has(entry)) continue;
      const { queue, group } = entry;
      const busy = queue === null ? undefined : this.behind.get(queue);
      if (busy !== undefined) {
        busy.push(entry);
        continue;
      }
      this.next += 1;
      if (queue !== null) this.behind.set(queue, []);
      const together = group === null ? [entry] : (this.groups.get(group) ?? [entry]);
      if (group !== null) this.groups.delete(group);
      for (const one of together) this.taken.add(one);
      return together;
    }
    return undefined;
  }

  release([first]: readonly Entry<Unit>[]): void {
    const queue = first?.queue ?? null;
    if (queue === null) return;
    const behind = this.behind.get(queue) ?? [];
    this.behind.delete(queue);
    for (const entry of behind) if (!this.taken.has(entry)) this.waiting.push(entry);
  }
}

function nodesOf<Unit extends Work>(units: readonly Unit[]): readonly Node<Unit>[] {
  const nodes = new Map(units.map((unit) => [unit.id, { unit, dependents: [], open: 0 } as Node<Unit>]));
  for (const node of nodes.values()) {
    for (const id of new Set(node.unit.needs)) {
      const needed = nodes.get(id);
      if (needed === undefined) continue;
      node.open += 1;
      needed.dependents.push(node);
    }
  }
  return [...nodes.values()];
}

function refuseCircles<Unit extends Work>(nodes: readonly Node<Unit>[]): void {
  const left = new Map(nodes.map((node) => [node, node.open]));
  const startable = nodes.filter(({ open }) => open === 0);
  for (const { dependents } of startable) {
    for (const dependent of dependents) {
      const open = (left.get(dependent) ?? 0) - 1;
      left.set(dependent, open);
      if (open === 0) startable.push(dependent);
    }
  }
  const never = nodes.filter((node) => left.get(node) !== 0).map(({ unit }) => unit.id);
  if (never.length === 0) return;
  throw new Error(
    `steps wait for each other, so none of them can start: ${never.join(', ')}. Nothing was done`,
  );
}
