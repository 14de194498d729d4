/** Decides when a request may be sent. Requests are evenly spaced, and Retry-After closes a gate before them. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A source of time, which tests replace. */
export interface Clock {
  /** Milliseconds since 1970. It never runs backwards. */
  now(): number;
  /** Resolves early when the signal aborts. It never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** It is monotonic, because a step back of the system time would stop the requests. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

/** The requests a second, the requests in flight, and how long a call may wait behind a closed gate. */
type Limits = Readonly<Record<'rate' | 'concurrency' | 'patienceMs', number>>;

/** Paces the requests of all clients with one address and token. */
export class Pacer {
  #next = 0;
  #opensAt = 0;
  #inFlight = 0;
  /** The first limit that the service told, in requests a second. */
  #limit = Number.POSITIVE_INFINITY;
  #onLeave = () => {};
  #line: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Returns the milliseconds until the gate opens, or 0 if it is open. */
  closedFor(): number {
    return Math.max(0, this.#opensAt - this.clock.now());
  }

  /** Closes the gate. It never shortens the wait that another response asked for. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.clock.now() + milliseconds);
  }

  /** Keeps to the first `x-ratelimit-limit` of a response. Anything but a whole number above 0 is ignored. */
  follow(limit = ''): void {
    if (this.#limit === Number.POSITIVE_INFINITY && /^0*[1-9]\d*$/.test(limit)) this.#limit = Number(limit);
  }

  /** Waits for a turn, or until the signal aborts. True after a turn was taken, which the caller must `leave`. False if the gate stays closed too long. */
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

  /** Only the first call in line is here, so no call overtakes another. */
  async #first(limits: Limits, signal: AbortSignal, since: number): Promise<boolean> {
    const intervalMs = 1000 / Math.min(limits.rate, rateBelow(this.#limit));
    const waitForLeave = (resolve: () => void) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#onLeave = end;
      signal.addEventListener('abort', end);
    };
    while (this.#inFlight >= limits.concurrency && !signal.aborted) await new Promise<void>(waitForLeave);
    while (!signal.aborted) {
      const now = this.clock.now();
      if (this.#opensAt - now > limits.patienceMs) return false;
      const due = Math.max(this.#next, this.#opensAt);
      if (due <= now) {
        // Timers are late. Only a quarter of an interval is made up, so that no second has more requests than the rate.
        this.#next = Math.max(due, since, now - intervalMs / 4) + intervalMs;
        break;
      }
      await this.clock.sleep(due - now, signal);
    }
    this.#inFlight += 1;
    return true;
  }
}

/** Returns the requests per second for a limit. It is a little lower, so that other users of the token have room. */
export function rateBelow(limit: number): number {
  return (limit * 29) / 30;
}

const pacers = new WeakMap<Clock, Map<string, Pacer>>();

export function sharedPacer(clock: Clock, address: string, token: string): Pacer {
  const pacersOfClock = pacers.get(clock) ?? new Map<string, Pacer>();
  const key = createHash('sha256').update(`${address}\n${token}`).digest('hex');
  const pacer = pacersOfClock.get(key) ?? new Pacer(clock);
  pacers.set(clock, pacersOfClock.set(key, pacer));
  return pacer;
}

/** Returns the wait after an attempt (from 1) in milliseconds. It is exponential, with full jitter from `random`. */
export function backoff(attempt: number, random: number): number {
  return Math.round(random * Math.min(10_000, 250 * 2 ** (attempt - 1)));
}

/** No response may close the gate for longer than this. */
const maxDelayMs = 3_600_000;

/** Returns the milliseconds of Retry-After (seconds or a date), and after a 429 of x-ratelimit-reset. It is null for none or 0. */
export function requestedDelay(
  headers: Readonly<Partial<Record<'date' | 'retry-after' | 'x-ratelimit-reset', string>>>,
  now: number,
  status: number,
): number | null {
  const { 'retry-after': after, 'x-ratelimit-reset': reset, date } = headers;
  const delay = parseSeconds(after) ?? untilDate(after, date, now);
  const ms = delay ?? (status === 429 ? parseSeconds(reset) : 0) ?? 0;
  return ms === 0 ? null : Math.min(ms, maxDelayMs);
}

function parseSeconds(text = ''): number | null {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1000) : null;
}

/** Counts from the Date of the response, because clocks may differ. */
function untilDate(text = '', date = '', now = 0): number | null {
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - (Date.parse(date) || now));
}
