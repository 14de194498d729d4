/** The calls that make, change and destroy an OAuth client without ever making two. */
import {
  type Api,
  type Members,
  type OAuthClientCreate,
  type OAuthClientDocument,
  type OAuthClientUpdate,
  oauthClientMembers,
} from '../client/api';
import { AnswerLost, ApiError, NotSent, RateLimited, Unauthorized } from '../client/errors';
import {
  byAge,
  type FieldValue,
  type FieldValues,
  type Found,
  type Intent,
  type Key,
  type ListRef,
  partOf,
  sameValue,
} from './kind';
import { deleteUnlessGone, notNew, type Seekable, settled, UnexpectedAnswer, yetThere } from './safe-calls';

/** How often a create whose answer was lost is looked up and sent again before giving up. */
const createAttempts = 4;

/**
 * Creates under the nonce, has the object recorded, then gives it its real name. An object that an earlier attempt left under
 * the nonce is taken over, for its content is known to be ours.
 */
export async function createOAuthClient(
  api: Api,
  key: Key,
  inputs: FieldValues,
  intent: Intent,
): Promise<Found> {
  const organization = partOf(key, 'organization');
  const { kept, before } = await leftover(api, organization, intent);
  const existed = (id: string): boolean => before.has(id) || intent.existed(id);
  const { id } = kept ?? (await createNamed(api, organization, inputs, { ...intent, existed }));
  await intent.created(id);
  const named = await api.oauthClients.update(id, {
    name: stringOrNull(inputs.name),
    ...('agentPoolId' in inputs ? { agentPoolId: stringOrNull(inputs.agentPoolId) } : {}),
  });
  const found = oauthClientFound(named, organization);
  refuseOtherValues(inputs, found);
  return found;
}

/** A client document as fields, which are what a create sends, and outputs, which only the service says. */
export function oauthClientFound({ id, ...shown }: OAuthClientDocument, organization: string): Found {
  const members: Members = oauthClientMembers;
  const outputs = Object.entries(shown).filter(([name]) => members[name]?.create === undefined);
  const values = Object.entries(shown).filter(([name]) => members[name]?.create !== undefined);
  const { organization: owner, ...rest } = Object.fromEntries(outputs);
  return {
    id,
    values: {
      organization: owner ?? organization,
      ...Object.fromEntries(values),
      projectIds: [...shown.projectIds].sort(),
    },
    outputs: rest,
  };
}

/** Updates in place. The agent pool goes with every PATCH, since a service may clear it when it is left out. */
export async function updateOAuthClient(
  api: Api,
  id: string,
  changes: FieldValues,
  observed: FieldValues,
): Promise<void> {
  const pool = 'agentPoolId' in changes ? changes.agentPoolId : observed.agentPoolId;
  const updated = await api.oauthClients.update(id, {
    ...(changes as OAuthClientUpdate),
    ...(pool === undefined ? {} : { agentPoolId: stringOrNull(pool) }),
  });
  refuseOtherValues(changes, oauthClientFound(updated, ''));
}

/** What an earlier attempt left under the nonce and may be taken over, the oldest; and what there is besides. */
async function leftover(
  api: Api,
  organization: string,
  { nonce, earlier }: Intent,
): Promise<{ readonly kept?: OAuthClientDocument | undefined; readonly before: ReadonlySet<string> }> {
  if (earlier === 'none') return { before: new Set() };
  const items = await api.oauthClients.list(organization);
  const [kept] = underNonce(items, organization, nonce);
  return { kept, before: new Set(items.map(({ id }) => id)) };
}

/** Deletes every client that is named exactly the nonce. */
export async function discardOAuthClient(api: Api, key: Key, nonce: string): Promise<void> {
  const organization = partOf(key, 'organization');
  for (const { id } of await namedLike(api, organization, nonce)) {
    await deleteUnlessGone(
      () => api.oauthClients.delete(id),
      async () => (await namedLike(api, organization, nonce)).every((one) => one.id !== id),
    );
  }
}

