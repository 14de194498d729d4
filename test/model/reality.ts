/** The objects of the service, and the view of a reader, whose lists may be late, short or closed. */
import type { Snapshot } from '../../service';
import {
  agentPools,
  isReadable,
  nameOf,
  organization,
  projects,
  type Rights,
  tokenOf,
  workspaces,
} from './organization';
import { toObjectSubject } from './outcomes';

export interface RealClient {
  readonly id: string;
  readonly createdAt: string;
  readonly serviceProvider: string;
  readonly httpUrl: string;
  readonly apiUrl: string;
  readonly name: string | null;
  readonly key: string | null;
  readonly organizationScoped: boolean;
  readonly agentPool: string | null;
  readonly projects: readonly string[];
}

/** The fields that the answers of a service may lack. */
export const hidableFields = ['organizationScoped', 'projects'] as const;
export type HidableField = (typeof hidableFields)[number];

/** A client as answers show it. What they lack is absent. */
export type SeenClient = Omit<RealClient, HidableField> & Partial<Pick<RealClient, HidableField>>;

/** Leaves out what the answers lack. */
export function shownOf(client: RealClient, lacks: ReadonlySet<HidableField>): SeenClient {
  const { organizationScoped, projects: all, ...rest } = client;
  return {
    ...rest,
    ...(lacks.has('organizationScoped') ? {} : { organizationScoped }),
    ...(lacks.has('projects') ? {} : { projects: all }),
  };
}

export interface RealTrigger {
  readonly id: string;
  readonly createdAt: string;
  readonly target: string;
  readonly source: string;
}

/** The subject of one trigger of a pair. */
export const triggerSubject = ({ id, target, source }: Omit<RealTrigger, 'createdAt'>): string =>
  toObjectSubject(`RunTrigger/${target}/${source}`, id);

/** The digests of each client's secrets. It is null for no secret. */
export type HeldSecrets = Readonly<Record<'oauthTokenString' | 'secret' | 'privateKey', string | null>>;

/** All objects of the service. */
export interface Reality {
  readonly clients: ReadonlyMap<string, RealClient>;
  readonly secrets: ReadonlyMap<string, HeldSecrets>;
  /** Oldest first. */
  readonly triggers: readonly RealTrigger[];
}

/** The view of a reader with certain rights at a certain moment. `null` means 404. */
export interface View {
  readonly list: readonly SeenClient[] | null;
  /** The answers of Show, even for clients that no list has. */
  readonly shown: ReadonlyMap<string, SeenClient>;
  readonly inbound: ReadonlyMap<string, readonly RealTrigger[] | null>;
  readonly outbound: ReadonlyMap<string, readonly RealTrigger[] | null>;
  /** The recorded triggers that a Show finds, as `RunTrigger/ws-app/ws-net#rt-1`. Another service may have that id for another pair. */
  readonly shownTriggers: ReadonlySet<string>;
  /** The ids of workspaces, projects and agent pools by name. Other names cannot be resolved. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** The token is no token at all. */
  readonly revoked: boolean;
}

export function realityOf(snapshot: Snapshot): Reality {
  const ours = snapshot.oauthClients.filter((client) => client.organization === organization);
  return {
    clients: new Map(
      ours.map((record) => {
        const { id, createdAt, serviceProvider, httpUrl, apiUrl, name, key, organizationScoped } = record;
        const plain = { id, createdAt, serviceProvider, httpUrl, apiUrl, name, key, organizationScoped };
        return [id, { ...plain, agentPool: record.agentPoolId, projects: [...record.projectIds].sort() }];
      }),
    ),
    secrets: new Map(
      ours.map(({ id, secretDigest, privateKeyDigest, oauthTokens }) => [
        id,
        {
          oauthTokenString: oauthTokens[0]?.digest ?? null,
          secret: secretDigest,
          privateKey: privateKeyDigest,
        },
      ]),
    ),
    triggers: snapshot.runTriggers.map(({ id, createdAt, workspaceId, sourceableId }) => ({
      id,
      createdAt,
      target: workspaceId,
      source: sourceableId,
    })),
  };
}

/** The ids of all names for a reader who sees everything. */
export const allNames: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...workspaces, ...projects, ...agentPools].map((id) => [nameOf(id), [id]] as const),
]);

