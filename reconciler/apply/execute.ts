/** Carries out steps: which code a step's action calls, and which steps may be done together or must wait for each other. */
import { Conflict, Invalid } from '../../client/errors';
import { create, createTogether } from './create';
import { forget, move } from './let-go';
import { objectLane } from './own-writes';
import { remove, removeTogether } from './remove';
import { placeOf, type Run, type Task } from './run';
import type { Lanes } from './schedule';
import { refuseStale } from './stale';
import { sweep } from './sweep';
import { readAgain, update } from './update';

/** What became of one step: the id it made or touched, or why it failed. */
export type Carried = { readonly task: Task } & (
  | { readonly ok: true; readonly objectId?: string }
  | { readonly ok: false; readonly error: unknown }
);

/** Carries out steps of one group, one by one where the service refuses them together, so that the bad one is known. */
export async function carryOut(run: Run, tasks: readonly Task[]): Promise<readonly Carried[]> {
  if (tasks.length > 1) {
    try {
      return await carryOutTogether(run, tasks);
    } catch (error) {
      const splits = error instanceof Invalid || error instanceof Conflict;
      if (!splits) return tasks.map((task) => ({ task, ok: false, error }));
    }
  }
  const carried: Carried[] = [];
  for (const task of tasks) carried.push(await carryOutOne(run, task));
  return carried;
}

async function carryOutTogether(all: Run, tasks: readonly Task[]): Promise<readonly Carried[]> {
  const run = ofStep(all);
  if (tasks[0]?.step.action === 'delete') {
    await removeTogether(run, tasks);
    return tasks.map((task) => ({ task, ok: true }));
  }
  const ids = await createTogether(run, tasks);
  return tasks.map((task, index) => ({ task, ok: true, objectId: ids[index] ?? '' }));
}

async function carryOutOne(run: Run, task: Task): Promise<Carried> {
  try {
    const objectId = await act(ofStep(run), task);
    return { task, ok: true, ...(objectId === undefined ? {} : { objectId }) };
  } catch (error) {
    return { task, ok: false, error };
  }
}

function ofStep(run: Run): Run {
  return { ...run, api: run.forStep() };
}

async function act(run: Run, task: Task): Promise<string | undefined> {
  const { step } = task;
  switch (step.action) {
    case 'create':
      return create(run, task);
    case 'replace':
      if (step.objectId === undefined) throw new Error(`${step.id} does not say what it replaces`);
      if (step.approval?.given === false)
        throw new Error(`${step.id} is not approved: ${step.approval.line}`);
      // What is carried over was read when it was planned, and the old object goes afterwards.
      refuseStale(run, task, await readAgain(run, task, step.objectId));
      return create(run, task, step.objectId);
    case 'adopt':
    case 'update':
      return update(run, task);
    case 'delete':
      return remove(run, task);
    case 'sweep':
      return sweep(run, task);
    case 'move':
      return move(run, task);
    case 'forget':
      return forget(run, task);
  }
}

/** The queues of a step: its own object's, that of each object whose fields show it, and its kind's queue of creates. */
export function lanesOf(run: Run, task: Task): Lanes {
  const { step, definition } = task;
  const calls = step.action === 'create' || step.action === 'delete';
  try {
    const { key } = placeOf(run, task);
    if (definition.pair.length === 0) {
      const id = step.objectId ?? run.ledger.objects.get(step.key)?.id;
      return { lanes: id === undefined ? [] : [objectLane(definition.kind, id)], group: null };
    }
    const lane = definition.batch?.lane(key);
    const queue = step.action === 'create' ? definition.createLane?.(key) : undefined;
    return {
      lanes: [
        ...(lane === undefined ? [] : [lane]),
        ...(queue === undefined ? [] : [queue]),
        ...run.own.shownBy(definition, key),
      ],
      group: lane === undefined || !calls ? null : `${step.action} ${lane}`,
    };
  } catch {
    // What cannot be placed fails on its own when it is carried out.
    return { lanes: [], group: null };
  }
}
