// Limits how many requests a token may send per second, in one of three ways.

import type { World } from '../world';

/** Counts one request: whether it may pass, how many more may now, and when to look again. */
type Meter = (now: number) => { passes: boolean; remaining: number; resetSeconds: number };

const second = 1000;

// Refills continuously; holds one second's worth, but at least one request.
function tokenBucket(limit: number): Meter {
  const room = Math.max(1, limit);
  let tokens = room;
  let filledAt: number | undefined;
  return (now) => {
    tokens = Math.min(room, tokens + ((now - (filledAt ?? now)) / second) * limit);
    filledAt = now;
    const passes = tokens >= 1;
    if (passes) tokens -= 1;
    const missing = tokens >= 1 ? room - tokens : 1 - tokens;
    return { passes, remaining: Math.floor(tokens), resetSeconds: missing / limit };
  };
}

// Counts from zero at every full second.
function fixedWindow(limit: number): Meter {
  let startedAt = 0;
  let used = 0;
  return (now) => {
    const window = Math.floor(now / second) * second;
    if (window !== startedAt) used = 0;
    startedAt = window;
    const passes = used < limit;
    if (passes) used += 1;
    return { passes, remaining: limit - used, resetSeconds: (window + second - now) / second };
  };
}

// Counts the requests of the second that ends now.
function slidingWindow(limit: number): Meter {
  let passed: number[] = [];
  return (now) => {
    passed = passed.filter((time) => time > now - second);
    const passes = passed.length < limit;
    if (passes) passed.push(now);
    const resetSeconds = ((passed[0] ?? now) + second - now) / second;
    return { passes, remaining: limit - passed.length, resetSeconds };
  };
}

const meters = { 'token-bucket': tokenBucket, 'fixed-window': fixedWindow, 'sliding-window': slidingWindow };

export class RateLimit {
  readonly #meters = new Map<string, Meter>();

  constructor(private readonly world: World) {}

  /** Counts one request of a token; undefined where no limit is switched on. */
  take(tokenDigest: string) {
    const { behaviours, clock } = this.world;
    const { rate: limit, 'rate-limit': algorithm } = behaviours;
    if (algorithm === 'off') return undefined;
    const meter = this.#meters.get(tokenDigest) ?? meters[algorithm](limit);
    this.#meters.set(tokenDigest, meter);
    return { limit, ...meter(clock.now()) };
  }
}
