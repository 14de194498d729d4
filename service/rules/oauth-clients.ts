// The rules of OAuth clients: who may do what, what is refused, what changes.

import { digestSecret } from '../secret-digest';
import type { OAuthClientRecord, OrganizationRecord, WorkspaceRecord } from '../store/records';
import type { Access } from './access';
import type { AgentPoolRelationship, CreateClientBody, Reference, UpdateClientBody } from './client-body';
import { unprocessable } from './problem';
import { complaintsOnCreate, complaintsOnUpdate } from './provider-rules';
import { timestamp, type World } from './world';

/** Creates a client in an organization the caller may manage. */
export function createClient(
  world: World,
  organization: OrganizationRecord,
  { data }: CreateClientBody,
): OAuthClientRecord {
  const { attributes, relationships } = data;
  const provider = world.profile.serviceProviders[attributes['service-provider']];
  const dropForeign = world.profile.capabilities.foreignProjects === 'dropped';
  const wanted = relationships?.projects?.data ?? [];
  const projects = resolveProjects(
    world,
    organization.name,
    wanted,
    '/data/relationships/projects/data',
    dropForeign,
  );
  const pool = resolveAgentPool(world, organization.name, relationships?.['agent-pool']);
  const complaints = [
    ...(provider ? complaintsOnCreate(provider, attributes) : []),
    ...projects.complaints,
    ...pool.complaints,
  ];
  if (complaints.length > 0) throw unprocessable(...complaints);
  const createdAt = timestamp(world.clock);
  const token = attributes['oauth-token-string'];
  const record: OAuthClientRecord = {
    id: world.newId('oc'),
    organization: organization.name,
    createdAt,
    callbackId: world.newId('callback').slice('callback-'.length),
    serviceProvider: attributes['service-provider'],
    name: attributes.name ?? null,
    httpUrl: attributes['http-url'],
    apiUrl: attributes['api-url'],
    key: attributes.key ?? null,
    rsaPublicKey: attributes['rsa-public-key'] ?? null,
    organizationScoped: attributes['organization-scoped'] ?? true,
    projectIds: projects.ids,
    agentPoolId: pool.id,
    oauthTokens:
      token === undefined ? [] : [{ id: world.newId('ot'), createdAt, digest: digestSecret(token) }],
    secretDigest: digestOf(attributes.secret, null),
    privateKeyDigest: digestOf(attributes['private-key'], null),
  };
  world.store.atomically(() => world.store.put('oauthClients', record));
  return record;
}

/** Changes what the body carries and keeps everything else. */
export function updateClient(
  world: World,
  client: OAuthClientRecord,
  { data }: UpdateClientBody,
): OAuthClientRecord {
  const { attributes = {}, relationships } = data;
  const sent = relationships?.projects;
  const bare = Array.isArray(sent);
  const pointer = `/data/relationships/projects${bare ? '' : '/data'}`;
  const wanted: readonly Reference[] | undefined = sent && 'data' in sent ? sent.data : sent;
  const projects = wanted && resolveProjects(world, client.organization, wanted, pointer, false);
  const pool = resolveAgentPool(world, client.organization, relationships?.['agent-pool']);
  const provider = world.profile.serviceProviders[client.serviceProvider];
  const complaints = [
    ...(data.id !== undefined && data.id !== client.id
      ? [{ pointer: '/data/id', detail: `id must be that of the client in the path, ${client.id}` }]
      : []),
    ...(provider ? complaintsOnUpdate(provider, attributes, client) : []),
    ...(projects?.complaints ?? []),
    ...pool.complaints,
  ];
  if (complaints.length > 0) throw unprocessable(...complaints);
  const clearsPool = world.behaviours['patch-without-agent-pool'] === 'clear';
  const keptPool = clearsPool ? null : client.agentPoolId;
  const changed: OAuthClientRecord = {
    ...client,
    name: attributes.name === undefined ? client.name : attributes.name,
    key: attributes.key ?? client.key,
    rsaPublicKey: attributes['rsa-public-key'] ?? client.rsaPublicKey,
    organizationScoped: attributes['organization-scoped'] ?? client.organizationScoped,
    projectIds: projects?.ids ?? client.projectIds,
    agentPoolId: relationships?.['agent-pool'] === undefined ? keptPool : pool.id,
    secretDigest: digestOf(attributes.secret, client.secretDigest),
    oauthTokens: tokensAfter(world, client, attributes['oauth-token-string']),
  };
  world.store.atomically(() => world.store.put('oauthClients', changed));
  return changed;
}

