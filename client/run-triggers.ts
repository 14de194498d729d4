/** The endpoints of run triggers. Their members are in api.ts. */
import { type Perform, type ReadApi, runTriggerMembers, type TriggerDirection, type WritesOf } from './api';
import { deletion, type Resource, readDocument, readExpected, Unreadable, writeMembers } from './json-api';
import { createListReader } from './pages';

const type = 'run-triggers';

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
      perform({
        method: 'GET',
        path: [type, id],
        read: (document) => readExpected(document, type, runTriggerMembers, { id }),
      }),
  };
}

export function runTriggerWrites(perform: Perform): WritesOf<'runTriggers'> {
  return {
    create: (workspaceId, sourceableId) =>
      perform({
        method: 'POST',
        path: ['workspaces', workspaceId, type],
        ...writeMembers({}, runTriggerMembers, { sourceableId }),
        permission: `admin access to ${workspaceId}, and permission to read the runs of ${sourceableId}`,
        // The service holds this lock only for a moment, and nothing was done.
        retryable: (text) => /creation locked by another user/i.test(text),
        read: (document) => readExpected(document, type, runTriggerMembers, { workspaceId, sourceableId }),
      }),
    delete: (id) => perform({ ...deletion([type, id]), permission: 'admin access to the target workspace' }),
  };
}

/** Checks that a trigger has the requested workspace and direction, because a filter may get lost. */
function listed(resource: Resource, workspaceId: string, direction: TriggerDirection) {
  const trigger = readDocument(resource, runTriggerMembers);
  const end = direction === 'inbound' ? trigger.workspaceId : trigger.sourceableId;
  if (end !== workspaceId) {
    throw new Unreadable(`${trigger.id} is not an ${direction} trigger of ${workspaceId}`);
  }
  return trigger;
}
