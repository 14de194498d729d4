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
  /** Of those that wait for this unit alone, which its own run can do too. */
  along?(unit: Unit, waiting: readonly Unit[]): readonly Unit[];
  /**
   * Whether each of a group, usually of one, succeeded, and then of those that came along: undefined for one that is still to be
   * done. Never rejects.
   */
  run(units: readonly Unit[], along: readonly Unit[]): Promise<readonly (boolean | undefined)[]>;
  onBlocked(unit: Unit, by: string): void;
  stopped(): boolean;
}

interface Node<Unit> {
  unit: Unit;
  /** What it still waits for. */
  open: Set<Node<Unit>>;
  dependents: Node<Unit>[];
  /** Started, alone or with others. */
  isTaken: boolean;
}

/**
 * Resolves when nothing is under way and nothing more can start. Rejects before anything starts where units wait for each
 * other in a circle, which only a mistake of ours makes.
 */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  { concurrency, queues: queuesOf, along = () => [], run, onBlocked, stopped }: ScheduleOptions<Unit>,
) {
  const nodes = nodesOf(units);
  refuseCircles(nodes);
  const blocked = new Set<Unit>();
  const running = new Set<Promise<void>>();
  const ready = new Ready<Unit>();

  const makeReady = (candidates: readonly Node<Unit>[]) => {
    for (const node of candidates) {
      if (node.open.size === 0 && !node.isTaken) ready.add({ node, ...queuesOf(node.unit) });
    }
  };
  const block = ({ dependents, unit: { id } }: Node<Unit>) => {
    const waiting = dependents.toReversed();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (blocked.has(node.unit)) continue;
      blocked.add(node.unit);
      onBlocked(node.unit, id);
      for (const dependent of node.dependents.toReversed()) waiting.push(dependent);
    }
  };
  const end = (node: Node<Unit>, hasSucceeded: boolean) => {
    if (!hasSucceeded) return block(node);
    for (const { open } of node.dependents) open.delete(node);
    makeReady(node.dependents);
  };
  const start = (together: readonly Entry<Unit>[]) => {
    const own = together.map(({ node }) => node);
    const waiting = own.flatMap(({ dependents }) => dependents.filter(({ open }) => open.size === 1));
    const [first] = own.length === 1 && waiting.length > 0 ? own : [];
    const carried = new Set(
      first &&
        along(
          first.unit,
          waiting.map(({ unit }) => unit),
        ),
    );
    const riders = waiting.filter(({ unit }) => carried.has(unit));
    const all = [...own, ...riders];
    const work = run(
      own.map(({ unit }) => unit),
      riders.map(({ unit }) => unit),
    ).then((succeeded) => {
      running.delete(work);
      ready.release(together);
      const ended = all.filter((_, index) => succeeded[index] !== undefined);
      for (const node of ended) node.isTaken = true;
      for (const [index, node] of all.entries()) {
        const hasSucceeded = succeeded[index];
        if (hasSucceeded !== undefined) end(node, hasSucceeded);
      }
    });
    running.add(work);
  };

  makeReady(nodes);
  for (;;) {
    while (running.size < concurrency && !stopped()) {
      const next = ready.take();
      if (next === undefined) break;
      start(next);
    }
    if (running.size === 0) return;
    await Promise.race(running);
  }
}

interface Entry<Unit> extends Queues {
  readonly node: Node<Unit>;
}

class Line<Item> {
  readonly #items: Item[] = [];
  #first = 0;

  push(item: Item) {
    this.#items.push(item);
  }

  shift() {
    const item = this.#items[this.#first];
    if (item !== undefined) this.#first += 1;
    return item;
  }
}

/** What waits for a free queue or its turn, in order; to take one costs the same however many wait. */
class Ready<Unit> {
  readonly #fresh = new Line<Entry<Unit>>();
  readonly #busy = new Set<string>();
  /** By busy queue. */
  readonly #behind = new Map<string, Line<Entry<Unit>>>();
  /** Queues that were busy and may have some behind them. */
  readonly #freed = new Line<string>();
  #open: string | undefined;
  readonly #groups = new Map<string, Entry<Unit>[]>();

  add(entry: Entry<Unit>) {
    this.#fresh.push(entry);
    const { group } = entry;
    if (group === null) return;
    const others = this.#groups.get(group);
    if (others) others.push(entry);
    else this.#groups.set(group, [entry]);
  }

  /** The next whose queues are free, with all of its group; its queues are busy until they are released. */
  take(): readonly Entry<Unit>[] | undefined {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (entry.node.isTaken) continue;
      const busy = entry.queues.find((queue) => this.#busy.has(queue));
      if (busy !== undefined) {
        const line = this.#behind.get(busy) ?? new Line();
        this.#behind.set(busy, line);
        line.push(entry);
        continue;
      }
      const { group, queues } = entry;
      const together = (group === null ? undefined : this.#groups.get(group)) ?? [entry];
      if (group !== null) this.#groups.delete(group);
      for (const { node } of together) node.isTaken = true;
      for (const queue of queues) this.#busy.add(queue);
      return together;
    }
    return undefined;
  }

  release([first]: readonly Entry<Unit>[]) {
    for (const queue of first?.queues ?? []) {
      this.#busy.delete(queue);
      this.#freed.push(queue);
    }
  }

  /** From behind a queue that is free again, else a fresh one. */
  #next() {
    for (this.#open ??= this.#freed.shift(); this.#open !== undefined; this.#open = this.#freed.shift()) {
      const entry = this.#busy.has(this.#open) ? undefined : this.#behind.get(this.#open)?.shift();
      if (entry !== undefined) return entry;
    }
    return this.#fresh.shift();
  }
}

function nodesOf<Unit extends Work>(units: readonly Unit[]) {
  const nodes = new Map<string, Node<Unit>>();
  for (const unit of units) nodes.set(unit.id, { unit, open: new Set(), dependents: [], isTaken: false });
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
  const left = new Map(nodes.map((node) => [node, node.open.size]));
  const startable = nodes.filter(({ open }) => open.size === 0);
  for (const { dependents } of startable) {
    for (const dependent of dependents) {
      const open = (left.get(dependent) ?? 0) - 1;
      left.set(dependent, open);
      if (open === 0) startable.push(dependent);
    }
  }
  const never = nodes.flatMap((node) => (left.get(node) === 0 ? [] : node.unit.id));
  if (never.length === 0) return;
  throw new Error(
    `steps wait for each other, so none of them can start: ${never.join(', ')}. Nothing was done`,
  );
}