/** Removes the client and unlinks every workspace that uses it from its repository. */
export function destroyClient(world: World, client: OAuthClientRecord): void {
  world.store.atomically(() => {
    for (const workspace of workspacesUsing(world, client)) {
      world.store.put('workspaces', { ...workspace, oauthClientId: null });
    }
    world.store.remove('oauthClients', client.id);
  });
  world.visibility.fade('oauthClients', client);
}

/** The workspaces that are linked to a repository through the client, by name. */
export function workspacesUsing({ store }: World, { id }: OAuthClientRecord): WorkspaceRecord[] {
  return store
    .list('workspaces', 'oauthClientId', id)
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Adds or removes projects of the client: all of them or, when one is refused, none. */
export function changeProjects(
  world: World,
  client: OAuthClientRecord,
  direction: 'attach' | 'detach',
  references: readonly Reference[],
): void {
  const { ids, complaints } = resolveProjects(world, client.organization, references, '/data', false);
  if (complaints.length > 0) throw unprocessable(...complaints);
  const attaching = direction === 'attach';
  const repeated = ids.filter((id) => client.projectIds.includes(id) === attaching);
  if (repeated.length > 0 && world.behaviours['attach-again'] === '422') {
    const state = attaching ? 'is already attached' : 'is not attached';
    throw unprocessable(
      ...repeated.map((id) => {
        const index = references.findIndex((reference) => reference.id === id);
        return { pointer: `/data/${index}/id`, detail: `project ${id} ${state}` };
      }),
    );
  }
  const projectIds = attaching
    ? [...new Set([...client.projectIds, ...ids])]
    : client.projectIds.filter((id) => !ids.includes(id));
  world.store.atomically(() => world.store.put('oauthClients', { ...client, projectIds }));
}

/** The client a write is about, as it really is, not as lagging readers see it. Throws 404. */
export function writableClient(world: World, access: Access, id: string): OAuthClientRecord {
  return access.client(world.store.read('oauthClients', id));
}

function digestOf(text: string | undefined, before: string | null): string | null {
  return text === undefined ? before : digestSecret(text);
}

function tokensAfter(world: World, client: OAuthClientRecord, token: string | undefined) {
  if (token === undefined || !world.profile.capabilities.tokenInPatch) return client.oauthTokens;
  const digest = digestSecret(token);
  const [first] = client.oauthTokens;
  if (first) return [{ ...first, digest }, ...client.oauthTokens.slice(1)];
  return [{ id: world.newId('ot'), createdAt: timestamp(world.clock), digest }];
}

function resolveProjects(
  world: World,
  organization: string,
  references: readonly Reference[],
  pointer: string,
  dropForeign: boolean,
) {
  const complaints: { pointer: string; detail: string }[] = [];
  const ids = new Set<string>();
  references.forEach(({ id }, index) => {
    const project = world.store.read('projects', id);
    if (project?.organization === organization) ids.add(id);
    else if (!project || !dropForeign)
      complaints.push({
        pointer: `${pointer}/${index}/id`,
        detail: `there is no project ${JSON.stringify(id)}, or you are not authorized to use it`,
      });
  });
  return { ids: [...ids], complaints };
}

function resolveAgentPool(
  world: World,
  organization: string,
  relationship: AgentPoolRelationship | undefined,
) {
  const id = relationship?.data?.id;
  if (id === undefined) return { id: null, complaints: [] };
  const pool = world.store.read('agentPools', id);
  if (pool?.organization === organization) return { id, complaints: [] };
  const detail = 'the provided agent pool does not exist or you are not authorized to use it';
  return { id: null, complaints: [{ pointer: '/data/relationships/agent-pool/data/id', detail }] };
}
