/** Run triggers on the wire. */
import type { RunTriggerDocument, TriggerDirection } from './api';
import {
  linkOf,
  nullableTextOf,
  type Resource,
  readResource,
  required,
  textOf,
  Unreadable,
} from './document';

export const RUN_TRIGGERS = 'run-triggers';

/** Throws `Unreadable` when the resource lacks what every service of this API shows. */
function parseRunTrigger(resource: Resource): RunTriggerDocument {
  return {
    id: resource.id,
    createdAt: textOf(resource, 'created-at'),
    workspaceId: required(linkOf(resource, 'workspace'), resource, 'workspace'),
    sourceableId: required(linkOf(resource, 'sourceable'), resource, 'sourceable'),
    workspaceName: nullableTextOf(resource, 'workspace-name'),
    sourceableName: nullableTextOf(resource, 'sourceable-name'),
  };
}

/** The trigger of a document, which must be the one that was asked for. */
export function readRunTrigger(
  document: unknown,
  expected: Partial<Pick<RunTriggerDocument, 'id' | 'workspaceId' | 'sourceableId'>>,
): RunTriggerDocument {
  const trigger = parseRunTrigger(readResource(document, RUN_TRIGGERS));
  for (const name of ['id', 'workspaceId', 'sourceableId'] as const) {
    const wanted = expected[name];
    if (wanted !== undefined && trigger[name] !== wanted) {
      throw new Unreadable(`its ${name} is ${trigger[name]}, not ${wanted}`);
    }
  }
  return trigger;
}

/** A trigger of a list, which must be of the workspace and direction that were asked for: a filter may get lost. */
export function parseListed(
  resource: Resource,
  workspaceId: string,
  direction: TriggerDirection,
): RunTriggerDocument {
  const trigger = parseRunTrigger(resource);
  const end = direction === 'inbound' ? trigger.workspaceId : trigger.sourceableId;
  if (end !== workspaceId) throw new Unreadable(`${trigger.id} is no ${direction} trigger of ${workspaceId}`);
  return trigger;
}
