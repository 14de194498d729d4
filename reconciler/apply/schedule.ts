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

export type Outcome =
  | { readonly status: 'done' | 'failed' }
  | { readonly status: 'blocked'; readonly by: string };

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
 * Resolves when nothing is under way and nothing more can start; units without an outcome were not tried. Rejects before
 * anything starts where units wait for each other in a circle, which only a mistake of ours makes.
 */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  options: ScheduleOptions<Unit>,
): Promise<ReadonlyMap<string, Outcome>> {
  return new Schedule(units, options).run();
}

class Schedule<Unit extends Work> {
  private readonly outcomes = new Map<string, Outcome>();
  private readonly open: Map<string, Set<string>>;
  private readonly dependents = new Map<string, Unit[]>();
  private readonly busy = new Set<string>();
  private ready: (Queues & { readonly unit: Unit })[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly units: readonly Unit[],
    private readonly options: ScheduleOptions<Unit>,
  ) {
    const known = new Set(units.map((unit) => unit.id));
    this.open = new Map(
      units.map((unit) => [unit.id, new Set(unit.needs.filter((need) => known.has(need)))]),
    );
    for (const unit of units) {
      for (const need of this.open.get(unit.id) ?? []) {
        const dependents = this.dependents.get(need) ?? [];
        dependents.push(unit);
        this.dependents.set(need, dependents);
      }
    }
  }

  async run(): Promise<ReadonlyMap<string, Outcome>> {
    this.refuseCircles();
    this.makeReady(this.units.filter((unit) => this.open.get(unit.id)?.size === 0));
    for (;;) {
      this.startAll();
      if (this.running.size === 0) return this.outcomes;
      await Promise.race(this.running);
    }
  }

  private refuseCircles(): void {
    const startable = new Set(this.units.filter((unit) => this.open.get(unit.id)?.size === 0));
    const met = new Set<string>();
    for (const { id } of startable) {
      met.add(id);
      for (const unit of this.dependents.get(id) ?? []) {
        if ([...(this.open.get(unit.id) ?? [])].every((need) => met.has(need))) startable.add(unit);
      }
    }
    const never = this.units.filter((unit) => !startable.has(unit)).map((unit) => unit.id);
    if (never.length === 0) return;
    throw new Error(
      `steps wait for each other, so none of them can start: ${never.join(', ')}. Nothing was done`,
    );
  }

  private makeReady(units: readonly Unit[]): void {
    for (const unit of units) this.ready.push({ unit, ...this.options.queues(unit) });
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
      together.forEach((one, index) => {
        if (succeeded[index] === true) this.done(one);
        else this.failed(one);
      });
    });
    this.running.add(work);
  }

  private done(unit: Unit): void {
    this.outcomes.set(unit.id, { status: 'done' });
    const dependents = this.dependents.get(unit.id) ?? [];
    for (const dependent of dependents) this.open.get(dependent.id)?.delete(unit.id);
    this.makeReady(
      dependents.filter((one) => this.open.get(one.id)?.size === 0 && !this.outcomes.has(one.id)),
    );
  }

  private failed(unit: Unit): void {
    this.outcomes.set(unit.id, { status: 'failed' });
    this.block(unit.id, unit.id);
  }

  private block(id: string, by: string): void {
    for (const dependent of this.dependents.get(id) ?? []) {
      if (this.outcomes.has(dependent.id)) continue;
      this.outcomes.set(dependent.id, { status: 'blocked', by });
      this.options.onBlocked(dependent, by);
      this.block(dependent.id, by);
    }
  }
}
