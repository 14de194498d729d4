/** The calls that make, change and destroy an OAuth client without ever making two. */
import type { Api, OAuthClientCreate, OAuthClientDocument, OAuthClientUpdate } from '../client/api';
import { AnswerLost } from '../client/errors';
import type { Found, Intent } from './definition';
import { byAge, oauthClientFound } from './found';
import { deleteUnlessGone } from './gone';
import { lookAfter } from './look-after';
import { type FieldValue, type FieldValues, type Key, partOf } from './values';

/** How often a create whose answer was lost is looked up and sent again before giving up. */
const createAttempts = 4;

/** The service answered a create with other projects than were sent: some belong to another organization. */
export class ProjectsDropped extends Error {
  override readonly name = 'ProjectsDropped';
}

/**
 * Creates under the nonce, has the object recorded, then gives it its real name. An object that an earlier attempt left under
 * the nonce is taken over when its content is known to be ours, else deleted and made again.
 */
export async function createOAuthClient(
  api: Api,
  key: Key,
  inputs: FieldValues,
  intent: Intent,
): Promise<Found> {
  const organization = partOf(key, 'organization');
  const kept = await leftover(api, key, intent);
  const { id } = kept ?? (await createNamed(api, organization, inputs, intent));
  await intent.created(id);
  const named = await api.oauthClients.update(id, {
    name: stringOrNull(inputs.name),
    ...('agentPoolId' in inputs ? { agentPoolId: stringOrNull(inputs.agentPoolId) } : {}),
  });
  const found = oauthClientFound(named, organization);
  refuseDroppedProjects(inputs.projectIds, found);
  return found;
}

/** Updates in place. The agent pool goes with every PATCH, since a service may clear it when it is left out. */
export async function updateOAuthClient(
  api: Api,
  id: string,
  changes: FieldValues,
  observed: FieldValues,
): Promise<void> {
  const pool = 'agentPoolId' in changes ? changes.agentPoolId : observed.agentPoolId;
  await api.oauthClients.update(id, {
    ...(changes as OAuthClientUpdate),
    ...(pool === undefined ? {} : { agentPoolId: stringOrNull(pool) }),
  });
}

/** What an earlier attempt left under the nonce and may be taken over: the oldest, if its content is known. */
async function leftover(api: Api, key: Key, intent: Intent): Promise<OAuthClientDocument | undefined> {
  if (intent.earlier === 'same') return (await namedLike(api, partOf(key, 'organization'), intent.nonce))[0];
  if (intent.earlier === 'unknown') await discardOAuthClient(api, key, intent.nonce);
  return undefined;
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
    try {
      return await api.oauthClients.create(organization, body);
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
      await intent.mayArriveLate();
      const [arrived] = await lookAfter(error, () => namedLike(api, organization, intent.nonce));
      if (arrived !== undefined) return arrived;
      if (attempt >= createAttempts) throw error;
    }
  }
}

async function namedLike(api: Api, organization: string, nonce: string): Promise<OAuthClientDocument[]> {
  const items = await api.oauthClients.list(organization);
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

function refuseDroppedProjects(wanted: FieldValue | undefined, found: Found): void {
  if (!Array.isArray(wanted)) return;
  const there = found.values.projectIds;
  const dropped = wanted.filter((id) => !(Array.isArray(there) && there.includes(id)));
  if (dropped.length === 0) return;
  throw new ProjectsDropped(
    `the service created ${found.id} without ${dropped.join(', ')}: it leaves out projects of another organization in silence. Take them off the list`,
  );
}

function stringOrNull(value: FieldValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
