// The operations on run triggers, and run triggers as JSON API resources.

import { createTrigger, deleteTrigger, listTriggers, lockOfTargets } from '../rules/run-triggers';
import { choice, object, reference, string } from '../schema';
import type { RunTriggerRecord } from '../store';
import type { World } from '../world';
import { type Call, type Operations, operation, relationTo } from './operation';
import { includeQuery, pageOf, pagingQuery, readInclude } from './paging';
import { workspaceResource } from './places';

const includable = ['workspace', 'sourceable'];
const directionFilter = 'filter[run-trigger][type]';

const source = reference('workspaces', { ...string, examples: ['ws-network'] });
const createBody = object({
  data: object(
    { relationships: object({ sourceable: object({ data: source }) }) },
    { type: choice('run-triggers') },
  ),
});

export function triggerOperations(world: World): Operations {
  const { behaviours, profile } = world;
  const locked = lockOfTargets(world);
  const ofWorkspace = { path: '/workspaces/:workspace_id/run-triggers', answer: 'run-triggers' };
  const path = '/run-triggers/:run_trigger_id';
  return {
    createRunTrigger: operation({
      ...ofWorkspace,
      method: 'POST',
      body: createBody,
      find: (access, id) => access.administeredWorkspace(id),
      run: (target, { access, body }) =>
        locked(target.id, () => {
          const sourceableId = body.data.relationships.sourceable.data.id;
          return { data: triggerResource(world, createTrigger(world, access, target, sourceableId)) };
        }),
    }),
    listRunTriggers: operation({
      ...ofWorkspace,
      method: 'GET',
      isList: true,
      query: {
        [directionFilter]: choice('inbound', 'outbound'),
        ...pagingQuery(behaviours),
        ...includeQuery(includable),
      },
      requiredQuery: [directionFilter],
      find: (access, id) => access.readableWorkspace(id),
      run: (workspace, call) => {
        const direction = call.query[directionFilter] === 'inbound' ? 'inbound' : 'outbound';
        const triggers = listTriggers(world, call.access, workspace, direction);
        const { items, members } = pageOf(world, call, triggers);
        const data = items.map((trigger) => triggerResource(world, trigger));
        const honoured = direction === 'inbound' || profile.capabilities.includeOnOutbound;
        return { data, ...(honoured && triggerIncludes(world, call, items)), ...members };
      },
    }),
    showRunTrigger: operation({
      method: 'GET',
      path,
      answer: 'run-triggers',
      query: includeQuery(includable),
      find: (access, id) => access.readableTrigger(id),
      run: (trigger, call) => ({
        data: triggerResource(world, trigger),
        ...triggerIncludes(world, call, [trigger]),
      }),
    }),
    deleteRunTrigger: operation({
      method: 'DELETE',
      path,
      find: (access, id) => access.administeredTrigger(id),
      run: (trigger) => deleteTrigger(world, trigger),
    }),
  };
}

function triggerResource({ store }: World, { id, createdAt, workspaceId, sourceableId }: RunTriggerRecord) {
  return {
    id,
    type: 'run-triggers',
    attributes: {
      'workspace-name': store.read('workspaces', workspaceId)?.name ?? workspaceId,
      'sourceable-name': store.read('workspaces', sourceableId)?.name ?? sourceableId,
      'created-at': createdAt,
    },
    relationships: {
      workspace: relationTo('workspaces', workspaceId),
      sourceable: relationTo('workspaces', sourceableId),
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  };
}

// Each workspace once, and only those the caller may read.
function triggerIncludes({ store }: World, call: Call, triggers: readonly RunTriggerRecord[]) {
  const asked = readInclude(call);
  if (asked.size === 0) return {};
  const ids = triggers.flatMap(({ workspaceId, sourceableId }) => [
    ...(asked.has('workspace') ? [workspaceId] : []),
    ...(asked.has('sourceable') ? [sourceableId] : []),
  ]);
  const readable = [...new Set(ids)].filter((id) => call.access.readsRuns(id));
  return { included: readable.flatMap((id) => store.read('workspaces', id) ?? []).map(workspaceResource) };
}
