// The rules of OAuth clients: what is refused, what changes. Who may do it was decided before.

import { digestSecret, timestamp } from '../machine';
import { heldAfter, type SentAttributes } from '../oauth-client-attributes';
import type { OAuthClientRecord, OrganizationRecord, WorkspaceRecord } from '../store/records';
import type { World } from '../world';
import { mistakesOfCreate, mistakesOfUpdate } from './provider-rules';
import { type BodyMistake, refuseMistakes } from './refusal';

/** The ids of projects in a body, and the JSON pointer of the array that has them. */
export interface SentProjects {
  readonly ids: readonly string[];
  readonly pointer: string;
}

/** What a body sends about a client. */
export interface SentClient {
  readonly attributes: SentAttributes;
  /** Undefined when the body does not mention projects. */
  readonly projects: SentProjects | undefined;
  /** Null for none; undefined when the body does not mention one. */
  readonly agentPoolId: string | null | undefined;
}

/** Creates a client in an organization. */
export function createClient(
  world: World,
  { name: organization }: OrganizationRecord,
  { attributes, projects, agentPoolId }: SentClient,
): OAuthClientRecord {
  const dropsForeign = world.profile.capabilities.foreignProjects === 'dropped';
  const projectIds = resolveProjects(world, organization, projects, dropsForeign);
  refuseMistakes([
    ...mistakesOfCreate(world.profile, attributes),
    ...projectIds.mistakes,
    ...mistakesOfPool(world, organization, agentPoolId),
  ]);
  const createdAt = timestamp(world.clock);
  const { oauthTokenString: token, secret, privateKey } = attributes;
  const record: OAuthClientRecord = {
    id: world.newId('oc'),
    organization,
    createdAt,
    callbackId: newCallbackId(world),
    ...heldAfter(attributes),
    projectIds: projectIds.ids,
    agentPoolId: agentPoolId ?? null,
    oauthTokens:
      token === undefined ? [] : [{ id: world.newId('ot'), createdAt, digest: digestSecret(token) }],
    secretDigest: digestOf(secret, null),
    privateKeyDigest: digestOf(privateKey, null),
  };
  world.store.atomically(() => world.store.put('oauthClients', record));
  return record;
}

/** The part of callback URL and connect path that is a client's own. */
export function newCallbackId({ newId }: Pick<World, 'newId'>): string {
  return newId('callback').slice('callback-'.length);
}

/** Changes what the body carries and keeps everything else. `bodyId` is the id in the body, if it has one. */
export function updateClient(
  world: World,
  client: OAuthClientRecord,
  { attributes, projects, agentPoolId }: SentClient,
  bodyId: string | undefined,
): OAuthClientRecord {
  const projectIds = resolveProjects(world, client.organization, projects, false);
  const wrongId = `id must be that of the client in the path, ${client.id}`;
  refuseMistakes([
    ...(bodyId !== undefined && bodyId !== client.id ? [{ pointer: '/data/id', detail: wrongId }] : []),
    ...mistakesOfUpdate(world.profile, attributes, client),
    ...projectIds.mistakes,
    ...mistakesOfPool(world, client.organization, agentPoolId),
  ]);
  const clearsPool = world.behaviours['patch-without-agent-pool'] === 'clear';
  const changed: OAuthClientRecord = {
    ...client,
    ...heldAfter(attributes, client),
    projectIds: projects ? projectIds.ids : client.projectIds,
    agentPoolId: agentPoolId === undefined ? (clearsPool ? null : client.agentPoolId) : agentPoolId,
    secretDigest: digestOf(attributes.secret, client.secretDigest),
    oauthTokens: tokensAfter(world, client, attributes.oauthTokenString),
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
  projects: SentProjects,
): void {
  const { ids, mistakes } = resolveProjects(world, client.organization, projects, false);
  refuseMistakes(mistakes);
  const attaching = direction === 'attach';
  const repeated = ids.filter((id) => client.projectIds.includes(id) === attaching);
  if (world.behaviours['attach-again'] === '422') {
    const state = attaching ? 'is already attached' : 'is not attached';
    refuseMistakes(
      repeated.map((id) => ({
        pointer: `${projects.pointer}/${projects.ids.indexOf(id)}/id`,
        detail: `project ${id} ${state}`,
      })),
    );
  }
  const projectIds = attaching
    ? [...new Set([...client.projectIds, ...ids])]
    : client.projectIds.filter((id) => !ids.includes(id));
  world.store.atomically(() => world.store.put('oauthClients', { ...client, projectIds }));
}

function digestOf(text: string | undefined, before: string | null): string | null {
  return text === undefined ? before : digestSecret(text);
}

function tokensAfter(world: World, client: OAuthClientRecord, token: string | undefined) {
  if (token === undefined) return client.oauthTokens;
  const digest = digestSecret(token);
  const [first] = client.oauthTokens;
  if (first) return [{ ...first, digest }, ...client.oauthTokens.slice(1)];
  return [{ id: world.newId('ot'), createdAt: timestamp(world.clock), digest }];
}

function resolveProjects(
  { store }: World,
  organization: string,
  { ids: sent, pointer }: SentProjects = { ids: [], pointer: '' },
  dropsForeign: boolean,
): { ids: string[]; mistakes: BodyMistake[] } {
  const mistakes: BodyMistake[] = [];
  const ids = new Set<string>();
  sent.forEach((id, index) => {
    const project = store.read('projects', id);
    if (project?.organization === organization) ids.add(id);
    else if (!project || !dropsForeign)
      mistakes.push({
        pointer: `${pointer}/${index}/id`,
        detail: `there is no project ${JSON.stringify(id)}, or you are not authorized to use it`,
      });
  });
  return { ids: [...ids], mistakes };
}

function mistakesOfPool(
  { store }: World,
  organization: string,
  id: string | null | undefined,
): BodyMistake[] {
  if (typeof id !== 'string' || store.read('agentPools', id)?.organization === organization) return [];
  const detail = 'the provided agent pool does not exist or you are not authorized to use it';
  return [{ pointer: '/data/relationships/agent-pool/data/id', detail }];
}
