// The rules of OAuth clients: what is refused, what changes.

import { digestSecret, timestamp } from '../machine';
import { type AttributeName, heldAfter, type SentAttributes, wireName } from '../oauth-client-attributes';
import type { ServiceProvider } from '../profile';
import type { OAuthClientRecord, OrganizationRecord, WorkspaceRecord } from '../store/records';
import type { World } from '../world';
import { inBody, refuseMistakes, type Violation } from './refusal';

/** The ids of projects in a body, and the JSON pointer of the array that has them. */
export interface SentProjects {
  readonly ids: readonly string[];
  readonly pointer: string;
}

/** What a body sends about a client; undefined for what it does not mention. */
export interface SentClient {
  readonly attributes: SentAttributes;
  readonly projects: SentProjects | undefined;
  /** Null for none. */
  readonly agentPoolId: string | null | undefined;
}

export function createClient(
  world: World,
  { name: organization }: OrganizationRecord,
  { attributes, projects, agentPoolId }: SentClient,
): OAuthClientRecord {
  const dropsForeign = world.profile.capabilities.foreignProjects === 'dropped';
  const projectIds = resolveProjects(world, organization, projects, dropsForeign);
  refuseMistakes([
    ...mistakesOfAttributes(world, attributes),
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
    secretDigest: secret === undefined ? null : digestSecret(secret),
    privateKeyDigest: privateKey === undefined ? null : digestSecret(privateKey),
  };
  return save(world, record);
}

/** The part of callback URL and connect path that is a client's own. */
export function newCallbackId({ newId }: Pick<World, 'newId'>): string {
  return newId('callback').slice('callback-'.length);
}

/** Changes what the body carries and keeps everything else. */
export function updateClient(
  world: World,
  client: OAuthClientRecord,
  { attributes, projects, agentPoolId }: SentClient,
  bodyId: string | undefined,
): OAuthClientRecord {
  const projectIds = resolveProjects(world, client.organization, projects, false);
  const wrongId = inBody('/data/id', `id must be that of the client in the path, ${client.id}`);
  refuseMistakes([
    ...(bodyId !== undefined && bodyId !== client.id ? [wrongId] : []),
    ...mistakesOfAttributes(world, attributes, client),
    ...projectIds.mistakes,
    ...mistakesOfPool(world, client.organization, agentPoolId),
  ]);
  const unmentionedPool =
    world.behaviours['patch-without-agent-pool'] === 'clear' ? null : client.agentPoolId;
  const { secret, oauthTokenString: token } = attributes;
  return save(world, {
    ...client,
    ...heldAfter(attributes, client),
    projectIds: projects ? projectIds.ids : client.projectIds,
    agentPoolId: agentPoolId === undefined ? unmentionedPool : agentPoolId,
    secretDigest: secret === undefined ? client.secretDigest : digestSecret(secret),
    oauthTokens: token === undefined ? client.oauthTokens : tokensWith(world, client, token),
  });
}

/** Removes the client and unlinks every workspace that uses it from its repository. */
export function destroyClient(world: World, client: OAuthClientRecord): undefined {
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
): undefined {
  const { ids, mistakes } = resolveProjects(world, client.organization, projects, false);
  refuseMistakes(mistakes);
  const attaching = direction === 'attach';
  if (world.behaviours['attach-again'] === '422') {
    const state = attaching ? 'is already attached' : 'is not attached';
    const repeated = ids.filter((id) => client.projectIds.includes(id) === attaching);
    refuseMistakes(
      repeated.map((id) =>
        inBody(`${projects.pointer}/${projects.ids.indexOf(id)}/id`, `project ${id} ${state}`),
      ),
    );
  }
  const projectIds = attaching
    ? [...new Set([...client.projectIds, ...ids])]
    : client.projectIds.filter((id) => !ids.includes(id));
  save(world, { ...client, projectIds });
}

function save({ store }: World, client: OAuthClientRecord): OAuthClientRecord {
  store.atomically(() => store.put('oauthClients', client));
  return client;
}

function tokensWith(world: World, { oauthTokens: [first, ...others] }: OAuthClientRecord, token: string) {
  const digest = digestSecret(token);
  if (first) return [{ ...first, digest }, ...others];
  return [{ id: world.newId('ot'), createdAt: timestamp(world.clock), digest }];
}

function resolveProjects(
  { store }: World,
  organization: string,
  { ids: sent, pointer }: SentProjects = { ids: [], pointer: '' },
  dropsForeign: boolean,
): { ids: string[]; mistakes: Violation[] } {
  const mistakes: Violation[] = [];
  const ids = new Set<string>();
  sent.forEach((id, index) => {
    const project = store.read('projects', id);
    const unknown = `there is no project ${JSON.stringify(id)}, or you are not authorized to use it`;
    if (project?.organization === organization) ids.add(id);
    else if (!project || !dropsForeign) mistakes.push(inBody(`${pointer}/${index}/id`, unknown));
  });
  return { ids: [...ids], mistakes };
}

function mistakesOfPool({ store }: World, organization: string, id: string | null | undefined): Violation[] {
  if (typeof id !== 'string' || store.read('agentPools', id)?.organization === organization) return [];
  const detail = 'the provided agent pool does not exist or you are not authorized to use it';
  return [inBody('/data/relationships/agent-pool/data/id', detail)];
}

type Given = (name: AttributeName) => boolean;

/** What the profile demands for the provider and a create, or an update of `client`, lacks. */
function mistakesOfAttributes(
  { profile }: World,
  attributes: SentAttributes,
  client?: OAuthClientRecord,
): Violation[] {
  const name = client?.serviceProvider ?? attributes.serviceProvider ?? '';
  const {
    needs = [],
    together = [],
    neverEmpty = [],
  }: Partial<ServiceProvider> = profile.serviceProviders[name] ?? {};
  const sent: Given = (attribute) => attributes[attribute] !== undefined;
  const given: Given = (attribute) =>
    sent(attribute) ? (attributes[attribute] ?? '') !== '' : client !== undefined && holds(client, attribute);
  const missing = client ? [] : needs.filter((attribute) => !given(attribute));
  const touched = together.filter((group) => group.some(sent));
  const emptied = neverEmpty.filter((attribute) => attributes[attribute] === '');
  return [
    ...missing.map((attribute) => mistake(attribute, `is required for ${name}`)),
    ...touched.flatMap((group) => mistakesOfHalf(name, group, given)),
    ...emptied.map((attribute) => mistake(attribute, 'must not be empty')),
  ];
}

function mistake(attribute: AttributeName, detail: string): Violation {
  const name = wireName(attribute);
  return inBody(`/data/attributes/${name}`, `${name} ${detail}`);
}

function mistakesOfHalf(provider: string, group: readonly AttributeName[], given: Given): Violation[] {
  if (!group.some(given)) return [];
  return group
    .filter((attribute) => !given(attribute))
    .map((attribute) => {
      const others = group.filter((other) => other !== attribute).map(wireName);
      return mistake(attribute, `is required for ${provider} together with ${others.join(', ')}`);
    });
}

const nothing: readonly unknown[] = [undefined, null, '', digestSecret('')];

/** Whether a client has a value for the attribute that is not empty. */
function holds(client: OAuthClientRecord, attribute: AttributeName): boolean {
  const secrets: { readonly [Name in AttributeName]?: string | null | undefined } = {
    secret: client.secretDigest,
    privateKey: client.privateKeyDigest,
    oauthTokenString: client.oauthTokens[0]?.id,
  };
  return !nothing.includes(attribute in secrets ? secrets[attribute] : Reflect.get(client, attribute));
}
