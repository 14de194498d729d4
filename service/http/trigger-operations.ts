/** The operations on run triggers, their rules, and run triggers as JSON API resources. */
import { timestamp } from '../machine';
import type { Access } from '../rules/access';
import { inBody, notFound, Refusal } from '../rules/refusal';
import { choice, object, reference } from '../schema';
import type { RunTriggerRecord, WorkspaceRecord } from '../store';
import type { World } from '../world';
import { type Answer, type Call, type Operation, operation, relationTo } from './operation';
import { includeQuery, pageOf, pagingQuery, readInclude } from './paging';
import { workspaceResource } from './places';

const directionFilter = 'filter[run-trigger][type]';

const relationships = object({ sourceable: object({ data: reference('workspaces') }) });
const createBody = object({ data: object({ relationships }, { type: choice('run-triggers') }) });

export function triggerOperations(world: World): Operation[] {
  const { behaviours, store } = world;
  const locked = lockOfTargets(world);
  const answer = 'run-triggers';
  const ofWorkspace = { path: '/workspaces/:workspace_id/run-triggers', answer };
  const path = '/run-triggers/:run_trigger_id';
  const include = includeQuery(['workspace', 'sourceable']);
  return [
    operation({
      ...ofWorkspace,
      id: 'createRunTrigger',
      method: 'POST',
      body: createBody,
      find: (access, id) => access.administeredWorkspace(id),
      run: (target, { access, body }) =>
        locked(target.id, () => {
          const sourceableId = body.data.relationships.sourceable.data.id;
          return { data: triggerResource(world, createTrigger(world, access, target, sourceableId)) };
        }),
    }),
    operation({
      ...ofWorkspace,
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
        const all = store.listLate('runTriggers', isInbound ? 'workspaceId' : 'sourceableId', workspace.id);
        const hides = behaviours['lists-hide-unreadable'] === 'yes';
        const otherEnd = isInbound ? 'sourceableId' : 'workspaceId';
        const shown = hides ? all.filter((trigger) => call.access.readsRuns(trigger[otherEnd])) : all;
        const { items, members } = pageOf(world, call, shown);
        const data = items.map((trigger) => triggerResource(world, trigger));
        const honoured = isInbound || world.profile.capabilities.includeOnOutbound;
        return { data, ...(honoured && triggerIncludes(world, call, items)), ...members };
      },
    }),
    operation({
      id: 'showRunTrigger',
      method: 'GET',
      path,
      answer,
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

function createTrigger(
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

const heldForMs = 25;

/** Some services refuse a create for a target while another one is in progress. */
function lockOfTargets({ behaviours, clock, closing }: World) {
  const held = new Set<string>();
  return async (targetId: string, create: () => Answer): Promise<Answer> => {
    const status = behaviours['trigger-lock'];
    if (status === 'off') return create();
    if (held.has(targetId)) {
      const detail = 'Run Trigger creation locked by another user in your organization. Please try again';
      throw new Refusal(Number(status), [inBody('/data', detail)]);
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
  const asked = readInclude(call);
  if (asked.size === 0) return {};
  const ids = triggers.flatMap(({ workspaceId, sourceableId }) => [
    ...(asked.has('workspace') ? [workspaceId] : []),
    ...(asked.has('sourceable') ? [sourceableId] : []),
  ]);
  const readable = [...new Set(ids)].filter((id) => call.access.readsRuns(id));
  return { included: readable.flatMap((id) => store.read('workspaces', id) ?? []).map(workspaceResource) };
}
