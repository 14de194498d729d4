/** Runs work in the order of its needs, as much at once as queues and the limit allow. Knows nothing of plans. */

export interface Work {
  /** The names under which others need it. */
  readonly ids: readonly string[];
  /** Ids of work that stands before it in the list. Others are taken for done. */
  readonly needs: readonly string[];
}

export interface ScheduleOptions<Unit extends Work> {
  readonly concurrency: number;
  /** Of one queue, one unit at a time runs; null for none. Asked when all that the unit needs is done. */
  queueOf(unit: Unit): string | null;
  /** Resolves to whether it succeeded; never rejects. */
  run(unit: Unit): Promise<boolean>;
  onBlocked(unit: Unit, by: string): void;
  stopped(): boolean;
}

/** Resolves when nothing is under way and nothing more can start. Throws before anything starts where a unit needs a later one. */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  { concurrency, queueOf, run, onBlocked, stopped }: ScheduleOptions<Unit>,
): Promise<void> {
  refuseLaterNeeds(units);
  const ended = new Map<string, Promise<boolean>>();
  const queues = new Map<string, Promise<unknown>>();
  const atOnce = limiter(concurrency);
  const start = async (unit: Unit): Promise<boolean> => {
    for (const id of unit.needs) {
      if ((await ended.get(id)) !== false) continue;
      // After an interruption nothing is blocked: what it needs was not tried.
      if (!stopped()) onBlocked(unit, id);
      return false;
    }
    const work = () => atOnce(async () => !stopped() && run(unit));
    const queue = queueOf(unit);
    if (queue === null) return work();
    const done = (queues.get(queue) ?? Promise.resolve()).then(work);
    queues.set(queue, done);
    return done;
  };
  for (const unit of units) {
    const done = start(unit);
    for (const id of unit.ids) ended.set(id, done);
  }
  await Promise.all(ended.values());
}

/** At most so many at a time, in the order in which they ask. */
function limiter(most: number) {
  const waiting: (() => void)[] = [];
  let first = 0;
  let free = most;
  return async (work: () => Promise<boolean>): Promise<boolean> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting[first];
      if (next === undefined) free += 1;
      else {
        first += 1;
        next();
      }
    }
  };
}

function refuseLaterNeeds(units: readonly Work[]): void {
  const later = new Set(units.flatMap(({ ids }) => ids));
  for (const { ids, needs } of units) {
    const need = needs.find((one) => later.has(one));
    if (need !== undefined) throw new Error(`${ids[0]} needs ${need}, which comes later. Nothing was done`);
    for (const id of ids) later.delete(id);
  }
}
