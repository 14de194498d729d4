// Time as the service sees it, so that tests can decide what time it is.

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
