/** A clock whose sleeps cost no time: it jumps to the next wake-up once everything else has come to rest. */
import type { Clock } from '../../client/pace';

export class VirtualClock implements Clock {
  #now = Date.parse('2024-01-01T00:00:00Z');
  readonly #start = this.#now;
  #timers: { readonly at: number; readonly wake: () => void }[] = [];
  #scheduled = false;
  /** Every sleep that was asked for, in milliseconds, in order. */
  readonly sleeps: number[] = [];

  /** Time that passes here also passes for `others`. */
  constructor(private readonly others: (milliseconds: number) => void = () => undefined) {}

  now(): number {
    return this.#now;
  }

  /** Milliseconds since it was made. */
  elapsed(): number {
    return this.#now - this.#start;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(milliseconds);
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake);
      this.#timers.push({ at: this.#now + milliseconds, wake });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#timers.sort((left, right) => left.at - right.at);
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

/** A clock whose timers are late, each by the next of these. */
export class LateClock extends VirtualClock {
  #asked = 0;

  constructor(private readonly lateMs: readonly number[]) {
    super();
  }

  override sleep(milliseconds: number, signal?: AbortSignal) {
    this.#asked += 1;
    return super.sleep(milliseconds + (this.lateMs[this.#asked % this.lateMs.length] ?? 0), signal);
  }
}
