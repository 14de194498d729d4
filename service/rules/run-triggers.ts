// The rules of run triggers: what is refused, what changes, what lists show.

import { timestamp } from '../machine';
import type { RunTriggerRecord, WorkspaceRecord } from '../store';
import type { World } from '../world';
import type { Access } from './access';
import { inBody, notFound, Refusal } from './refusal';

export function createTrigger(
  { store, behaviours, clock, newId }: World,
  access: Access,
  target: WorkspaceRecord,
  sourceableId: string,
) {
  const source = access.readableWorkspace(sourceableId);
  if (source.organization !== target.organization) throw notFound();
  const refuse = (detail: string, status = 422) => {
    throw new Refusal(status, [inBody('/data/relationships/sourceable/data/id', detail)]);
  };
  if (source.id === target.id) refuse('a workspace cannot be its own source');
  const present = store.list('runTriggers', 'workspaceId', target.id);
  const duplicate = behaviours['duplicate-trigger'];
  if (duplicate !== 'accept' && present.some((trigger) => trigger.sourceableId === source.id)) {
    refuse(`workspace ${source.id} already is a source of ${target.id}`, Number(duplicate));
  }
  const most = behaviours['max-sources'];
  if (most !== 'off' && present.length >= most) {
    refuse(`workspace ${target.id} already has ${present.length} sources; at most ${most} are allowed`);
  }
  const createdAt = timestamp(clock);
  const record = { id: newId('rt'), createdAt, workspaceId: target.id, sourceableId: source.id };
  store.put('runTriggers', record);
  return record;
}

export function listTriggers(
  { visibility, behaviours }: World,
  access: Access,
  { id }: WorkspaceRecord,
  isInbound: boolean,
) {
  const triggers = visibility.list('runTriggers', isInbound ? 'workspaceId' : 'sourceableId', id);
  if (behaviours['lists-hide-unreadable'] === 'no') return triggers;
  return triggers.filter((trigger) =>
    access.readsRuns(isInbound ? trigger.sourceableId : trigger.workspaceId),
  );
}

export function deleteTrigger({ store, visibility }: World, trigger: RunTriggerRecord): undefined {
  store.remove('runTriggers', trigger.id);
  visibility.fade('runTriggers', trigger);
}

const heldForMs = 25;

/** Where switched on, a create for a target whose last one is not answered yet is refused, as some services do. */
export function lockOfTargets({ behaviours, clock, closing }: World) {
  const held = new Set<string>();
  return async <Result>(targetId: string, create: () => Result): Promise<Result> => {
    const status = behaviours['trigger-lock'];
    if (status === 'off') return create();
    if (held.has(targetId)) {
      const detail = 'Run Trigger creation locked by another user in your organization. Please try again';
      throw new Refusal(Number(status), detail);
    }
    held.add(targetId);
    try {
      const result = create();
      await clock.wait(heldForMs, closing);
      return result;
    } finally {
      held.delete(targetId);
    }
  };
}
