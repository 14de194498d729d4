/** A reading API whose answers a test decides one by one, and that counts what it was asked. */
import type { OAuthClientDocument, OpenList, ReadApi, RunTriggerDocument } from '../../client/api';
import { NotFound } from '../../client/errors';
import { openedAsOne } from '../../client/pages';

/** What is there; a list or object that is not named answers "not found", an error is thrown as it is. */
export interface Answers {
  /** By organization. */
  clients?: Record<string, readonly OAuthClientDocument[] | Error>;
  /** By workspace and direction: `ws-app inbound`. */
  triggers?: Record<string, readonly RunTriggerDocument[] | Error>;
  /** By workspace and direction, of more than one page; `rest of` and `again` are calls for further ones. */
  pages?: Record<string, number>;
  /** By id: what a Show of one object gives. */
  shows?: Record<string, OAuthClientDocument | RunTriggerDocument | Error>;
}

/** The error of a 404. */
function notFound(route: string): NotFound {
  return new NotFound(`GET ${route}: 404, not found`, 'rejected', {
    method: 'GET',
    route,
    status: 404,
    attempts: 1,
    details: [],
  });
}

/** The API, and every call in order: `list acme`, `list ws-app inbound`, `read oc-1`. */
export function readApi(answers: Answers): { api: ReadApi; calls: string[] } {
  const calls: string[] = [];
  const answer = async <Value>(call: string, value: Value | Error | undefined): Promise<Value> => {
    calls.push(call);
    if (value === undefined) throw notFound(call);
    if (value instanceof Error) throw value;
    return value;
  };
  const show = <Kind extends OAuthClientDocument | RunTriggerDocument>(id: string) =>
    answer(`read ${id}`, answers.shows?.[id] as Kind | Error | undefined);
  const list: ReadApi['runTriggers']['list'] = (workspaceId, direction) =>
    answer(`list ${workspaceId} ${direction}`, answers.triggers?.[`${workspaceId} ${direction}`]);
  const api: ReadApi = {
    address: 'https://service.test/api/v2',
    perform: ({ path }) => Promise.reject(notFound(path.join('/'))),
    oauthClients: {
      list: (organization) => answer(`list ${organization}`, answers.clients?.[organization]),
      read: (id) => show<OAuthClientDocument>(id),
      affectedWorkspaces: async (id) => ({
        count: 0,
        names: [],
        client: await show<OAuthClientDocument>(id),
      }),
    },
    runTriggers: {
      list,
      open: async (workspaceId, direction) => {
        const name = `${workspaceId} ${direction}`;
        const items = await list(workspaceId, direction);
        const pages = answers.pages?.[name] ?? 1;
        return pages === 1 ? openedAsOne(items) : opened(name, pages, items, calls);
      },
      read: (id) => show<RunTriggerDocument>(id),
    },
  };
  return { api, calls };
}

/** A list of several pages: how far it is read shows in the calls. */
function opened<Item>(name: string, pages: number, items: readonly Item[], calls: string[]): OpenList<Item> {
  let [requests, rest, again] = [1, pages - 1, pages];
  return {
    get requests() {
      return requests;
    },
    left: (reading) => rest + (reading === 'whole' ? again : 0),
    read: async (reading) => {
      if (rest > 0) calls.push(`rest of ${name}`);
      requests += rest;
      rest = 0;
      if (reading === 'once' || again === 0) return items;
      calls.push(`again ${name}`);
      requests += again;
      again = 0;
      return items;
    },
  };
}
