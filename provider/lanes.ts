/** Queues by name: work of one lane runs one after the other, different lanes side by side. */

export class Lanes {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs the work once everything given to this lane before has ended, whatever became of it. */
  async run<Result>(lane: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.tails.get(lane) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(lane, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(lane) === tail) this.tails.delete(lane);
    }
  }
}
