/** The rules for creating run triggers. */
import { timestamp } from '../machine';
import type { WorkspaceRecord } from '../store';
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
  const inbound = store.list('runTriggers', 'workspaceId', target.id);
  const duplicate = behaviours['duplicate-trigger'];
  if (duplicate !== 'accept' && inbound.some((trigger) => trigger.sourceableId === source.id)) {
    refuse(`workspace ${source.id} already is a source of ${target.id}`, Number(duplicate));
  }
  const maxSources = behaviours['max-sources'];
  if (maxSources !== 'off' && inbound.length >= maxSources) {
    refuse(`workspace ${target.id} already has ${inbound.length} sources; at most ${maxSources} are allowed`);
  }
  const createdAt = timestamp(clock);
  const record = { id: newId('rt'), createdAt, workspaceId: target.id, sourceableId: source.id };
  store.put('runTriggers', record);
  return record;
}

const lockedForMs = 25;

/** Some services refuse a create for a target while another one is in progress. */
export function lockTargets({ behaviours, clock, closing }: World) {
  const lockedIds = new Set<string>();
  return async <Result>(targetId: string, create: () => Result): Promise<Result> => {
    const status = behaviours['trigger-lock'];
    if (status === 'off') return create();
    if (lockedIds.has(targetId)) {
      const detail = 'Run Trigger creation locked by another user in your organization. Please try again';
      throw new Refusal(Number(status), [inBody('/data', detail)]);
    }
    lockedIds.add(targetId);
    try {
      const result = create();
      await clock.wait(lockedForMs, closing);
      return result;
    } finally {
      lockedIds.delete(targetId);
    }
  };
}
