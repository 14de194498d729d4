// Writes a seed into a store: adds to what is there, or takes its place.

import type { Clock } from '../clock';
import type { IdSource } from '../identifiers';
import { type Mistake, mistakeAt } from '../positioned';
import type { Profile } from '../profile';
import { digestSecret } from '../secret-digest';
import type { Grant, OAuthClientRecord, WorkspaceLevel } from '../store/records';
import type { Store, Tables } from '../store/store';
import { type ReadSeed, refuseMistakes } from './read-seed';
import type { SeedGrant, SeedOAuthClient, SeedOrganization } from './seed';

/** What writing a seed needs beside the store. */
export interface SeedTools {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly profile: Profile;
}

/** Adds the seed to what the store holds: deep merge, ids as given. Throws a SeedError and changes nothing. */
export function mergeSeed(store: Store, read: ReadSeed, tools: SeedTools): void {
  store.atomically(() => write(store, read, tools));
}

/** Empties the store and writes the seed. Throws a SeedError and changes nothing. */
export function replaceSeed(store: Store, read: ReadSeed, tools: SeedTools): void {
  store.atomically(() => {
    store.clear();
    write(store, read, tools);
  });
}

function write(store: Store, read: ReadSeed, tools: SeedTools): void {
  const { seed, locate } = read;
  const mistakes: Mistake[] = [...read.mistakes];
  const refuse = (path: string[], message: string) => mistakes.push(mistakeAt(path, message, locate));
  const organizations = Object.entries(seed?.organizations ?? {});
  for (const [name, organization] of organizations) {
    writePlaces(store, name, organization ?? {}, refuse);
  }
  for (const [name, organization] of organizations) {
    writeObjects(store, name, organization ?? {}, tools, refuse);
  }
  for (const [token, grants] of Object.entries(seed?.tokens ?? {})) {
    for (const organization of Object.keys(grants)) {
      if (!store.read('organizations', organization))
        refuse(['tokens', token, organization], 'no such organization');
    }
    writeToken(store, token, grants);
  }
  refuseMistakes(read, mistakes);
}

type Refuse = (path: string[], message: string) => void;

function writePlaces(store: Store, name: string, organization: SeedOrganization, refuse: Refuse): void {
  store.put('organizations', { name });
  const elsewhere = <Table extends 'agentPools' | 'projects' | 'workspaces'>(table: Table, id: string) => {
    const there: Tables[Table] | undefined = store.read(table, id);
    if (there && there.organization !== name) {
      refuse(['organizations', name, table, id], `already belongs to organization ${there.organization}`);
    }
    return there;
  };
  for (const [id, pool] of Object.entries(organization.agentPools ?? {})) {
    const before = elsewhere('agentPools', id);
    store.put('agentPools', { id, organization: name, name: pool?.name ?? before?.name ?? id });
  }
  for (const [id, project] of Object.entries(organization.projects ?? {})) {
    const before = elsewhere('projects', id);
    store.put('projects', { id, organization: name, name: project?.name ?? before?.name ?? id });
  }
  for (const [id, workspace] of Object.entries(organization.workspaces ?? {})) {
    const before = elsewhere('workspaces', id);
    const projectId = workspace?.project === undefined ? (before?.projectId ?? null) : workspace.project;
    if (projectId !== null && store.read('projects', projectId)?.organization !== name) {
      refuse(['organizations', name, 'workspaces', id, 'project'], `no project ${projectId} in ${name}`);
    }
    const oauthClientId =
      workspace?.oauthClient === undefined ? (before?.oauthClientId ?? null) : workspace.oauthClient;
    store.put('workspaces', {
      id,
      organization: name,
      name: workspace?.name ?? before?.name ?? id,
      projectId,
      oauthClientId,
    });
  }
}

