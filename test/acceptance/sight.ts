/** Reads what the suite has to know of the service: clients with its prefix, and triggers at its workspaces. */
import { namePrefix, type Places } from './places';
import { linkedIds, type Requests, type Resource, Unanswered } from './requests';
import type { Settings } from './settings';

export interface SeenClient {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly projectIds: readonly string[];
  readonly agentPoolId: string | undefined;
  readonly attributes: Resource['attributes'];
}

export interface SeenTrigger {
  readonly id: string;
  /** The target. */
  readonly workspaceId: string;
  /** The source. */
  readonly sourceableId: string;
  readonly createdAt: string;
}

export interface Sight {
  /** The clients whose names begin with `tether-acceptance-`. */
  readonly clients: readonly SeenClient[];
  readonly allClients: readonly SeenClient[];
  /** The triggers that go in or out of the three workspaces, each once. */
  readonly triggers: readonly SeenTrigger[];
  /** The service's time in milliseconds. */
  readonly now: number | undefined;
  /** A sentence for each list that the token cannot read. */
  readonly missingRights: readonly string[];
}

/** Only sends GET. */
export async function see(
  requests: Requests,
  { organization }: Pick<Settings, 'organization'>,
  { workspaceIds }: Pick<Places, 'workspaceIds'>,
): Promise<Sight> {
  const missingRights: string[] = [];
  const listed = await seeClients(requests, { organization });
  if (listed.status !== 200) {
    missingRights.push(
      `The OAuth clients of ${organization} cannot be listed (${listed.status}): the token needs the permission to manage VCS settings.`,
    );
  }
  const triggers = new Map<string, SeenTrigger>();
  for (const [index, workspaceId] of workspaceIds.entries()) {
    for (const direction of ['inbound', 'outbound'] as const) {
      const { status, resources } = await requests.list(
        `${triggersPath(workspaceId, direction)}&page%5Bsize%5D=100`,
      );
      for (const resource of resources) triggers.set(resource.id, toTrigger(resource));
      if (status === 200) continue;
      missingRights.push(
        `The ${direction} run triggers of workspace ${index + 1} of 3 cannot be listed (${status}): the token needs to read its runs.`,
      );
    }
  }
  const clients = listed.clients.filter(({ name }) => name.startsWith(namePrefix));
  const { clients: allClients, now } = listed;
  return { clients, allClients, triggers: [...triggers.values()], now, missingRights };
}

/** Looks as `see` does, and throws `Unanswered` if a list cannot be read, because what it hides may be there. */
export async function seeAll(
  requests: Requests,
  settings: Pick<Settings, 'organization'>,
  places: Pick<Places, 'workspaceIds'>,
): Promise<Sight> {
  const sight = await see(requests, settings, places);
  if (sight.missingRights.length > 0) throw new Unanswered(sight.missingRights.join('\n'));
  return sight;
}

/** Reads all clients of the organization. */
export async function seeClients(requests: Requests, { organization }: Pick<Settings, 'organization'>) {
  const { status, resources, now } = await requests.list(clientsPath(organization));
  return { status, clients: resources.map(toClient), now };
}

export function clientsPath(organization: string): string {
  return `/organizations/${encodeURIComponent(organization)}/oauth-clients`;
}

export function triggersPath(workspaceId: string, direction: 'inbound' | 'outbound'): string {
  const filter = `filter%5Brun-trigger%5D%5Btype%5D=${direction}`;
  return `/workspaces/${encodeURIComponent(workspaceId)}/run-triggers?${filter}`;
}

export function toClient(resource: Resource): SeenClient {
  const { id, attributes } = resource;
  const [agentPoolId] = linkedIds(resource, 'agent-pool');
  return {
    id,
    name: String(attributes.name ?? ''),
    createdAt: String(attributes['created-at']),
    projectIds: linkedIds(resource, 'projects'),
    agentPoolId,
    attributes,
  };
}

export function toTrigger(resource: Resource): SeenTrigger {
  const [workspaceId = ''] = linkedIds(resource, 'workspace');
  const [sourceableId = ''] = linkedIds(resource, 'sourceable');
  return {
    id: resource.id,
    workspaceId,
    sourceableId,
    createdAt: String(resource.attributes['created-at']),
  };
}
