/** Time as the client and the ledger see it, so that tests can own it. */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the epoch; never runs backwards. */
  now(): number;
  /** Resolves after that long, or as soon as the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock; monotonic, since a step back of the system time would stall the pacing. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

// Even spacing of requests (GCRA without burst) and one gate that a Retry-After closes, shared per token.
/** What all clients with one address and token share. */
export class Pacer {
  #nextSlot = 0;
  #opensAt = 0;
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the gate opens; 0 when it is open. */
  closedFor(): number {
    return Math.max(0, this.#opensAt - this.clock.now());
  }

  /** Lets nothing through for so long; never shortens what another answer asked for. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.clock.now() + milliseconds);
  }

  /** Takes a place among the requests in flight; from the signal's abort on there is one for everybody, since next to nothing is sent any more. */
  async enter(concurrency: number, signal: AbortSignal): Promise<void> {
    if (this.#inFlight < concurrency || signal.aborted) {
      this.#inFlight += 1;
      return;
    }
    // The place is handed over by leave(), so the count stays as it is.
    await new Promise<void>((resolve) => {
      const aborted = () => {
        this.#waiting.delete(placed);
        this.#inFlight += 1;
        resolve();
      };
      const placed = () => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      this.#waiting.add(placed);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inFlight -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Resolves when the next request may be sent, or the signal aborts; false if the gate stays closed for longer than `patienceMs`. */
  async slot(intervalMs: number, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const now = this.clock.now();
      if (this.#opensAt - now > patienceMs) return false;
      const slot = Math.max(now, this.#nextSlot, this.#opensAt);
      this.#nextSlot = slot + intervalMs;
      if (slot > now) await this.clock.sleep(slot - now, signal);
      // Somebody's answer may have closed the gate meanwhile: then line up again behind it.
      if (this.closedFor() === 0) return true;
    }
    return true;
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
