/** The endpoints of run triggers; their members are in api.ts. */
import {
  type Api,
  type Perform,
  type ReadApi,
  type RunTriggerDocument,
  runTriggerMembers,
  type TriggerDirection,
} from './api';
import { deletion, type Resource, readMembers, readResource, Unreadable, writeMembers } from './json-api';
import { createListReader } from './pages';

const type = 'run-triggers';

/** list, read. */
export function runTriggerReads(perform: Perform): ReadApi['runTriggers'] {
  const readList = createListReader(perform);
  return {
    list: (workspaceId, direction) =>
      readList({
        path: ['workspaces', workspaceId, type],
        query: { 'filter[run-trigger][type]': direction },
        type,
        item: (resource) => listed(resource, workspaceId, direction),
      }),
    read: (id) =>
      perform({ method: 'GET', path: [type, id], read: (document) => expected(document, { id }) }),
  };
}

/** create, delete. */
export function runTriggerWrites(perform: Perform): Omit<Api['runTriggers'], keyof ReadApi['runTriggers']> {
  return {
    create: (workspaceId, sourceableId) =>
      perform({
        method: 'POST',
        path: ['workspaces', workspaceId, type],
        ...writeMembers({}, runTriggerMembers, { sourceableId }),
        // "Run Trigger creation locked by another user in your organization. Please try again": nothing was done.
        retryable: (text) => /creation locked by another user/i.test(text),
        read: (document) => expected(document, { workspaceId, sourceableId }),
      }),
    delete: (id) => perform(deletion([type, id])),
  };
}

/** Must be the one that was asked for. */
function expected(
  document: unknown,
  asked: Partial<Pick<RunTriggerDocument, 'id' | 'workspaceId' | 'sourceableId'>>,
): RunTriggerDocument {
  const trigger = readMembers(readResource(document, type), runTriggerMembers);
  for (const name of ['id', 'workspaceId', 'sourceableId'] as const) {
    const wanted = asked[name];
    if (wanted !== undefined && trigger[name] !== wanted) {
      throw new Unreadable(`its ${name} is ${trigger[name]}, not ${wanted}`);
    }
  }
  return trigger;
}

/** Must be of the workspace and direction that were asked for: a filter may get lost. */
function listed(resource: Resource, workspaceId: string, direction: TriggerDirection): RunTriggerDocument {
  const trigger = readMembers(resource, runTriggerMembers);
  const end = direction === 'inbound' ? trigger.workspaceId : trigger.sourceableId;
  if (end !== workspaceId) {
    throw new Unreadable(`${trigger.id} is not an ${direction} trigger of ${workspaceId}`);
  }
  return trigger;
}
