// Limits the requests of a token per second, in one of three ways.

import type { World } from '../world';
import { Refusal } from './refusal';

/** Counts a request: whether it may pass, how many more may, and when to look again. */
type Meter = (now: number) => { passes: boolean; remaining: number; resetSeconds: number };

const second = 1000;

// Refills continuously; holds one second's worth, but at least one request.
function tokenBucket(limit: number): Meter {
  const room = Math.max(1, limit);
  let tokens = room;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(room, tokens + ((now - filledAt) / second) * limit);
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

/** What of a world limits its requests. */
interface Limited {
  readonly behaviours: Pick<World['behaviours'], 'rate' | 'rate-limit'>;
  readonly clock: Pick<World['clock'], 'now'>;
}

/** Counts the requests of each token and returns headers of the answer. Throws 429. */
export function rateLimit({ behaviours, clock }: Limited) {
  const ofTokens = new Map<string, Meter>();
  return (tokenDigest: string): Record<string, string> => {
    const { rate: limit, 'rate-limit': algorithm } = behaviours;
    if (algorithm === 'off') return {};
    const meter = ofTokens.get(tokenDigest) ?? meters[algorithm](limit);
    ofTokens.set(tokenDigest, meter);
    const { passes, remaining, resetSeconds } = meter(clock.now());
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': resetSeconds.toFixed(3),
    };
    const detail = `more than ${limit} requests in a second; try again in x-ratelimit-reset seconds`;
    if (!passes) throw new Refusal(429, detail, headers);
    return headers;
  };
}
