/** The faults of a write: what becomes of it, and of the response to it. */
import type { Fault } from './fault-injector';

const second = 1000;

/** After each of these, another apply is enough. */
export const recoverableFaults: Readonly<Record<string, Fault>> = {
  'not applied, no response': { service: { how: 'reset-before' } },
  'not applied, never a response': { service: { how: 'reset-before' }, always: true },
  'applied, no response': { service: { how: 'reset-after' } },
  'applied, never a response': { service: { how: 'reset-after' }, always: true },
  'applied, half a response': { service: { how: 'truncate' } },
  'applied, garbage in the response': { service: { how: 'garbage' } },
  'applied, answered with 500': { service: { how: 'status', status: 500, applied: true } },
  'applied, answered with 503': { service: { how: 'status', status: 503, applied: true }, always: true },
  'not applied, answered with 500': { service: { how: 'status', status: 500 } },
  'not applied, answered with 503': { service: { how: 'status', status: 503 }, always: true },
  'not applied, answered with 429': { service: { how: 'status', status: 429 } },
  'not applied, answered with 404': { service: { how: 'status', status: 404 } },
  'not applied, answered with 422': { service: { how: 'status', status: 422 } },
  'applied 3 s later': { delayMs: 3 * second },
  'applied 20 s later': { delayMs: 20 * second },
  'killed, applied 3 s later': { delayMs: 3 * second, kill: 'before' },
  'killed, applied 20 s later': { delayMs: 20 * second, kill: 'before' },
};

/** A create of a client cannot recover from these without a user. Every other write can. */
export const createGaps: Readonly<Record<string, Fault>> = {
  'applied 5 min later': { delayMs: 300 * second },
  'applied, answered with 429': { service: { how: 'status', status: 429, applied: true } },
  'applied, answered with 404': { service: { how: 'status', status: 404, applied: true } },
  'applied, answered with 422': { service: { how: 'status', status: 422, applied: true } },
};
