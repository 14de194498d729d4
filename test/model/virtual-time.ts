/** The service's time in a course, which needs no waits. The client's `VirtualClock` moves it. */
import type { Clock } from '../../service';

/** The service's time. Each read adds a millisecond, so that no two objects have the same age. */
export class ServiceTime implements Clock {
  #now = Date.parse('2026-01-02T03:04:05.000Z');

  now(): number {
    this.#now += 1;
    return this.#now;
  }

  /** The present time, without adding a millisecond. */
  get present(): number {
    return this.#now;
  }

  async wait(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
