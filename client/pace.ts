/** When a request may be sent: evenly spaced, with room for others, behind a gate that a Retry-After closes, after a pause. */
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

const second = 1000;
/** Timers are never exact: what they are late is made up for at up to twice the rate, unless it is more than this. */
const mostMadeUpMs = 100;
/** What lies between a request and the one that takes its place in the allowance: a second, and so much. */
const margin = 10;
/** An answer that was slower than others may mean a request that arrived so much later: up to this. */
const mostLateMs = 150;
/** After a 429 nothing leaves for this time: a bucket that two have emptied gets some for both. */
const pauseMs = 250;
/** Another 429 within this time is no coincidence. */
const rarelyMs = 10_000;
/** Of our own rate, where others use the allowance: at least, and more for each second in which there is room. */
const leastShare = 1 / 16;
const growth = 0.02;
/** Of the limit: with less left over, a second was crowded. */
const scarce = 0.1;

/** Of the answers of one second: the least that was left over, and what others had used. */
const nothingSeen = { since: 0, left: Number.POSITIVE_INFINITY, others: 0, limit: 0 };

/** What all clients with one address and token share. */
export class Pacer {
  /** When the next may be sent if no timer is late. */
  #planned = 0;
  #opensAt = 0;
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();
  /** Those who wait for a slot, in the order of arrival. */
  readonly #line: object[] = [];
  /** When the latest were sent, and how long their answers took; 0 without one. */
  readonly #sent: { readonly at: number; tookMs: number }[] = [];
  #share = 1;
  #cutAt = 0;
  /** The share before a 429 that may have been a coincidence; else 0. */
  #shareBefore = 0;
  #seen = { ...nothingSeen };

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
    const place = { since: this.clock.now() };
    this.#line.push(place);
    try {
      while (!signal.aborted) {
        const now = this.clock.now();
        if (this.#opensAt - now > patienceMs) return false;
        const interval = intervalMs / this.#share;
        const planned = Math.max(this.#planned, this.#opensAt);
        const ahead = this.#line.indexOf(place);
        const due = Math.max(planned, this.#earliest(intervalMs)) + ahead * interval;
        if (ahead === 0 && due <= now) {
          const wanted = Math.max(planned, place.since);
          // A program that stood still makes up for nothing.
          this.#planned = (now - wanted > mostMadeUpMs ? now : wanted) + interval;
          this.#sent.push({ at: now, tookMs: 0 });
          if (this.#sent.length > Math.max(100, 3 * this.#seen.limit)) this.#sent.shift();
          return true;
        }
        await this.clock.sleep(Math.max(1, due - now), signal);
      }
      return true;
    } finally {
      this.#line.splice(this.#line.indexOf(place), 1);
    }
  }

  /** What is made up for is no burst, and leaves no second of the service's clock with more than the rate. */
  #earliest(intervalMs: number): number {
    const apart = (this.#sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + intervalMs / 2;
    const first = this.#sent.at(-Math.ceil((second + margin) / intervalMs));
    if (first === undefined) return apart;
    const usual = Math.min(...this.#sent.map(({ tookMs }) => tookMs || Number.POSITIVE_INFINITY));
    const late = Math.min(mostLateMs, Math.max(0, first.tookMs - usual));
    return Math.max(apart, first.at + late + second + margin);
  }

  /** Gives way where others use the same allowance: at once for a 429, and by what each answer says is left of it. */
  answered(sentAt: number, status: number, headers: Readonly<Record<string, string>>): void {
    const now = this.clock.now();
    const seen = this.#seen;
    if (status === 429) {
      // What had left before was too fast once, not twice.
      if (sentAt <= this.#cutAt) return;
      this.#shareBefore = now - this.#cutAt > rarelyMs ? this.#share : 0;
      this.#share = Math.max(leastShare, this.#share / 2);
      this.#cutAt = now;
      this.#planned = Math.max(this.#planned, now + pauseMs);
      this.#seen = { ...nothingSeen, since: now, limit: seen.limit };
      return;
    }
    const sent = this.#sent.findLast(({ at }) => at <= sentAt);
    if (sent !== undefined) sent.tookMs = now - sentAt;
    const { 'x-ratelimit-limit': limit = '', 'x-ratelimit-remaining': left = '' } = headers;
    if (/^\d+$/.test(limit) && /^\d+$/.test(left)) {
      // However the service counts, of our own no more than these can be in it.
      const own = this.#sent.filter(({ at }) => at > sentAt - second).length;
      seen.limit = Number(limit);
      seen.left = Math.min(seen.left, Number(left));
      seen.others = Math.max(seen.others, seen.limit - Number(left) - own);
    }
    if (now - Math.max(seen.since, this.#opensAt) < second) return;
    const isShared = seen.others > seen.limit * 0.05;
    if (isShared && seen.left <= seen.limit * scarce) this.#share = Math.max(leastShare, this.#share * 0.9);
    else if (!isShared || seen.left > 2 * seen.limit * scarce)
      this.#share = Math.min(1, this.#share + growth);
    // Nobody else in a whole second, by what answers said: the 429 before it was a coincidence.
    if (!isShared && seen.left <= seen.limit) this.#share = Math.max(this.#share, this.#shareBefore);
    this.#shareBefore = 0;
    this.#seen = { ...nothingSeen, since: now, limit: seen.limit };
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
