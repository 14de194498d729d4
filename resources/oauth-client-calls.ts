/** How OAuth clients are listed, created, updated and cleaned up, without ever making two. */
import {
  type Api,
  type Members,
  type OAuthClientCreate,
  type OAuthClientDocument,
  type OAuthClientUpdate,
  oauthClientMembers,
  type ReadApi,
} from '../client/api';
import {
  AnswerLost,
  ApiError,
  BadAnswer,
  Conflict,
  Invalid,
  NotFound,
  NotSent,
  RateLimited,
  Unauthorized,
} from '../client/errors';
import { withId } from './groups';
import {
  byAge,
  type FieldValue,
  type FieldValues,
  type Found,
  type Intent,
  type ListRef,
  partOf,
  type ResourceDefinition,
  sameValue,
  setMembers,
} from './kind';
import { createAttempts, deleteUnlessGone, lookPatiently, provedGone, UnexpectedAnswer } from './safe-calls';

export function clientsOf(organization: string): ListRef<OAuthClientDocument> {
  return {
    name: `OAuth clients of ${organization}`,
    owner: `organization ${organization}`,
    type: clientCalls.listType,
    read: (api) => api.oauthClients.list(organization),
    readItem: (api, id) => api.oauthClients.read(id),
  };
}

type Calls = 'listType' | 'listedIn' | 'find' | 'read' | 'create' | 'discard' | 'update' | 'delete';

export const clientCalls = {
  listType: 'oauth-clients',
  listedIn: (key) => [clientsOf(partOf(key, 'organization'))],
  find: (clients: readonly OAuthClientDocument[], key) =>
    (key.id === undefined ? clients : withId(clients, key.id))
      .map((client) => oauthClientFound(client, partOf(key, 'organization')))
      .sort(byAge),
  read: async (api, id) => oauthClientFound(await api.oauthClients.read(id), ''),
  /** Creates under the nonce, has that recorded, then gives the real name and what comes along. What an earlier attempt left was sent with these inputs. */
  create: async (api, key, inputs, intent) => {
    const organization = partOf(key, 'organization');
    const before = intent.earlier === 'none' ? [] : await findClients(api, organization);
    const existed = (id: string) => before.some((one) => one.id === id) || intent.existed(id);
    const left = before.find(({ values }) => values.name === intent.nonce);
    const made = left ?? (await createNamed(api, organization, inputs, { ...intent, existed }));
    const { id } = made;
    await intent.created(id);
    const { name = null, projectIds: sent = [] } = inputs as OAuthClientUpdate;
    const rename = (more: OAuthClientUpdate) =>
      api.oauthClients.update(id, { name, ...agentPoolOf(inputs), ...more });
    // The whole list is sent, nobody knows what became of one that was left, and one that will be refused gets nothing more.
    const isSound = left === undefined && otherValues({ ...inputs, name: intent.nonce }, made).length === 0;
    const { projectIds: added = [] }: OAuthClientUpdate = (isSound && (await intent.along?.())) || {};
    const named =
      added.length === 0
        ? await rename({})
        : await rename({ projectIds: [...sent, ...added] }).catch((error) => {
            if (!isRefused(error)) throw error;
            return rename({});
          });
    const found = oauthClientFound(named, organization);
    const own = setMembers(found.values.projectIds).filter((projectId) => !added.includes(projectId));
    refuseOtherValues(inputs, { ...found, values: { ...found.values, projectIds: own } });
    return found;
  },
  discard: async (api, key, nonce) => {
    const organization = partOf(key, 'organization');
    const inUse: string[] = [];
    for (const { id } of await findNamed(api, organization, nonce)) {
      if (await isInUse(api, id)) inUse.push(id);
      else await clientCalls.delete(api, id, { organization, id });
    }
    return inUse;
  },
  /** The agent pool goes with every PATCH, since a service may clear it when it is left out. */
  update: async (api, id, changes, observed) => {
    const body = { ...agentPoolOf(observed), ...(changes as OAuthClientUpdate) };
    refuseOtherValues(changes, oauthClientFound(await api.oauthClients.update(id, body), ''));
  },
  delete: (api, id, key): Promise<void> =>
    deleteUnlessGone(api.oauthClients.delete(id), () => provedGone(api, clientCalls, id, key)),
} as const satisfies Pick<ResourceDefinition, Calls>;

/** Fields are what a create sends, outputs what only the service says. */
export function oauthClientFound(document: OAuthClientDocument, organization: string): Found {
  const { id, organization: owner, ...shown } = document;
  const members: Members = oauthClientMembers;
  const values: Record<string, FieldValue> = { organization: owner ?? organization };
  const outputs: Record<string, FieldValue> = {};
  for (const [name, value] of Object.entries(shown)) {
    if (members[name]?.create === undefined) outputs[name] = value;
    else values[name] = value;
  }
  values.projectIds = [...shown.projectIds].sort();
  return { id, values, outputs };
}

