/** The rules for creating, changing and deleting OAuth clients. */
import { digestSecret, timestamp } from '../machine';
import {
  type AttributeName,
  type References,
  type SentClient,
  sentAttributes,
  unsentAttributes,
  wireName,
} from '../oauth-client-attributes';
import type { OAuthClientRecord } from '../store';
import type { World } from '../world';
import { inBody, refuseMistakes, type Violation } from './refusal';

export function newClient(
  { clock, newId }: World,
  organization: string,
  id = newId('oc'),
): OAuthClientRecord {
  return {
    id,
    organization,
    createdAt: timestamp(clock),
    // The callback URL and the connect path of a client contain this id.
    callbackId: newId('callback').slice('callback-'.length),
    ...unsentAttributes,
    projectIds: [],
    agentPoolId: null,
    oauthTokens: [],
    secretDigest: null,
    privateKeyDigest: null,
  };
}

/** Writes the members that a body sends to a new or existing client. Others stay as they are. */
export function writeClient(
  world: World,
  client: OAuthClientRecord,
  { attributes = {}, relationships: { projects, 'agent-pool': pool } = {} }: SentClient,
) {
  const { store, behaviours, profile } = world;
  const { organization } = client;
  const isNew = store.read('oauthClients', client.id) === undefined;
  const { readable, secrets } = sentAttributes(attributes, profile, isNew);
  const { secret, privateKey, oauthTokenString: token } = secrets;
  const at = '/data/relationships/projects';
  const isBareArray = projects !== undefined && 'length' in projects;
  const [list, pointer] = isBareArray ? [projects, at] : [projects?.data, `${at}/data`];
  const dropsForeign = isNew && profile.capabilities.foreignProjects === 'dropped';
  const projectIds = list && knownProjects(world, organization, list, pointer, dropsForeign);
  const unmentionedPool = behaviours['patch-without-agent-pool'] === 'clear' ? null : client.agentPoolId;
  const poolId = pool?.data?.id;
  if (poolId !== undefined && store.read('agentPools', poolId)?.organization !== organization) {
    const detail = 'the provided agent pool does not exist or you are not authorized to use it';
    refuseMistakes([inBody('/data/relationships/agent-pool/data/id', detail)]);
  }
  const after: OAuthClientRecord = {
    ...client,
    ...readable,
    ...(projectIds && { projectIds }),
    agentPoolId: pool ? (poolId ?? null) : unmentionedPool,
    ...(secret !== undefined && { secretDigest: digestSecret(secret) }),
    ...(privateKey !== undefined && { privateKeyDigest: digestSecret(privateKey) }),
    ...(token !== undefined && { oauthTokens: tokensWith(world, client, token) }),
  };
  refuseUnfit(world, attributes, after, isNew);
  store.put('oauthClients', after);
  return after;
}

/** Deletes a client. It also unlinks every workspace that uses the client from its repository. */
export function destroyClient(world: World, client: OAuthClientRecord): undefined {
  for (const workspace of workspacesUsing(world, client)) {
    world.store.put('workspaces', { ...workspace, oauthClientId: null });
  }
  world.store.remove('oauthClients', client.id);
}

export function workspacesUsing({ store }: World, { id }: OAuthClientRecord) {
  const all = store.list('workspaces', 'oauthClientId', id);
  return all.toSorted((left, right) => left.name.localeCompare(right.name, 'en'));
}

/** Adds or removes projects of the client. If one is refused, nothing changes. */
export function changeProjects(
  world: World,
  client: OAuthClientRecord,
  direction: 'attach' | 'detach',
  sent: References,
): undefined {
  const ids = knownProjects(world, client.organization, sent, '/data');
  const isAttach = direction === 'attach';
  if (world.behaviours['attach-again'] === '422') {
    const state = isAttach ? 'is already attached' : 'is not attached';
    const repeated = ids.filter((id) => client.projectIds.includes(id) === isAttach);
    const place = (id: string) => `/data/${sent.findIndex((project) => project.id === id)}/id`;
    refuseMistakes(repeated.map((id) => inBody(place(id), `project ${id} ${state}`)));
  }
  const remaining = client.projectIds.filter((id) => !ids.includes(id));
  const projectIds = isAttach ? [...new Set([...client.projectIds, ...ids])] : remaining;
  world.store.put('oauthClients', { ...client, projectIds });
}

function tokensWith(world: World, { oauthTokens: [first, ...rest] }: OAuthClientRecord, token: string) {
  const digest = digestSecret(token);
  if (first) return [{ ...first, digest }, ...rest];
  return [{ id: world.newId('ot'), createdAt: timestamp(world.clock), digest }];
}

/** Returns the ids without duplicates. Throws 422 for ids that do not belong to the organization. */
function knownProjects(
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
    const detail = `there is no project ${JSON.stringify(id)}, or you are not authorized to use it`;
    if (project?.organization === organization) ids.add(id);
    else if (!project || !dropsForeign) mistakes.push(inBody(`${pointer}/${index}/id`, detail));
  });
  refuseMistakes(mistakes);
  return [...ids];
}

/** Throws 422 if the client would lack what its provider needs, or if the body empties it. */
function refuseUnfit(
  { profile }: World,
  sent: { readonly [wire: string]: unknown },
  after: OAuthClientRecord,
  isNew: boolean,
) {
  const provider = profile.serviceProviders[after.serviceProvider];
  const { needs = [], together = [], neverEmpty = [] } = provider ?? {};
  const [token] = after.oauthTokens;
  const values: { [Name in AttributeName]?: unknown } = {
    ...after,
    secret: after.secretDigest,
    privateKey: after.privateKeyDigest,
    oauthTokenString: token?.digest ?? token?.id,
  };
  const emptyValues: unknown[] = [undefined, null, '', digestSecret('')];
  const isLacking = (attribute: AttributeName) => emptyValues.includes(values[attribute]);
  const isSent = (attribute: AttributeName) => sent[wireName(attribute)] !== undefined;
  const halves = together.filter((group) => group.some(isSent) && !group.every(isLacking));
  const lacking = [...(isNew ? needs : []), ...halves.flat()].filter(isLacking);
  const emptied = neverEmpty.filter((attribute) => sent[wireName(attribute)] === '');
  const mistakes = [...lacking, ...emptied].map(wireName).map((name) => {
    return inBody(`/data/attributes/${name}`, `${name} is required for ${after.serviceProvider}`);
  });
  refuseMistakes(mistakes);
}
