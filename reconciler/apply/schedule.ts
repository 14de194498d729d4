/** Runs work in the order of its needs, as much at once as queues and the limit allow. Knows nothing of plans. */

/** A unit of work; `needs` are ids of others. */
export interface Work {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Which queues a unit stands in, one at a time in each, and with which others it can be done in one go. */
export interface Queues {
  readonly queues: readonly string[];
  readonly group: string | null;
}

export interface ScheduleOptions<Unit extends Work> {
  readonly concurrency: number;
  /** Asked when a unit is ready, for what it is about may be known only then. */
  queues(unit: Unit): Queues;
  /** Does units of one group, usually one alone, and says of each whether it succeeded. Never rejects. */
  run(units: readonly Unit[]): Promise<readonly boolean[]>;
  onBlocked(unit: Unit, by: string): void;
  /** True once nothing more may be started. */
  stopped(): boolean;
}

/**
 * Resolves, when nothing is under way and nothing more can start, with the ids of what was done, failed or is blocked.
 * Rejects before anything starts where units wait for each other in a circle, which only a mistake of ours makes.
 */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  options: ScheduleOptions<Unit>,
): Promise<ReadonlySet<string>> {
  return new Schedule(units, options).run();
}

class Schedule<Unit extends Work> {
  private readonly ended = new Set<string>();
  /** By id, what a unit still waits for. */
  private readonly open: Map<string, Set<string>>;
  private readonly dependents = new Map<string, Unit[]>();
  private readonly busy = new Set<string>();
  private ready: (Queues & { readonly unit: Unit })[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly units: readonly Unit[],
    private readonly options: ScheduleOptions<Unit>,
  ) {
    const known = new Set(units.map(({ id }) => id));
    this.open = new Map(units.map(({ id, needs }) => [id, new Set(needs.filter((need) => known.has(need)))]));
    for (const unit of units) {
      for (const need of this.openOf(unit)) {
        const dependents = this.dependents.get(need) ?? [];
        dependents.push(unit);
        this.dependents.set(need, dependents);
      }
    }
  }

  async run(): Promise<ReadonlySet<string>> {
    this.refuseCircles();
    this.makeReady(this.units);
    for (;;) {
      this.startAll();
      if (this.running.size === 0) return this.ended;
      await Promise.race(this.running);
    }
  }

  private openOf({ id }: Unit): ReadonlySet<string> {
    return this.open.get(id) ?? new Set();
  }

  private refuseCircles(): void {
    const startable = new Set(this.units.filter((unit) => this.openOf(unit).size === 0).map(({ id }) => id));
    for (const id of startable) {
      for (const unit of this.dependents.get(id) ?? []) {
        if ([...this.openOf(unit)].every((need) => startable.has(need))) startable.add(unit.id);
      }
    }
    const never = this.units.filter(({ id }) => !startable.has(id)).map(({ id }) => id);
    if (never.length === 0) return;
    throw new Error(
      `steps wait for each other, so none of them can start: ${never.join(', ')}. Nothing was done`,
    );
  }

  private makeReady(units: readonly Unit[]): void {
    for (const unit of units) {
      if (this.openOf(unit).size === 0) this.ready.push({ unit, ...this.options.queues(unit) });
    }
  }

  private startAll(): void {
    for (let index = 0; index < this.ready.length && !this.options.stopped(); ) {
      if (this.running.size >= this.options.concurrency) return;
      const next = this.ready[index];
      if (next === undefined || next.queues.some((queue) => this.busy.has(queue))) index += 1;
      else this.start(next.unit, next);
    }
  }

  private start(unit: Unit, { queues, group }: Queues): void {
    const together = this.ready
      .filter((one) => one.unit === unit || (group !== null && one.group === group))
      .map((one) => one.unit);
    this.ready = this.ready.filter((one) => !together.includes(one.unit));
    for (const queue of queues) this.busy.add(queue);
    const work = this.options.run(together).then((succeeded) => {
      this.running.delete(work);
      for (const queue of queues) this.busy.delete(queue);
      together.forEach(({ id }, index) => {
        this.ended.add(id);
        if (succeeded[index] === true) this.release(id);
        else this.block(id, id);
      });
    });
    this.running.add(work);
  }

  private release(id: string): void {
    const dependents = this.dependents.get(id) ?? [];
    for (const dependent of dependents) this.open.get(dependent.id)?.delete(id);
    this.makeReady(dependents);
  }

  private block(id: string, by: string): void {
    for (const dependent of this.dependents.get(id) ?? []) {
      if (this.ended.has(dependent.id)) continue;
      this.ended.add(dependent.id);
      this.options.onBlocked(dependent, by);
      this.block(dependent.id, by);
    }
  }
}
