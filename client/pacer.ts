/** Even spacing of requests (GCRA without burst) and one gate that a Retry-After closes, shared per token. */
import { createHash } from 'node:crypto';
import type { Clock } from './clock';

/** What all clients with one address and token share. */
export class Pacer {
  #nextSlot = 0;
  #opensAt = 0;
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the gate opens; 0 when it is open. */
  closedFor(): number {
    return Math.max(0, this.#opensAt - this.clock.now());
  }

  /** Lets nothing through for so long; never shortens what another answer asked for. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.clock.now() + milliseconds);
  }

  /** Takes a place among the requests in flight. */
  async enter(concurrency: number): Promise<void> {
    if (this.#inFlight < concurrency) {
      this.#inFlight += 1;
      return;
    }
    // The place is handed over by leave(), so the count stays as it is.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inFlight -= 1;
    else next();
  }

  /**
   * Resolves when the next request may be sent; false if the gate stays closed for longer than `patienceMs`, or the
   * signal aborts.
   */
  async slot(intervalMs: number, patienceMs: number, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const now = this.clock.now();
      if (this.#opensAt - now > patienceMs) return false;
      const slot = Math.max(now, this.#nextSlot, this.#opensAt);
      this.#nextSlot = slot + intervalMs;
      if (slot > now) await this.clock.sleep(slot - now, signal);
      if (signal?.aborted === true) return false;
      // Somebody's answer may have closed the gate meanwhile: then line up again behind it.
      if (this.closedFor() === 0) return true;
    }
  }
}

const pacers = new WeakMap<Clock, Map<string, Pacer>>();

/** The pacer of an address and token; two clients with the same ones get the same. */
export function sharedPacer(clock: Clock, address: string, token: string): Pacer {
  const ofClock = pacers.get(clock) ?? new Map<string, Pacer>();
  pacers.set(clock, ofClock);
  const key = createHash('sha256').update(`${address}\n${token}`).digest('hex');
  const pacer = ofClock.get(key) ?? new Pacer(clock);
  ofClock.set(key, pacer);
  return pacer;
}
