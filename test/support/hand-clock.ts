/** A clock that moves only when a test says so. */
import type { Clock } from '../../service';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time in a test's hand; waits end when the test has moved it far enough. */
export class HandClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];
  #arrivals: (() => void)[] = [];

  /** Starts at a fixed instant, so that every run is the same. */
  constructor(start = Date.parse('2026-01-02T03:04:05.678Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push({ until: this.#now + milliseconds, wake: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
      for (const arrive of this.#arrivals.splice(0)) arrive();
    });
  }

  /** Moves time on and ends the waits that are over. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const over = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const { wake } of over) wake();
  }

  /** Resolves once that many waits are under way. */
  async sleeping(count: number): Promise<void> {
    while (this.#sleepers.length < count) {
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }
}
