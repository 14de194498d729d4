/** The service's time in a course, which costs nothing. The client's is a `VirtualClock` that moves it. */
import type { Clock } from '../../service';

/** The service's time: each look at it is a millisecond later, so that no two objects are of one age. */
export class ServiceTime implements Clock {
  #now = Date.parse('2026-01-02T03:04:05.000Z');

  now(): number {
    this.#now += 1;
    return this.#now;
  }

  /** The time without a look at it. */
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