/** Returns the view of the owner without delays. */
export function openView(reality: Reality, lacks: ReadonlySet<HidableField>): View {
  const clients = [...reality.clients.values()].map((client) => shownOf(client, lacks));
  const around = (end: 'target' | 'source') =>
    new Map(workspaces.map((id) => [id, reality.triggers.filter((trigger) => trigger[end] === id)]));
  return {
    list: clients,
    shown: new Map(clients.map((client) => [client.id, client])),
    inbound: around('target'),
    outbound: around('source'),
    shownTriggers: new Set(reality.triggers.map(triggerSubject)),
    names: allNames,
    revoked: false,
  };
}

interface Document {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string | boolean | null>>;
  readonly relationships: Readonly<
    Record<string, { readonly data?: { id: string } | { id: string }[] | null }>
  >;
}

const idsOf = (document: Document, name: string): string[] => {
  const { data } = document.relationships[name] ?? {};
  return (Array.isArray(data) ? data : data ? [data] : []).map(({ id }) => id);
};

/** A client as the API shows it. */
function clientOf(document: Document): RealClient {
  const text = (name: string) => document.attributes[name] as string;
  return {
    id: document.id,
    createdAt: text('created-at'),
    serviceProvider: text('service-provider'),
    httpUrl: text('http-url'),
    apiUrl: text('api-url'),
    name: text('name'),
    key: text('key'),
    organizationScoped: document.attributes['organization-scoped'] === true,
    agentPool: idsOf(document, 'agent-pool')[0] ?? null,
    projects: idsOf(document, 'projects').sort(),
  };
}

function triggerOf(document: Document): RealTrigger {
  const [target = ''] = idsOf(document, 'workspace');
  const [source = ''] = idsOf(document, 'sourceable');
  return { id: document.id, createdAt: String(document.attributes['created-at']), target, source };
}

const byAge = (left: RealTrigger, right: RealTrigger): number =>
  `${left.createdAt} ${left.id}` < `${right.createdAt} ${right.id}` ? -1 : 1;

/** Asks the service itself, with those rights, for every list, and for each of the ids that no list shows. */
export async function readView(
  url: string,
  rights: Rights,
  ids: readonly string[],
  lacks: ReadonlySet<HidableField>,
  whenLimited: () => void,
): Promise<View> {
  const headers = { authorization: `Bearer ${tokenOf(rights)}`, 'content-type': 'application/vnd.api+json' };
  let revoked = false;
  const read = async (path: string): Promise<Document | Document[] | null> => {
    const answer = await fetch(url + path, { headers });
    if (answer.status === 429) {
      whenLimited();
      return read(path);
    }
    revoked ||= answer.status === 401;
    const document = (await answer.json()) as { data?: Document | Document[] };
    return answer.ok ? (document.data ?? null) : null;
  };
  const listed = (await read(`/organizations/${organization}/oauth-clients`)) as Document[] | null;
  const seenOf = (document: Document): SeenClient => shownOf(clientOf(document), lacks);
  const list = listed?.map(seenOf) ?? null;
  const sides: Record<'inbound' | 'outbound', Map<string, RealTrigger[] | null>> = {
    inbound: new Map(),
    outbound: new Map(),
  };
  for (const [side, lists] of Object.entries(sides)) {
    for (const id of workspaces) {
      const query = `filter%5Brun-trigger%5D%5Btype%5D=${side}&page%5Bsize%5D=100`;
      const found = (await read(`/workspaces/${id}/run-triggers?${query}`)) as Document[] | null;
      lists.set(id, found?.map(triggerOf).sort(byAge) ?? null);
    }
  }
  const shown = new Map((list ?? []).map((client) => [client.id, client]));
  const shownTriggers = new Set<string>();
  for (const id of ids) {
    if (id.startsWith('oc-') && !shown.has(id)) {
      const one = (await read(`/oauth-clients/${id}`)) as Document | null;
      if (one !== null) shown.set(id, seenOf(one));
    }
    const trigger = id.startsWith('rt-') ? ((await read(`/run-triggers/${id}`)) as Document | null) : null;
    if (trigger !== null) shownTriggers.add(triggerSubject(triggerOf(trigger)));
  }
  const seen = [...workspaces, ...projects, ...agentPools].filter(
    (id) => !id.startsWith('ws-') || isReadable(rights, id),
  );
  const names = new Map(seen.map((id) => [nameOf(id), [id]] as const));
  return { list, shown, ...sides, shownTriggers, names, revoked };
}
