/** Lists, creates, updates and deletes OAuth clients. A lost answer never leads to a second one. */
import {
  type Api,
  type Members,
  type OAuthClientCreate,
  type OAuthClientDocument,
  type OAuthClientUpdate,
  oauthClientMembers,
} from '../client/api';
import { AnswerLost } from '../client/errors';
import { isLike, unlikeSent } from './diff';
import {
  type Attempt,
  byAge,
  type Created,
  type FieldValue,
  type FieldValues,
  type Found,
  type Key,
  type ListRef,
  type ResourceDefinition,
  readPart,
  toSet,
} from './kind';
import { deleteUnlessGone, lookPatiently, provedGone, settledAfterMs, UnexpectedAnswer } from './safe-calls';

export function toClientList(organization: string): ListRef<OAuthClientDocument> {
  return {
    name: `OAuth clients of ${organization}`,
    owner: `organization ${organization}`,
    type: listType,
    read: (api) => api.oauthClients.list(organization),
    readItem: async (api, id) => {
      const client = await api.oauthClients.read(id);
      return { ...client, organization: spelledAs(organization, client.organization ?? organization) };
    },
  };
}

/** Returns the owner of a client in this spelling, because names of organizations ignore case. */
export function spelledAs(organization: string, owner: string): string {
  return owner.toLowerCase() === organization.toLowerCase() ? organization : owner;
}

const listType = 'oauth-clients';

/** Two clocks of one service, and dates that are rounded down to a second, may differ by this much. */
const toleranceMs = 60_000;

/** Finds the clients that this attempt can have created: they equal the sent values, are new enough, and were not there before. */
export function madeBy(
  definition: Pick<ResourceDefinition, 'fields'>,
  sent: FieldValues,
  { attemptedAt, firstAttemptAt = attemptedAt, isOther }: Attempt,
  clients: readonly Found[],
): readonly Found[] {
  return clients.filter((found) => {
    const createdAt = Date.parse(String(found.outputs.createdAt));
    const isInTime = createdAt >= firstAttemptAt - toleranceMs && createdAt <= attemptedAt + settledAfterMs;
    return isInTime && !isOther(found.id) && isLike(definition, sent, found);
  });
}

type Calls = 'listType' | 'queue' | 'listedIn' | 'find' | 'read' | 'delete';

export const clientCalls = {
  listType,
  queue: (key) => `clients of ${readPart(key, 'organization').toLowerCase()}`,
  listedIn: (key) => [toClientList(readPart(key, 'organization'))],
  find: (clients: readonly OAuthClientDocument[], key) =>
    clients
      .filter(({ id }) => key.id === undefined || id === key.id)
      .map((client) => toFoundClient(client, readPart(key, 'organization')))
      .sort(byAge),
  read: async (api, id) => toFoundClient(await api.oauthClients.read(id), ''),
  delete: (api, id, key): Promise<void> =>
    deleteUnlessGone(api.oauthClients.delete(id), () => provedGone(api, clientCalls, id, key)),
} as const satisfies Pick<ResourceDefinition, Calls>;

/**
 * The agent pool goes with every PATCH, because a service may clear one that is left out. The type of `fields` in `oauth-client.ts`
 * ensures that the changes are an `OAuthClientUpdate`.
 */
export async function updateClient(
  definition: Pick<ResourceDefinition, 'fields'>,
  ...[api, id, changes, observed]: Parameters<NonNullable<ResourceDefinition['update']>>
): Promise<Found> {
  const { agentPoolId } = observed as OAuthClientUpdate;
  const body = { ...(agentPoolId !== undefined && { agentPoolId }), ...(changes as OAuthClientUpdate) };
  const updatedClient = toFoundClient(await api.oauthClients.update(id, body), '');
  const problem = unlikeSent(definition, changes, updatedClient);
  if (problem !== null) throw new UnexpectedAnswer(`${id} was changed, but ${problem}`);
  return updatedClient;
}

/** The POST is never repeated. After a lost answer, the list shows the one client that it can have made. */
export async function createClientOnce(
  definition: Pick<ResourceDefinition, 'fields'>,
  api: Api,
  key: Key,
  inputs: FieldValues,
  attempt: Attempt,
): Promise<Created> {
  const organization = readPart(key, 'organization');
  const { organization: _, ...values } = inputs;
  try {
    const created = await api.oauthClients.create(organization, values as OAuthClientCreate);
    if (!attempt.isOther(created.id)) {
      const owner = spelledAs(organization, created.organization ?? organization);
      return toFoundClient({ ...created, organization: owner }, organization);
    }
  } catch (failure) {
    if (!(failure instanceof AnswerLost)) throw failure;
    const findCreated = async () => {
      const clients = clientCalls.find(await api.oauthClients.list(organization), { organization });
      return madeBy(definition, inputs, attempt, clients);
    };
    const [created, ...more] = await lookPatiently(api, findCreated).catch(() => []);
    if (created === undefined) throw failure;
    if (more.length === 0) return { ...created, takenOver: true };
    const ids = [created, ...more].map(({ id }) => id).join(' and ');
    throw new UnexpectedAnswer(
      `the answer of the create was lost, and ${ids} were both made like it since: adopt one of them, and delete the other by hand`,
    );
  }
  throw new UnexpectedAnswer(
    'the service answered the create with a client that was there before. Nothing was written to it. Run the same command again to see what exists',
  );
}

export function toFoundClient(document: OAuthClientDocument, organization: string): Found {
  const { id, organization: owner, ...members } = document;
  const table: Members = oauthClientMembers;
  const values: Record<string, FieldValue> = { organization: owner ?? organization };
  const outputs: Record<string, FieldValue> = {};
  for (const [name, value] of Object.entries(members)) {
    if (table[name]?.create === undefined) outputs[name] = value;
    else values[name] = value;
  }
  if (members.projectIds !== undefined) values.projectIds = toSet(members.projectIds);
  return { id, values, outputs };
}
