/** The endpoints of run triggers. */
import type { Api, ReadApi, RunTriggerDocument, TriggerDirection } from './api';
import type { Perform } from './call';
import { Invalid } from './errors';
import {
  linkOf,
  nullableTextOf,
  type Page,
  type Resource,
  readAllPages,
  readPagination,
  readResource,
  readResources,
  required,
  routeOf,
  textOf,
  Unreadable,
} from './json-api';

/** list, read. */
export function runTriggerReads(perform: Perform): ReadApi['runTriggers'] {
  const sizes: PageSizes = { refused: false };
  return {
    list: (workspaceId, direction) => list(perform, sizes, workspaceId, direction),
    read: (id) =>
      perform({
        method: 'GET',
        path: ['run-triggers', id],
        repeatable: true,
        expects: 'document',
        read: (document) => readRunTrigger(document, { id }),
      }),
  };
}

/** create, delete. */
export function runTriggerWrites(perform: Perform): Omit<Api['runTriggers'], keyof ReadApi['runTriggers']> {
  return {
    create: async (workspaceId, sourceableId) =>
      perform({
        method: 'POST',
        path: ['workspaces', workspaceId, 'run-triggers'],
        body: { data: { relationships: { sourceable: { data: { id: sourceableId, type: 'workspaces' } } } } },
        repeatable: false,
        // "Run Trigger creation locked by another user in your organization. Please try again": nothing was done.
        passes: (text) => /creation locked by another user/i.test(text),
        expects: 'document',
        read: (document) => readRunTrigger(document, { workspaceId, sourceableId }),
      }),
    delete: async (id) =>
      perform({
        method: 'DELETE',
        path: ['run-triggers', id],
        repeatable: true,
        goneIsDone: true,
        expects: 'nothing',
        read: () => undefined,
      }),
  };
}

/** Whether the service refuses our page size; then it is left to the service. */
interface PageSizes {
  refused: boolean;
}

/** The largest size that services of this API are known to serve. */
const PAGE_SIZE = '100';

async function list(
  perform: Perform,
  sizes: PageSizes,
  workspaceId: string,
  direction: TriggerDirection,
): Promise<readonly RunTriggerDocument[]> {
  const path = ['workspaces', workspaceId, 'run-triggers'];
  const readPage = (number: number): Promise<Page<RunTriggerDocument>> =>
    perform({
      method: 'GET',
      path,
      query: {
        'filter[run-trigger][type]': direction,
        'page[number]': String(number),
        ...(sizes.refused ? {} : { 'page[size]': PAGE_SIZE }),
      },
      repeatable: true,
      expects: 'document',
      read: (document) => {
        const items = readResources(document, RUN_TRIGGERS).map((item) =>
          parseListed(item, workspaceId, direction),
        );
        const pagination = readPagination(document);
        if (pagination === null)
          throw new Unreadable('meta.pagination is missing, so the list may not be whole');
        return { items, ...pagination };
      },
    });
  return readAllPages(routeOf(path), async (number) => {
    // Another list may learn of the refusal while this one waits for its answer.
    const sized = !sizes.refused;
    try {
      return await readPage(number);
    } catch (error) {
      if (!(error instanceof Invalid) || !sized || number > 1) throw error;
      sizes.refused = true;
      return readPage(number);
    }
  });
}

// Run triggers on the wire.
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