async function createNamed(
  api: Api,
  organization: string,
  inputs: FieldValues,
  intent: Intent,
): Promise<OAuthClientDocument> {
  const body = { ...createBody(inputs), name: intent.nonce };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await settled(api.oauthClients.create(organization, body));
    if ('value' in answer && !intent.existed(answer.value.id)) return answer.value;
    const failure = 'value' in answer ? notNew(answer.value.id) : answer.error;
    const isLost = failure instanceof AnswerLost;
    if (!isLost && isSureOfNothing(failure)) throw failure;
    const arrived = await arrivedAfter(failure, api, organization, intent);
    if (arrived !== undefined && isLost) return arrived;
    if (arrived !== undefined) {
      await intent.created(arrived.id);
      throw yetThere(failure, arrived.id);
    }
    // An earlier request whose answer was lost may still be on its way.
    if (!isLost && attempt === 1 && intent.earlier !== 'same') await intent.leftNothing();
    if (!isLost || attempt >= createAttempts) throw failure;
  }
}

/** Nothing was done, and nobody on the way to the service can have thought otherwise. */
function isSureOfNothing(failure: unknown): boolean {
  const refused = failure instanceof UnexpectedAnswer || failure instanceof ApiError;
  return (
    !refused ||
    failure instanceof Unauthorized ||
    failure instanceof RateLimited ||
    failure instanceof NotSent
  );
}

/**
 * What stands under the nonce after a create that did not plainly succeed. What was there before is not ours, whatever
 * it is called now: then the create is over, and no later pass may clear that object away.
 */
async function arrivedAfter(
  failure: unknown,
  api: Api,
  organization: string,
  intent: Intent,
): Promise<OAuthClientDocument | undefined> {
  const look = await settled(namedLike(api, organization, intent.nonce));
  const named = 'value' in look ? look.value : [];
  const earlier = named.find(({ id }) => intent.existed(id));
  if (earlier !== undefined) {
    await intent.leftNothing();
    throw notNew(earlier.id);
  }
  await intent.mayArriveLate();
  if ('error' in look) throw failure;
  return named[0];
}

async function namedLike(api: Api, organization: string, nonce: string): Promise<OAuthClientDocument[]> {
  return underNonce(await api.oauthClients.list(organization), organization, nonce);
}

/** Those that are named exactly the nonce, oldest first. */
function underNonce(
  items: readonly OAuthClientDocument[],
  organization: string,
  nonce: string,
): OAuthClientDocument[] {
  const named = items.filter((item) => item.name === nonce);
  const order = named.map((item) => oauthClientFound(item, organization)).sort(byAge);
  return order.flatMap((found) => named.filter((item) => item.id === found.id));
}

function createBody(inputs: FieldValues): OAuthClientCreate {
  const { organization: _, serviceProvider, httpUrl, apiUrl, ...optional } = inputs;
  return {
    ...(optional as OAuthClientUpdate),
    serviceProvider: String(serviceProvider),
    httpUrl: String(httpUrl),
    apiUrl: String(apiUrl),
  };
}

/** Refuses an answer in which readable fields have other values than were sent. */
function refuseOtherValues(sent: FieldValues, found: Found): void {
  const differing = Object.entries(sent).filter(
    ([field, value]) =>
      field !== 'organization' && field in found.values && !sameValue(value, found.values[field]),
  );
  if (differing.length === 0) return;
  const texts = differing.map(
    ([field, value]) =>
      `${field} was sent as ${JSON.stringify(value)} and is ${JSON.stringify(found.values[field])}`,
  );
  const projects = differing.some(([field]) => field === 'projectIds')
    ? ' (it leaves out projects of another organization in silence: take them off the list)'
    : '';
  throw new UnexpectedAnswer(
    `the service keeps other values of ${found.id} than it was sent: ${texts.join('; ')}${projects}`,
  );
}

function stringOrNull(value: FieldValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The list of all clients of an organization: one answer, an atomic snapshot. */
export function clientsOf(organization: string): ListRef<OAuthClientDocument> {
  return {
    name: `OAuth clients of ${organization}`,
    owner: `organization ${organization}`,
    read: (api) => api.oauthClients.list(organization),
    readItem: (api, id) => api.oauthClients.read(id),
  };
}

/** How a client is looked for. */
export const clientLooks: Seekable = {
  listedIn: (key) => [clientsOf(partOf(key, 'organization'))],
  find: (clients: readonly OAuthClientDocument[], key) =>
    clients
      .filter((client) => key.id === undefined || client.id === key.id)
      .map((client) => oauthClientFound(client, partOf(key, 'organization')))
      .sort(byAge),
  read: async (api, id) => oauthClientFound(await api.oauthClients.read(id), ''),
};
