/** When a request may be sent: evenly spaced, behind a gate that a Retry-After closes, after a pause. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since the epoch; never runs backwards. */
  now(): number;
  /** Ends with the signal's abort too; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Monotonic, since a step back of the system time would stall the pacing. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

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

  /** Never shortens what another answer asked for. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.clock.now() + milliseconds);
  }

  /** Takes a place in flight; after the signal's abort there is one for everybody. */
  async enter(concurrency: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const proceed = () => {
        this.#waiting.delete(proceed);
        signal.removeEventListener('abort', proceed);
        this.#inFlight += 1;
        resolve();
      };
      if (this.#inFlight < concurrency || signal.aborted) return proceed();
      this.#waiting.add(proceed);
      signal.addEventListener('abort', proceed);
    });
  }

  leave(): void {
    this.#inFlight -= 1;
    const [next] = this.#waiting;
    next?.();
  }

  /** Waits for a slot or the signal's abort; false when the gate stays closed for longer than `patienceMs`. */
  async slot(intervalMs: number, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const now = this.clock.now();
      if (this.#opensAt - now > patienceMs) return false;
      const slot = Math.max(now, this.#nextSlot, this.#opensAt);
      this.#nextSlot = slot + intervalMs;
      if (slot > now) await this.clock.sleep(slot - now, signal);
      // Another answer may have closed the gate meanwhile: line up again.
      if (this.closedFor() === 0) return true;
    }
    return true;
  }
}

const pacers = new WeakMap<Clock, Map<string, Pacer>>();

export function sharedPacer(clock: Clock, address: string, token: string): Pacer {
  const ofClock = pacers.get(clock) ?? new Map<string, Pacer>();
  const key = createHash('sha256').update(`${address}\n${token}`).digest('hex');
  const pacer = ofClock.get(key) ?? new Pacer(clock);
  pacers.set(clock, ofClock.set(key, pacer));
  return pacer;
}

/** No answer may close the gate for longer than this. */
const longestMs = 3_600_000;

/** Milliseconds after a failed attempt (from 1): exponential, with full jitter by `random`. */
export function backoff(attempt: number, random: number): number {
  return Math.round(random * Math.min(10_000, 250 * 2 ** (attempt - 1)));
}

/** Milliseconds, by Retry-After (seconds or date) or x-ratelimit-reset; null without, or for 0. */
export function requestedDelay(headers: Readonly<Record<string, string>>, now: number): number | null {
  const { 'retry-after': after, 'x-ratelimit-reset': reset, date } = headers;
  const asked = seconds(after) ?? untilDate(after, date, now) ?? seconds(reset) ?? 0;
  return asked === 0 ? null : Math.min(asked, longestMs);
}

function seconds(text = ''): number | null {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1000) : null;
}

/** From the answer's own Date, since clocks may differ. */
function untilDate(text = '', date = '', now = 0): number | null {
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const answered = Date.parse(date);
  return Math.max(0, until - (Number.isNaN(answered) ? now : answered));
}
