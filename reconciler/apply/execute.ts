/** Executes steps: which code an action calls, and which steps may be done together or must wait for each other. */
import { Conflict, Invalid } from '../../client/errors';
import type { Action } from '../plan/plan';
import { move, update } from './change';
import { create, replace } from './create';
import { objectQueue } from './own-writes';
import { cleanUp, forget, remove } from './remove';
import type { Queues } from './schedule';
import type { Run, Task } from './task';

/** What became of one step: the id it made or touched, or why it failed. */
export type Executed =
  | { readonly ok: true; readonly objectId: string | undefined }
  | { readonly ok: false; readonly error: unknown };

/** Does the tasks of one group in one go, or one; returns the id of each. */
type Verb = (run: Run, tasks: readonly Task[]) => Promise<readonly (string | undefined)[]>;

const verbs: Readonly<Record<Action, Verb>> = {
  create,
  replace: one(replace),
  adopt: one(update),
  update: one(update),
  delete: remove,
  forget: one(forget),
  move: one(move),
  sweep: one(cleanUp),
};

function one(verb: (run: Run, task: Task) => Promise<string | undefined>): Verb {
  return (run, tasks) => Promise.all(tasks.map((task) => verb(run, task)));
}

/** Executes steps of one group; one by one where the service refuses them together, so that the bad one is known. `tasks` finds out where their objects are; each attempt has an API of its own, which an interruption ends. */
export async function execute(
  runOfStep: () => Run,
  tasks: readonly (() => Task)[],
): Promise<readonly Executed[]> {
  const run = runOfStep();
  try {
    const found = tasks.map((task) => task());
    const ids = found[0] === undefined ? [] : await verbs[found[0].step.action](run, found);
    return found.map((_, index) => ({ ok: true, objectId: ids[index] }));
  } catch (error) {
    const splits = error instanceof Invalid || error instanceof Conflict;
    if (tasks.length === 1 || !splits) return tasks.map(() => ({ ok: false, error }));
  }
  const executed: Executed[] = [];
  for (const task of tasks) executed.push(...(await execute(runOfStep, [task])));
  return executed;
}

/** The queues of a step: its own object's, that of each object whose fields show it, and its kind's queue of creates. */
export function queuesOf(run: Run, { step, definition, isLink, key, id }: Task): Queues {
  if (!isLink) return { queues: id === undefined ? [] : [objectQueue(definition.kind, id)], group: null };
  const batch = definition.batch?.lane(key);
  const creates = step.action === 'create' ? definition.createLane?.(key) : undefined;
  const isCall = step.action === 'create' || step.action === 'delete';
  return {
    queues: [...[batch, creates].filter((queue) => queue !== undefined), ...run.own.shownBy(definition, key)],
    group: batch !== undefined && isCall ? `${step.action} ${batch}` : null,
  };
}
