// The lock that some services hold while they create a run trigger for a target.

import type { Behaviours } from '../behaviours';
import type { Clock } from '../clock';
import { Refusal } from './problem';

const heldFor = 25;

/** Lets one create per target run at a time and refuses the others, where the switch says so. */
export class TriggerLock {
  readonly #held = new Set<string>();

  constructor(
    private readonly behaviours: Behaviours,
    private readonly clock: Clock,
    private readonly closing: AbortSignal,
  ) {}

  /** Runs the create and holds the lock of its target until the answer is on its way. Throws 409 or 422. */
  async during<Result>(targetId: string, create: () => Result): Promise<Result> {
    const status = this.behaviours['trigger-lock'];
    if (status === 'off') return create();
    if (this.#held.has(targetId)) {
      const detail = 'Run Trigger creation locked by another user in your organization. Please try again';
      throw new Refusal(status === '409' ? 409 : 422, [{ detail }]);
    }
    this.#held.add(targetId);
    try {
      const result = create();
      await this.clock.wait(heldFor, this.closing);
      return result;
    } finally {
      this.#held.delete(targetId);
    }
  }
}
