// The operations on run triggers, and run triggers as JSON API resources.

import {
  createTrigger,
  deleteTrigger,
  directions,
  listTriggers,
  readTrigger,
  TriggerLock,
} from '../rules/run-triggers';
import { exactly, list, object, optional, type TypeOf, text } from '../schema';
import type { RunTriggerRecord } from '../store/records';
import type { World } from '../world';
import { type Call, documentOf, type Operation, reference } from './operation';
import { includeQuery, pageOf, pagingMembers, pagingQuery, readInclude } from './paging';
import { workspaceResource } from './places';

const includable = ['workspace', 'sourceable'] as const;
const directionFilter = 'filter[run-trigger][type]';

const createBody = object({
  data: object({
    type: optional(exactly('run-triggers')),
    relationships: object({
      sourceable: object({ data: reference('workspaces', { ...text, examples: ['ws-network'] }) }),
    }),
  }),
});

const resource = object({
  id: { type: 'string', pattern: '^rt-' },
  type: exactly('run-triggers'),
  attributes: object({
    'workspace-name': text,
    'sourceable-name': text,
    'created-at': { type: 'string', format: 'date-time' },
  }),
  relationships: object({
    workspace: object({ data: reference('workspaces') }),
    sourceable: object({ data: reference('workspaces') }),
  }),
  links: object({ self: text }),
});
const document = documentOf(resource, ['workspaces']);

export function triggerOperations(world: World): Operation[] {
  const { behaviours, profile } = world;
  const lock = new TriggerLock(world);
  const ofWorkspace = '/workspaces/:workspace_id/run-triggers';
  const byId = '/run-triggers/:run_trigger_id';
  return [
    {
      id: 'createRunTrigger',
      summary: 'Create a run trigger',
      method: 'POST',
      path: ofWorkspace,
      body: createBody,
      answer: document,
      creates: byId,
      refusals: [409],
      run: (call) => {
        const target = call.access.administeredWorkspace(call.parameter);
        const { sourceable } = (call.accepted().body as TypeOf<typeof createBody>).data.relationships;
        return lock.during(target.id, () => {
          const trigger = createTrigger(world, call.access, target, sourceable.data.id);
          return { data: triggerResource(world, trigger) };
        });
      },
    },
    {
      id: 'listRunTriggers',
      summary: 'List the run triggers of a workspace',
      method: 'GET',
      path: ofWorkspace,
      query: {
        [directionFilter]: { enum: directions, description: 'Which end the workspace is.' },
        ...pagingQuery(behaviours),
        ...includeQuery(includable),
      },
      requiredQuery: [directionFilter],
      answer: documentOf(list(resource), ['workspaces'], pagingMembers),
      run: (call) => {
        const workspace = call.access.readableWorkspace(call.parameter);
        const direction = call.accepted().query[directionFilter] === 'inbound' ? 'inbound' : 'outbound';
        const triggers = listTriggers(world, call.access, workspace, direction);
        const { items, members } = pageOf(world, call, triggers);
        const data = items.map((trigger) => triggerResource(world, trigger));
        const honoured = direction === 'inbound' || profile.capabilities.includeOnOutbound;
        return { data, ...(honoured ? triggerIncludes(world, call, items) : {}), ...members };
      },
    },
    {
      id: 'showRunTrigger',
      summary: 'Show a run trigger',
      method: 'GET',
      path: byId,
      query: includeQuery(includable),
      answer: document,
      run: (call) => {
        const trigger = readTrigger(world, call.access, call.parameter);
        return { data: triggerResource(world, trigger), ...triggerIncludes(world, call, [trigger]) };
      },
    },
    {
      id: 'deleteRunTrigger',
      summary: 'Delete a run trigger',
      method: 'DELETE',
      path: byId,
      run: (call) => deleteTrigger(world, call.access, call.parameter),
    },
  ];
}

// The same in create, show and lists.
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
      workspace: { data: { id: workspaceId, type: 'workspaces' } },
      sourceable: { data: { id: sourceableId, type: 'workspaces' } },
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  };
}

// What was asked to come along: each workspace once, and only those the caller may read.
function triggerIncludes({ store }: World, call: Call, triggers: readonly RunTriggerRecord[]) {
  const asked = readInclude(call);
  if (asked.size === 0) return {};
  const ids = new Set(
    triggers.flatMap(({ workspaceId, sourceableId }) => [
      ...(asked.has('workspace') ? [workspaceId] : []),
      ...(asked.has('sourceable') ? [sourceableId] : []),
    ]),
  );
  const readable = [...ids].filter((id) => call.access.readsRuns(id));
  return { included: readable.flatMap((id) => store.read('workspaces', id) ?? []).map(workspaceResource) };
}
