// The rules of OAuth clients: what is refused, what changes.

import { digestSecret, timestamp } from '../machine';
import {
  type AttributeName,
  heldWhenNew,
  type References,
  type SentAttributes,
  type SentClient,
  sentAttributes,
  wireName,
} from '../oauth-client-attributes';
import type { ServiceProvider } from '../profile';
import type { OAuthClientRecord } from '../store';
import type { World } from '../world';
import { inBody, refuseMistakes, type Violation } from './refusal';

export function newClient(
  { clock, newId }: Pick<World, 'clock' | 'newId'>,
  organization: string,
  id = newId('oc'),
): OAuthClientRecord {
  return {
    id,
    organization,
    createdAt: timestamp(clock),
    // The part of callback URL and connect path that is a client's own.
    callbackId: newId('callback').slice('callback-'.length),
    ...heldWhenNew,
    projectIds: [],
    agentPoolId: null,
    oauthTokens: [],
    secretDigest: null,
    privateKeyDigest: null,
  };
}

/** Writes what a body sends of a client, new or not; the rest stays as it is. */
export function writeClient(
  world: World,
  client: OAuthClientRecord,
  { id, attributes: onWire = {}, relationships: { projects, 'agent-pool': pool } = {} }: SentClient,
) {
  const { store, behaviours, profile } = world;
  const { organization } = client;
  const isNew = store.read('oauthClients', client.id) === undefined;
  const sent = sentAttributes(onWire, isNew ? undefined : profile.capabilities);
  const at = '/data/relationships/projects';
  const isBare = projects !== undefined && 'length' in projects;
  const [list, pointer] = isBare ? [projects, at] : [projects?.data, `${at}/data`];
  const dropsForeign = isNew && profile.capabilities.foreignProjects === 'dropped';
  const resolved = resolveProjects(world, organization, list ?? [], pointer, dropsForeign);
  const unmentionedPool = behaviours['patch-without-agent-pool'] === 'clear' ? null : client.agentPoolId;
  const poolId = pool?.data?.id;
  const isKnownPool = poolId === undefined || store.read('agentPools', poolId)?.organization === organization;
  const { secret, privateKey, oauthTokenString: token, ...held } = sent;
  const after: OAuthClientRecord = {
    ...client,
    ...held,
    ...(list && { projectIds: resolved.ids }),
    agentPoolId: pool ? (poolId ?? null) : unmentionedPool,
    ...(secret !== undefined && { secretDigest: digestSecret(secret) }),
    ...(privateKey !== undefined && { privateKeyDigest: digestSecret(privateKey) }),
    ...(token !== undefined && { oauthTokens: tokensWith(world, client, token) }),
  };
  const wrongId = inBody('/data/id', `id must be that of the client in the path, ${client.id}`);
  const unknownPool = inBody(
    '/data/relationships/agent-pool/data/id',
    'the provided agent pool does not exist or you are not authorized to use it',
  );
  refuseMistakes([
    ...(isNew || id === undefined || id === client.id ? [] : [wrongId]),
    ...mistakesOfAttributes(profile.serviceProviders[after.serviceProvider], sent, after, isNew),
    ...resolved.mistakes,
    ...(isKnownPool ? [] : [unknownPool]),
  ]);
  store.put('oauthClients', after);
  return after;
}

/** Unlinks every workspace that uses the client from its repository too. */
export function destroyClient(world: World, client: OAuthClientRecord): undefined {
  const { store, visibility } = world;
  for (const workspace of workspacesUsing(world, client)) {
    store.put('workspaces', { ...workspace, oauthClientId: null });
  }
  store.remove('oauthClients', client.id);
  visibility.fade('oauthClients', client);
}

/** The workspaces linked to a repository through the client, by name. */
export function workspacesUsing({ store }: World, { id }: OAuthClientRecord) {
  return store
    .list('workspaces', 'oauthClientId', id)
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Adds or removes projects of the client: all of them or, when one is refused, none. */
export function changeProjects(
  world: World,
  client: OAuthClientRecord,
  direction: 'attach' | 'detach',
  sent: References,
): undefined {
  const { ids, mistakes } = resolveProjects(world, client.organization, sent, '/data');
  refuseMistakes(mistakes);
  const attaching = direction === 'attach';
  if (world.behaviours['attach-again'] === '422') {
    const state = attaching ? 'is already attached' : 'is not attached';
    const repeated = ids.filter((id) => client.projectIds.includes(id) === attaching);
    const place = (id: string) => `/data/${sent.findIndex((project) => project.id === id)}/id`;
    refuseMistakes(repeated.map((id) => inBody(place(id), `project ${id} ${state}`)));
  }
  const others = client.projectIds.filter((id) => !ids.includes(id));
  const projectIds = attaching ? [...new Set([...client.projectIds, ...ids])] : others;
  world.store.put('oauthClients', { ...client, projectIds });
}

function tokensWith(world: World, { oauthTokens: [first, ...others] }: OAuthClientRecord, token: string) {
  const digest = digestSecret(token);
  if (first) return [{ ...first, digest }, ...others];
  return [{ id: world.newId('ot'), createdAt: timestamp(world.clock), digest }];
}

function resolveProjects(
  { store }: World,
  organization: string,
  sent: References,
  pointer: string,
  dropsForeign = false,
) {
  const mistakes: Violation[] = [];
  const ids = new Set<string>();
  sent.forEach(({ id }, index) => {
    const project = store.read('projects', id);
    const unknown = `there is no project ${JSON.stringify(id)}, or you are not authorized to use it`;
    if (project?.organization === organization) ids.add(id);
    else if (!project || !dropsForeign) mistakes.push(inBody(`${pointer}/${index}/id`, unknown));
  });
  return { ids: [...ids], mistakes };
}

const nothing: unknown[] = [undefined, null, '', digestSecret('')];

/** What the profile demands for the provider and is not met when these attributes are sent. */
function mistakesOfAttributes(
  { needs = [], together = [], neverEmpty = [] }: Partial<ServiceProvider> = {},
  sent: SentAttributes,
  after: OAuthClientRecord,
  isNew: boolean,
) {
  const mistake = (attribute: AttributeName, detail: string) =>
    inBody(`/data/attributes/${wireName(attribute)}`, `${wireName(attribute)} ${detail}`);
  const isRequired = `is required for ${after.serviceProvider}`;
  const [token] = after.oauthTokens;
  const held: { [Name in AttributeName]?: unknown } = {
    ...after,
    secret: after.secretDigest,
    privateKey: after.privateKeyDigest,
    oauthTokenString: token?.digest ?? token?.id,
  };
  const isLacking = (attribute: AttributeName) => nothing.includes(held[attribute]);
  const lacking = isNew ? needs.filter(isLacking) : [];
  const emptied = neverEmpty.filter((attribute) => sent[attribute] === '');
  const halves = together.filter(
    (group) => group.some((attribute) => sent[attribute] !== undefined) && !group.every(isLacking),
  );
  const missingHalves = halves.flatMap((group) => group.filter(isLacking));
  return [
    ...lacking.map((attribute) => mistake(attribute, isRequired)),
    ...missingHalves.map((attribute) => mistake(attribute, `${isRequired} beside its other half`)),
    ...emptied.map((attribute) => mistake(attribute, 'must not be empty')),
  ];
}
