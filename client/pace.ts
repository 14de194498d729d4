/** When a request may be sent: evenly spaced, and behind a gate that a Retry-After closes. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since 1970; never runs backwards. */
  now(): number;
  /** Ends with the signal's abort too; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** It is monotonic, since a step back of the system time would stall the pacing. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

/** Requests a second, requests in flight, and the longest that a call waits behind a closed gate. */
type Limits = Readonly<Record<'rate' | 'concurrency' | 'patienceMs', number>>;

/** What all clients with one address and token share. */
export class Pacer {
  #next = 0;
  #opensAt = 0;
  #inFlight = 0;
  #onLeave = () => {};
  #line: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the gate opens; 0 when it is open. */
  closedFor(): number {
    return Math.max(0, this.#opensAt - this.clock.now());
  }

  /** Never shortens what another answer asked for. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.clock.now() + milliseconds);
  }

  /** Waits in line for a turn, or until the signal's abort; then `leave` is due. False when the gate stays closed for too long. */
  turn(limits: Limits, signal: AbortSignal): Promise<boolean> {
    const since = this.clock.now();
    const turn = this.#line.then(() => this.#first(limits, signal, since));
    this.#line = turn;
    return turn;
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#onLeave();
  }

  /** Only the first in line is here, so nobody overtakes. */
  async #first(limits: Limits, signal: AbortSignal, since: number): Promise<boolean> {
    const intervalMs = 1000 / limits.rate;
    const left = (resolve: () => void) => {
      this.#onLeave = resolve;
      signal.addEventListener('abort', resolve, { once: true });
    };
    while (this.#inFlight >= limits.concurrency && !signal.aborted) await new Promise<void>(left);
    for (let due = 0; !signal.aborted; await this.clock.sleep(due - this.clock.now(), signal)) {
      const now = this.clock.now();
      if (this.#opensAt - now > limits.patienceMs) return false;
      due = Math.max(this.#next, this.#opensAt);
      if (due > now) continue;
      // Timers are late. A quarter of an interval is made up for, so that no second holds more than the rate.
      this.#next = Math.max(due, since, now - intervalMs / 4) + intervalMs;
      break;
    }
    this.#inFlight += 1;
    return true;
  }
}

const pacers = new WeakMap<Clock, Map<string, Pacer>>();

export function sharedPacer(clock: Clock, address: string, token: string): Pacer {
  const known = pacers.get(clock) ?? new Map<string, Pacer>();
  const key = createHash('sha256').update(`${address}\n${token}`).digest('hex');
  const pacer = known.get(key) ?? new Pacer(clock);
  pacers.set(clock, known.set(key, pacer));
  return pacer;
}

/** Milliseconds after a failed attempt (from 1): exponential, with full jitter by `random`. */
export function backoff(attempt: number, random: number): number {
  return Math.round(random * Math.min(10_000, 250 * 2 ** (attempt - 1)));
}

/** No answer may close the gate for longer than this. */
const longestMs = 3_600_000;

/** Milliseconds, by Retry-After (seconds or date) or x-ratelimit-reset; null without, or for 0. */
export function requestedDelay(
  headers: Readonly<Partial<Record<'date' | 'retry-after' | 'x-ratelimit-reset', string>>>,
  now: number,
): number | null {
  const { 'retry-after': after, 'x-ratelimit-reset': reset, date } = headers;
  const asked = seconds(after) ?? untilDate(after, date, now) ?? seconds(reset) ?? 0;
  return asked === 0 ? null : Math.min(asked, longestMs);
}

function seconds(text = ''): number | null {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1000) : null;
}

/** Counts from the answer's own Date, since clocks may differ. */
function untilDate(text = '', date = '', now = 0): number | null {
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - (Date.parse(date) || now));
}
