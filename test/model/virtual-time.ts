/** Time that costs nothing: one for the service, moved by hand, and one for the client, which jumps over its waits. */
import type { ClientOptions } from '../../index';
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

/** The client's time: whoever waits is woken in order, as soon as everything else has had its turn. */
export class ClientTime implements NonNullable<ClientOptions['clock']> {
  #now = Date.parse('2026-01-02T03:04:05.000Z');
  #timers: { readonly at: number; readonly wake: () => void }[] = [];
  #scheduled = false;

  /** What passes for the client passes for `others` as well. */
  constructor(private readonly others: (milliseconds: number) => void = () => undefined) {}

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      if (signal?.aborted === true) return wake();
      signal?.addEventListener('abort', () => wake(), { once: true });
      this.#timers.push({ at: this.#now + milliseconds, wake });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#timers.sort((one, other) => one.at - other.at);
      const next = this.#timers.shift();
      if (next === undefined) return;
      const passed = Math.max(0, next.at - this.#now);
      this.#now += passed;
      this.others(passed);
      next.wake();
      this.#schedule();
    });
  }
}
