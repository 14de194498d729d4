/** Limits the requests of a token per second, in one of three ways. */
import type { World } from '../world';
import { Refusal } from './refusal';

const second = 1000;

/** Returns how long a request counts against the limit. `last` is the result for the request before. */
const takesRoomUntil = {
  'token-bucket': (now: number, last: number, rate: number) => Math.max(now, last) + second / rate,
  'fixed-window': (now: number) => (Math.floor(now / second) + 1) * second,
  'sliding-window': (now: number) => now + second,
};

/** Counts the requests of each token and returns headers of the response. Throws 429. */
export function rateLimit({ behaviours, clock }: World) {
  const requestEnds = new Map<string, number[]>();
  return (tokenDigest: string): Record<string, string> => {
    const { rate, 'rate-limit': algorithm } = behaviours;
    if (algorithm === 'off') return {};
    const now = clock.now();
    const ends = (requestEnds.get(tokenDigest) ?? []).filter((time) => time > now);
    requestEnds.set(tokenDigest, ends);
    // A rate below one per second lets one request pass at a time.
    const isPassing = ends.length < rate;
    if (isPassing) ends.push(takesRoomUntil[algorithm](now, ends.at(-1) ?? now, rate));
    const headers = {
      'x-ratelimit-limit': String(rate),
      'x-ratelimit-remaining': String(Math.max(0, Math.floor(rate - ends.length))),
      'x-ratelimit-reset': (((ends[0] ?? now) - now) / second).toFixed(3),
    };
    const detail = `more than ${rate} requests in a second; try again in x-ratelimit-reset seconds`;
    if (!isPassing) throw new Refusal(429, detail, headers);
    return headers;
  };
}
