// Limits the requests of a token per second, in one of three ways.

import type { World } from '../world';
import { Refusal } from './refusal';

const second = 1000;

/** Counts a request: whether it may pass, how many more may, and when to look again. */
type Meter = (now: number) => { passes: boolean; remaining: number; resetMs: number };

/** Each request that passed counts until a time that follows from its own. */
function counting(countsUntil: (time: number) => number) {
  return (limit: number): Meter => {
    let ends: number[] = [];
    return (now) => {
      ends = ends.filter((time) => time > now);
      const passes = ends.length < limit;
      if (passes) ends.push(countsUntil(now));
      return { passes, remaining: limit - ends.length, resetMs: (ends[0] ?? now) - now };
    };
  };
}

/** Refills continuously, and holds one second's worth, but at least one request. */
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
    return { passes, remaining: Math.floor(tokens), resetMs: (missing / limit) * second };
  };
}

const meters = {
  'token-bucket': tokenBucket,
  'fixed-window': counting((time) => (Math.floor(time / second) + 1) * second),
  'sliding-window': counting((time) => time + second),
};

/** The parts of a world that limit its requests. */
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
    const { passes, remaining, resetMs } = meter(clock.now());
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': (resetMs / second).toFixed(3),
    };
    const detail = `more than ${limit} requests in a second; try again in x-ratelimit-reset seconds`;
    if (!passes) throw new Refusal(429, detail, headers);
    return headers;
  };
}
