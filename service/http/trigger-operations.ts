// The operations on run triggers.

import { ordered } from '../rules/list-order';
import {
  createTrigger,
  type Direction,
  deleteTrigger,
  listTriggers,
  readTrigger,
} from '../rules/run-triggers';
import type { TriggerLock } from '../rules/trigger-lock';
import type { World } from '../rules/world';
import { readInclude } from './includes';
import type { Call, Operation } from './operation';
import { pageOf } from './paging';
import { createTriggerBody, includeQuery, pagingQuery } from './request-schemas';
import { triggerDocument, triggerListDocument } from './response-schemas';
import { triggerIncludes, triggerResource } from './trigger-document';

const includable = ['workspace', 'sourceable'] as const;
const directions: readonly Direction[] = ['inbound', 'outbound'];

interface CreateBody {
  readonly data: {
    readonly relationships: { readonly sourceable: { readonly data: { readonly id: string } } };
  };
}

function workspaceOf({ params }: Call): string {
  return params.workspace_id;
}

function idOf({ params }: Call): string {
  return params.run_trigger_id;
}

/** All operations on run triggers, as this service offers them. */
export function triggerOperations({ behaviours, profile }: World, lock: TriggerLock): Operation[] {
  const tag = 'Run triggers';
  const ofWorkspace = '/workspaces/:workspace_id/run-triggers';
  const byId = '/run-triggers/:run_trigger_id';
  return [
    {
      id: 'createRunTrigger',
      summary: 'Create a run trigger',
      tag,
      method: 'POST',
      path: ofWorkspace,
      body: createTriggerBody,
      success: { status: 201, body: triggerDocument },
      creates: byId,
      refusals: [404, 409, 422],
      run: (world, call) => {
        const target = call.access.administeredWorkspace(workspaceOf(call));
        const { data } = call.accepted().body as CreateBody;
        return lock.during(target.id, () => {
          const trigger = createTrigger(world, call.access, target, data.relationships.sourceable.data.id);
          return { data: triggerResource(world, trigger) };
        });
      },
    },
    {
      id: 'listRunTriggers',
      summary: 'List the run triggers of a workspace',
      tag,
      method: 'GET',
      path: ofWorkspace,
      query: {
        'filter[run-trigger][type]': { enum: directions, description: 'Which end the workspace is.' },
        ...pagingQuery(behaviours),
        ...includeQuery(includable),
      },
      requiredQuery: ['filter[run-trigger][type]'],
      success: { status: 200, body: triggerListDocument },
      refusals: [400, 404, ...(behaviours['page-size-over'] === '422' ? [422 as const] : [])],
      run: (world, call) => {
        const workspace = call.access.readableWorkspace(workspaceOf(call));
        const { query } = call.accepted();
        const direction = query['filter[run-trigger][type]'] === 'inbound' ? 'inbound' : 'outbound';
        const asked = readInclude(query.include);
        const triggers = ordered(world, listTriggers(world, call.access, workspace, direction));
        const { items, members } = pageOf(world, call, query, triggers);
        const honoured = direction === 'inbound' || profile.capabilities.includeOnOutbound;
        return {
          data: items.map((trigger) => triggerResource(world, trigger)),
          ...triggerIncludes(world, call.access, items, honoured ? asked : new Set()),
          ...members,
        };
      },
    },
    {
      id: 'showRunTrigger',
      summary: 'Show a run trigger',
      tag,
      method: 'GET',
      path: byId,
      query: includeQuery(includable),
      success: { status: 200, body: triggerDocument },
      refusals: [400, 404],
      run: (world, call) => {
        const trigger = readTrigger(world, call.access, idOf(call));
        const asked = readInclude(call.accepted().query.include);
        return {
          data: triggerResource(world, trigger),
          ...triggerIncludes(world, call.access, [trigger], asked),
        };
      },
    },
    {
      id: 'deleteRunTrigger',
      summary: 'Delete a run trigger',
      tag,
      method: 'DELETE',
      path: byId,
      success: { status: 204 },
      refusals: [404],
      run: (world, call) => {
        deleteTrigger(world, call.access, idOf(call));
        return undefined;
      },
    },
  ];
}
