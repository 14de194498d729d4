/** How long to wait before the next attempt: what the service asks for, else exponential backoff with full jitter. */

const BASE_MS = 250;
const CAP_MS = 10_000;
/** No answer may close the gate for longer than this. */
const LONGEST_MS = 3_600_000;

/** Milliseconds after failed attempt `attempt` (from 1); `random` is from 0 up to 1. */
export function backoff(attempt: number, random: number): number {
  return Math.round(random * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)));
}

/** Milliseconds that the answer asks to wait, from Retry-After (seconds or date) or x-ratelimit-reset; null without or for 0. */
export function requestedDelay(headers: Readonly<Record<string, string>>, now: number): number | null {
  const retryAfter = headers['retry-after'];
  const reset = headers['x-ratelimit-reset'];
  const asked =
    (retryAfter === undefined ? null : (seconds(retryAfter) ?? untilDate(retryAfter, headers.date, now))) ??
    (reset === undefined ? null : seconds(reset));
  return asked === null || asked === 0 ? null : Math.min(asked, LONGEST_MS);
}

function seconds(text: string): number | null {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1000) : null;
}

/** A date is compared with the answer's own Date, since the two machines' clocks may differ. */
function untilDate(text: string, date: string | undefined, now: number): number | null {
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const from = date === undefined ? Number.NaN : Date.parse(date);
  return Math.max(0, until - (Number.isNaN(from) ? now : from));
}
