/** A reading API whose answers a test decides one by one, and that notes what it was asked. */
import type { NamedObject, OAuthClientDocument, ReadApi, RunTriggerDocument } from '../../client/api';
import { NotFound } from '../../client/errors';

/** The existing lists and objects. Others answer "not found", and an error is thrown as it is. */
export interface Answers {
  /** The keys are organizations. */
  clients?: Record<string, readonly OAuthClientDocument[] | Error>;
  /** The keys are workspaces with directions, such as `ws-app inbound`. */
  triggers?: Record<string, readonly RunTriggerDocument[] | Error>;
  /** The answers of a Show. The keys are ids. */
  shows?: Record<string, OAuthClientDocument | RunTriggerDocument | Error>;
  /** The keys are types, such as `workspaces`. A search finds names that contain the text. */
  names?: Record<string, readonly NamedObject[] | Error>;
  /** The service's time. */
  now?: number;
}

/** The error of a 404. */
export function notFound(route: string): NotFound {
  const context = { method: 'GET', route, status: 404, attempts: 1, details: [] };
  return new NotFound(`GET ${route}: 404, not found`, 'rejected', context);
}

/** The API, and every call in order: `list acme`, `list ws-app inbound`, `read oc-1`, `list workspaces`, `search workspaces app`. */
export function readApi(answers: Answers): { api: ReadApi; calls: string[] } {
  const calls: string[] = [];
  const respond = async <Value>(call: string, value: Value | Error | undefined): Promise<Value> => {
    calls.push(call);
    if (value === undefined) throw notFound(call);
    if (value instanceof Error) throw value;
    return value;
  };
  const show = <Kind extends OAuthClientDocument | RunTriggerDocument>(id: string) =>
    respond(`read ${id}`, answers.shows?.[id] as Kind | Error | undefined);
  const api: ReadApi = {
    address: 'https://service.test/api/v2',
    perform: ({ path }) => Promise.reject(notFound(path.join('/'))),
    serviceNow: () => answers.now ?? Date.parse('2026-06-01T00:00:00.000Z'),
    oauthClients: {
      list: (organization) => respond(`list ${organization}`, answers.clients?.[organization]),
      read: (id) => show<OAuthClientDocument>(id),
      affectedWorkspaces: async (id) => ({
        count: 0,
        names: [],
        client: await show<OAuthClientDocument>(id),
      }),
    },
    runTriggers: {
      list: (workspaceId, direction) =>
        respond(`list ${workspaceId} ${direction}`, answers.triggers?.[`${workspaceId} ${direction}`]),
      read: (id) => show<RunTriggerDocument>(id),
    },
    names: {
      list: (_organization, type) => respond(`list ${type}`, answers.names?.[type]),
      search: async (_organization, type, name) => {
        const all = await respond(`search ${type} ${name}`, answers.names?.[type]);
        return all.filter((object) => object.name.includes(name));
      },
    },
  };
  return { api, calls };
}
