/** Runs work in the order of its needs, and as much at once as the queues and the limit allow. */

export interface Work {
  /** Other units name these ids in their `needs`. */
  readonly ids: readonly string[];
  /** Ids of units earlier in the list. An id that no unit has counts as done. */
  readonly needs: readonly string[];
  /** Ids of units that must have ended, whether they are done or not. */
  readonly after?: readonly string[] | undefined;
}

export interface ScheduleOptions<Unit extends Work> {
  readonly concurrency: number;
  /** Each queue runs one unit at a time, and null means no queue. It is called when the unit's needs are done. */
  chooseQueue(unit: Unit): string | null;
  /** It never rejects. */
  run(unit: Unit): Promise<void>;
  /** Asked about the id of a unit that has ended. */
  isDone(id: string): boolean;
  onBlocked(unit: Unit, by: string): void;
  stopped(): boolean;
}

/** Resolves when every unit has ended. */
export async function schedule<Unit extends Work>(
  units: readonly Unit[],
  { concurrency, chooseQueue, run, isDone, onBlocked, stopped }: ScheduleOptions<Unit>,
): Promise<void> {
  const ended = new Map<string, Promise<void>>();
  const queues = new Map<string, Promise<void>>();
  const atOnce = limiter(concurrency);
  const start = async (unit: Unit): Promise<void> => {
    for (const id of unit.after ?? []) await ended.get(id);
    for (const id of unit.needs) {
      await ended.get(id);
      if (!ended.has(id) || isDone(id)) continue;
      // After an interruption, a unit whose need was not tried is not blocked.
      if (!stopped()) onBlocked(unit, id);
      return;
    }
    const work = () => atOnce(async () => (stopped() ? undefined : run(unit)));
    const queue = chooseQueue(unit);
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

/** Runs at most that many works at a time, in the order of the calls. */
function limiter(maxAtOnce: number) {
  const waiting: (() => void)[] = [];
  let free = maxAtOnce;
  return async (work: () => Promise<void>): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