/** A project that cannot be attached must not keep the client from getting its name. */
function isRefused(error: unknown) {
  return [Conflict, Invalid, NotFound].some((known) => error instanceof known);
}

function agentPoolOf(values: FieldValues): OAuthClientUpdate {
  const { agentPoolId } = values as OAuthClientUpdate;
  return agentPoolId === undefined ? {} : { agentPoolId };
}

async function createNamed(
  api: Api,
  organization: string,
  inputs: FieldValues,
  intent: Intent,
): Promise<Found> {
  const { organization: _, ...values } = inputs;
  const body = { ...(values as OAuthClientCreate), name: intent.nonce };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const made = await api.oauthClients.create(organization, body);
      if (!intent.existed(made.id)) return oauthClientFound(made, organization);
      throw notNew(made.id);
    } catch (failure) {
      if (!mayBeThere(failure)) throw failure;
      const arrived = await arrivedAfter(failure, api, organization, intent);
      const isLost = failure instanceof AnswerLost;
      if (arrived !== undefined) {
        if (isLost) return arrived;
        await intent.created(arrived.id);
        throw new UnexpectedAnswer(
          `${failure.message}. Yet ${arrived.id} was made all the same, under a temporary name: it is recorded, run again to finish it`,
        );
      }
      // An earlier request whose answer was lost may still be on its way.
      if (!isLost && attempt === 1 && intent.earlier !== 'same') await intent.leftNothing();
      if (!isLost || attempt >= createAttempts) throw failure;
    }
  }
}

/** For an answer that names an object which was there before: it is somebody else's. */
function notNew(id: string): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `the service answered the create with ${id}, which was there before: nothing was written to it. Adopt it with \`id: ${id}\` if it is the one meant`,
  );
}

/** False where nothing was done, whoever answered: the service, or something on the way to it. */
function mayBeThere(failure: unknown): failure is ApiError | UnexpectedAnswer {
  const surelyNothing = [Unauthorized, RateLimited, NotSent].some((known) => failure instanceof known);
  return failure instanceof UnexpectedAnswer || (failure instanceof ApiError && !surelyNothing);
}

/** What stands under the nonce. What was there before is not ours: the create is over, and no later run may clean it up. */
async function arrivedAfter(failure: unknown, api: Api, organization: string, intent: Intent) {
  const find = () => findNamed(api, organization, intent.nonce);
  const found = failure instanceof AnswerLost ? lookPatiently(api, find) : find();
  const [look] = await Promise.allSettled([found]);
  const named = look.status === 'fulfilled' ? look.value : [];
  const earlier = named.find(({ id }) => intent.existed(id));
  if (earlier !== undefined) {
    await intent.leftNothing();
    throw notNew(earlier.id);
  }
  await intent.mayArriveLate();
  if (look.status === 'rejected') throw failure;
  return named[0];
}

/** Whether workspaces use it, where the service tells: another leaves that out of its answer, or refuses to be asked. */
async function isInUse(api: Api, id: string): Promise<boolean> {
  try {
    return (await api.oauthClients.affectedWorkspaces(id)).count > 0;
  } catch (error) {
    if ([BadAnswer, Invalid, NotFound].some((known) => error instanceof known)) return false;
    throw error;
  }
}

/** Oldest first. */
async function findClients(api: ReadApi, organization: string): Promise<readonly Found[]> {
  return clientCalls.find(await api.oauthClients.list(organization), { organization });
}

async function findNamed(api: Api, organization: string, nonce: string): Promise<readonly Found[]> {
  return (await findClients(api, organization)).filter(({ values }) => values.name === nonce);
}

function otherValues(sent: FieldValues, { values }: Found) {
  return Object.keys(sent).filter(
    (field) => field !== 'organization' && field in values && !sameValue(sent[field], values[field]),
  );
}

/** The service may keep other values than it was sent. */
function refuseOtherValues(sent: FieldValues, found: Found): void {
  const { id, values } = found;
  const differing = otherValues(sent, found);
  if (differing.length === 0) return;
  const show = (value: unknown) => JSON.stringify(value);
  const texts = differing.map(
    (field) => `${field} was sent as ${show(sent[field])} and is ${show(values[field])}`,
  );
  const hint = differing.includes('projectIds')
    ? ' (it leaves out projects of another organization in silence: take them off the list)'
    : '';
  throw new UnexpectedAnswer(
    `the service keeps other values of ${id} than it was sent: ${texts.join('; ')}${hint}`,
  );
}