function writeObjects(
  store: Store,
  name: string,
  organization: SeedOrganization,
  tools: SeedTools,
  refuse: Refuse,
): void {
  const now = new Date(tools.clock.now()).toISOString();
  for (const [id, client] of Object.entries(organization.oauthClients ?? {})) {
    const path = ['organizations', name, 'oauthClients', id];
    const before = store.read('oauthClients', id);
    if (before && before.organization !== name) {
      refuse(path, `already belongs to organization ${before.organization}`);
    }
    if (!before) refuseLacking(client, ['serviceProvider', 'httpUrl', 'apiUrl'], path, refuse);
    const { serviceProvider } = client;
    if (serviceProvider !== undefined && !Object.hasOwn(tools.profile.serviceProviders, serviceProvider)) {
      const known = Object.keys(tools.profile.serviceProviders).join(', ');
      refuse([...path, 'serviceProvider'], `not among those of profile ${tools.profile.name}: ${known}`);
    }
    (client.projects ?? []).forEach((projectId, index) => {
      if (store.read('projects', projectId)?.organization !== name)
        refuse([...path, 'projects', String(index)], `no project ${projectId} in ${name}`);
    });
    if (client.agentPool && store.read('agentPools', client.agentPool)?.organization !== name) {
      refuse([...path, 'agentPool'], `no agent pool ${client.agentPool} in ${name}`);
    }
    store.put('oauthClients', clientRecord(id, name, client, before, now, tools));
  }
  for (const [id, workspace] of Object.entries(organization.workspaces ?? {})) {
    const client = workspace?.oauthClient;
    if (client && store.read('oauthClients', client)?.organization !== name) {
      refuse(['organizations', name, 'workspaces', id, 'oauthClient'], `no client ${client} in ${name}`);
    }
  }
  for (const [id, trigger] of Object.entries(organization.runTriggers ?? {})) {
    const path = ['organizations', name, 'runTriggers', id];
    const before = store.read('runTriggers', id);
    if (!before) refuseLacking(trigger, ['workspace', 'sourceable'], path, refuse);
    for (const member of ['workspace', 'sourceable'] as const) {
      const end = trigger[member];
      if (end !== undefined && store.read('workspaces', end)?.organization !== name)
        refuse([...path, member], `no workspace ${end} in ${name}`);
    }
    const workspaceId = trigger.workspace ?? before?.workspaceId ?? '';
    const sourceableId = trigger.sourceable ?? before?.sourceableId ?? '';
    // Two triggers of one pair can be: some services accept them. This cannot.
    if (workspaceId === sourceableId && workspaceId !== '') {
      refuse([...path, 'sourceable'], 'a workspace cannot be its own source');
    }
    const createdAt = trigger.createdAt ?? before?.createdAt ?? now;
    store.put('runTriggers', { id, createdAt, workspaceId, sourceableId });
  }
}

function refuseLacking<Item extends object>(
  item: Item,
  members: readonly (keyof Item & string)[],
  path: string[],
  refuse: Refuse,
): void {
  const lacking = members.filter((member) => item[member] === undefined);
  if (lacking.length > 0) refuse(path, `is new and lacks ${lacking.join(', ')}`);
}

function clientRecord(
  id: string,
  organization: string,
  client: SeedOAuthClient,
  before: OAuthClientRecord | undefined,
  now: string,
  { newId }: SeedTools,
): OAuthClientRecord {
  const createdAt = client.createdAt ?? before?.createdAt ?? now;
  const oauthTokens =
    client.oauthTokens?.map((token) => ({ id: token, createdAt, digest: null })) ?? before?.oauthTokens ?? [];
  return {
    id,
    organization,
    createdAt,
    callbackId: before?.callbackId ?? newId('callback').slice('callback-'.length),
    serviceProvider: client.serviceProvider ?? before?.serviceProvider ?? '',
    name: client.name === undefined ? (before?.name ?? null) : client.name,
    httpUrl: client.httpUrl ?? before?.httpUrl ?? '',
    apiUrl: client.apiUrl ?? before?.apiUrl ?? '',
    key: client.key === undefined ? (before?.key ?? null) : client.key,
    rsaPublicKey: client.rsaPublicKey === undefined ? (before?.rsaPublicKey ?? null) : client.rsaPublicKey,
    organizationScoped: client.organizationScoped ?? before?.organizationScoped ?? true,
    projectIds: client.projects ? [...new Set(client.projects)] : (before?.projectIds ?? []),
    agentPoolId: client.agentPool === undefined ? (before?.agentPoolId ?? null) : client.agentPool,
    oauthTokens,
    secretDigest: before?.secretDigest ?? null,
    privateKeyDigest: before?.privateKeyDigest ?? null,
  };
}

function writeToken(store: Store, token: string, grants: Record<string, SeedGrant>): void {
  const digest = digestSecret(token);
  const merged = new Map<string, Grant>(
    store.read('tokens', digest)?.grants.map(({ organization, grant }) => [organization, grant]),
  );
  for (const [organization, grant] of Object.entries(grants)) {
    if (grant === null) merged.delete(organization);
    else merged.set(organization, mergeGrant(merged.get(organization), grant));
  }
  store.put('tokens', {
    digest,
    grants: [...merged].map(([organization, grant]) => ({ organization, grant })),
  });
}

function mergeGrant(before: Grant | undefined, grant: NonNullable<SeedGrant>): Grant {
  if (grant === 'owner') return grant;
  const base = before === undefined || before === 'owner' ? undefined : before;
  const levels = Object.entries({ ...base?.workspaces, ...grant.workspaces });
  const granted = levels.filter((entry): entry is [string, WorkspaceLevel] => entry[1] !== null);
  return {
    manageVcsSettings: grant.manageVcsSettings ?? base?.manageVcsSettings ?? false,
    workspaces: Object.fromEntries(granted),
  };
}
