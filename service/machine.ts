// What the service takes from the machine: time, ids that cannot be guessed, digests.

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the service needs from time: the current instant and a wait that ends early when the signal aborts. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal aborts. Never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
  },
};

/** The current instant as the API writes it: ISO 8601 with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Makes one id for a prefix such as `oc`: the prefix, a dash, and 16 letters and digits. */
export type IdSource = (prefix: string) => string;

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Ids that nobody can guess and that do not repeat. */
export const randomIds: IdSource = (prefix) => {
  const letters = Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]);
  return `${prefix}-${letters.join('')}`;
};

/**
 * The only form in which the service keeps a secret: SHA-256 of the text in lower-case hex.
 * It proves that a secret is there and whether it changed, no more.
 */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}
