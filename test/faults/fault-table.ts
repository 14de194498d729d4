/** What can become of a write and its answer. */
import type { Fault } from './tap';

const second = 1000;

/** After these nothing but another apply is needed. */
export const passing: Readonly<Record<string, Fault>> = {
  'not applied, no answer': { service: { how: 'reset-before' } },
  'not applied, never an answer': { service: { how: 'reset-before' }, always: true },
  'applied, no answer': { service: { how: 'reset-after' } },
  'applied, never an answer': { service: { how: 'reset-after' }, always: true },
  'applied, half an answer': { service: { how: 'truncate' } },
  'applied, garbage for an answer': { service: { how: 'garbage' } },
  'applied, answered with 500': { service: { how: 'status', status: 500, applied: true } },
  'applied, answered with 503': { service: { how: 'status', status: 503, applied: true }, always: true },
  'not applied, answered with 500': { service: { how: 'status', status: 500 } },
  'not applied, answered with 503': { service: { how: 'status', status: 503 }, always: true },
  'not applied, answered with 429': { service: { how: 'status', status: 429 } },
  'not applied, answered with 404': { service: { how: 'status', status: 404 } },
  'not applied, answered with 422': { service: { how: 'status', status: 422 } },
  'applied 3 s later': { lateMs: 3 * second },
  'applied 20 s later': { lateMs: 20 * second },
  'killed, applied 3 s later': { lateMs: 3 * second, kill: 'before' },
  'killed, applied 20 s later': { lateMs: 20 * second, kill: 'before' },
};

/** Of a create of a client these are known gaps. Any other write ends as it was wanted. */
export const gaps: Readonly<Record<string, Fault>> = {
  'applied 5 min later': { lateMs: 300 * second },
  'applied, answered with 429': { service: { how: 'status', status: 429, applied: true } },
  'applied, answered with 404': { service: { how: 'status', status: 404, applied: true } },
  'applied, answered with 422': { service: { how: 'status', status: 422, applied: true } },
};
