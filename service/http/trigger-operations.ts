/** The operations on run triggers, and run triggers as JSON API resources. */
import { createTrigger, lockTargets } from '../rules/run-triggers';
import { choice, object, reference } from '../schema';
import type { RunTriggerRecord } from '../store';
import type { World } from '../world';
import { type Call, type Operation, operation, relationTo } from './operation';
import { cutPage, includeQuery, pagingQuery, readInclude } from './paging';
import { workspaceResource } from './places';

const directionFilter = 'filter[run-trigger][type]';

const relationships = object({ sourceable: object({ data: reference('workspaces') }) });
const createBody = object({ data: object({ relationships }, { type: choice('run-triggers') }) });

export function triggerOperations(world: World): Operation[] {
  const { behaviours, store } = world;
  const whileLocked = lockTargets(world);
  const responseType = 'run-triggers';
  const collection = { path: '/workspaces/:workspace_id/run-triggers', responseType };
  const path = '/run-triggers/:run_trigger_id';
  const include = includeQuery(['workspace', 'sourceable']);
  return [
    operation({
      ...collection,
      id: 'createRunTrigger',
      method: 'POST',
      body: createBody,
      find: (access, id) => access.administeredWorkspace(id),
      run: (target, { access, body }) =>
        whileLocked(target.id, () => {
          const sourceableId = body.data.relationships.sourceable.data.id;
          return { data: triggerResource(world, createTrigger(world, access, target, sourceableId)) };
        }),
    }),
    operation({
      ...collection,
      id: 'listRunTriggers',
      method: 'GET',
      isList: true,
      query: {
        [directionFilter]: choice('inbound', 'outbound'),
        ...pagingQuery(behaviours),
        ...include,
      },
      requiredQuery: [directionFilter],
      find: (access, id) => access.readableWorkspace(id),
      run: (workspace, call) => {
        const isInbound = call.query[directionFilter] === 'inbound';
        const all = store.listStale('runTriggers', isInbound ? 'workspaceId' : 'sourceableId', workspace.id);
        const isHiding = behaviours['lists-hide-unreadable'] === 'yes';
        const otherEnd = isInbound ? 'sourceableId' : 'workspaceId';
        const visibleTriggers = isHiding
          ? all.filter((trigger) => call.access.readsRuns(trigger[otherEnd]))
          : all;
        const { items, members } = cutPage(world, call, visibleTriggers);
        const data = items.map((trigger) => triggerResource(world, trigger));
        const isIncluding = isInbound || world.profile.capabilities.includeOnOutbound;
        return { data, ...(isIncluding && triggerIncludes(world, call, items)), ...members };
      },
    }),
    operation({
      id: 'showRunTrigger',
      method: 'GET',
      path,
      responseType,
      query: include,
      find: (access, id) => access.readableTrigger(id),
      run: (trigger, call) => ({
        data: triggerResource(world, trigger),
        ...triggerIncludes(world, call, [trigger]),
      }),
    }),
    operation({
      id: 'deleteRunTrigger',
      method: 'DELETE',
      path,
      find: (access, id) => access.administeredTrigger(id),
      run: ({ id }) => store.remove('runTriggers', id),
    }),
  ];
}

function triggerResource({ store }: World, { id, createdAt, workspaceId, sourceableId }: RunTriggerRecord) {
  return {
    id,
    type: 'run-triggers',
    attributes: {
      'workspace-name': store.read('workspaces', workspaceId)?.name,
      'sourceable-name': store.read('workspaces', sourceableId)?.name,
      'created-at': createdAt,
    },
    relationships: {
      workspace: relationTo('workspaces', workspaceId),
      sourceable: relationTo('workspaces', sourceableId),
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  };
}

// Includes each workspace once, and only those that the caller may read.
function triggerIncludes({ store }: World, call: Call, triggers: readonly RunTriggerRecord[]) {
  const includedTypes = readInclude(call);
  if (includedTypes.size === 0) return {};
  const ids = triggers.flatMap(({ workspaceId, sourceableId }) => [
    ...(includedTypes.has('workspace') ? [workspaceId] : []),
    ...(includedTypes.has('sourceable') ? [sourceableId] : []),
  ]);
  const readable = [...new Set(ids)].filter((id) => call.access.readsRuns(id));
  return { included: readable.flatMap((id) => store.read('workspaces', id) ?? []).map(workspaceResource) };
}
