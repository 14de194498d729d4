// Writes run triggers as JSON API resources.

import type { Access } from '../rules/access';
import type { World } from '../rules/world';
import type { RunTriggerRecord } from '../store/records';
import { workspaceResource } from './place-document';

/** The resource of a trigger, the same in create, show and lists. */
export function triggerResource({ store }: World, trigger: RunTriggerRecord) {
  const { id, workspaceId, sourceableId } = trigger;
  return {
    id,
    type: 'run-triggers',
    attributes: {
      'workspace-name': store.read('workspaces', workspaceId)?.name ?? workspaceId,
      'sourceable-name': store.read('workspaces', sourceableId)?.name ?? sourceableId,
      'created-at': trigger.createdAt,
    },
    relationships: {
      workspace: { data: { id: workspaceId, type: 'workspaces' } },
      sourceable: { data: { id: sourceableId, type: 'workspaces' } },
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  };
}

/** What was asked to come along with the triggers: each workspace once, and only those the caller may read. */
export function triggerIncludes(
  { store }: World,
  access: Access,
  triggers: readonly RunTriggerRecord[],
  asked: ReadonlySet<string>,
) {
  if (asked.size === 0) return {};
  const ids = new Set(
    triggers.flatMap(({ workspaceId, sourceableId }) => [
      ...(asked.has('workspace') ? [workspaceId] : []),
      ...(asked.has('sourceable') ? [sourceableId] : []),
    ]),
  );
  const workspaces = [...ids].flatMap((id) => store.read('workspaces', id) ?? []);
  return { included: workspaces.filter((workspace) => access.readsRuns(workspace)).map(workspaceResource) };
}
