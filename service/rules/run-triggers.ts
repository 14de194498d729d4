// The rules of run triggers: who may do what, what is refused, what changes.

import type { RunTriggerRecord, WorkspaceRecord } from '../store/records';
import type { Access } from './access';
import { notFound, Refusal, unprocessable } from './problem';
import { timestamp, type World } from './world';

/** Which end of the trigger the listed workspace is. */
export type Direction = 'inbound' | 'outbound';

const sourcePointer = '/data/relationships/sourceable/data/id';

/** Creates the trigger that lets runs of the source create runs in the target. */
export function createTrigger(
  world: World,
  access: Access,
  target: WorkspaceRecord,
  sourceableId: string,
): RunTriggerRecord {
  const source = access.readableWorkspace(sourceableId);
  if (source.organization !== target.organization) throw notFound();
  if (source.id === target.id) {
    throw unprocessable({ pointer: sourcePointer, detail: 'a workspace cannot be its own source' });
  }
  const present = world.store.list('runTriggers', 'workspaceId', target.id);
  const duplicate = world.behaviours['duplicate-trigger'];
  if (duplicate !== 'accept' && present.some((trigger) => trigger.sourceableId === source.id)) {
    const detail = `workspace ${source.id} already is a source of ${target.id}`;
    throw new Refusal(duplicate === '409' ? 409 : 422, [{ detail, source: { pointer: sourcePointer } }]);
  }
  const most = world.behaviours['max-sources'];
  if (most !== 'off' && present.length >= most) {
    throw unprocessable({
      pointer: sourcePointer,
      detail: `workspace ${target.id} already has ${present.length} sources; at most ${most} are allowed`,
    });
  }
  const record: RunTriggerRecord = {
    id: world.newId('rt'),
    createdAt: timestamp(world.clock),
    workspaceId: target.id,
    sourceableId: source.id,
  };
  world.store.atomically(() => world.store.put('runTriggers', record));
  return record;
}

/** The triggers of a workspace that a list shows to the caller. */
export function listTriggers(
  world: World,
  access: Access,
  workspace: WorkspaceRecord,
  direction: Direction,
): RunTriggerRecord[] {
  const triggers = world.visibility.triggersOf(
    direction === 'inbound' ? 'workspaceId' : 'sourceableId',
    workspace.id,
  );
  if (world.behaviours['lists-hide-unreadable'] === 'no') return triggers;
  return triggers.filter((trigger) => {
    const other = direction === 'inbound' ? trigger.sourceableId : trigger.workspaceId;
    const there = world.store.read('workspaces', other);
    return there !== undefined && access.readsRuns(there);
  });
}

/** The trigger, when the caller may read runs of either end. Throws 404. */
export function readTrigger(world: World, access: Access, id: string): RunTriggerRecord {
  const trigger = world.store.read('runTriggers', id);
  const ends = trigger ? [trigger.workspaceId, trigger.sourceableId] : [];
  const readable = ends.some((end) => {
    const workspace = world.store.read('workspaces', end);
    return workspace !== undefined && access.readsRuns(workspace);
  });
  if (!trigger || !readable) throw notFound();
  return trigger;
}

/** Removes the trigger; the caller must be an admin of its target. Throws 404. */
export function deleteTrigger(world: World, access: Access, id: string): void {
  const trigger = world.store.read('runTriggers', id);
  if (!trigger) throw notFound();
  access.administeredWorkspace(trigger.workspaceId);
  world.store.atomically(() => world.store.remove('runTriggers', id));
  world.visibility.fade('runTriggers', trigger);
}
