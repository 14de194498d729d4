/** The calls that make, change and destroy an OAuth client without ever making two. */
import type { Api, OAuthClientCreate, OAuthClientDocument, OAuthClientUpdate } from '../client/api';
import { AnswerLost, NotFound } from '../client/errors';
import type { Found, Intent } from './definition';
import { byAge, oauthClientFound } from './found';
import type { FieldValue, FieldValues, Key } from './values';

/** How often a create whose answer was lost is looked up and sent again before giving up. */
const createAttempts = 4;

/** The service answered a create with other projects than were sent: some belong to another organization. */
export class ProjectsDropped extends Error {
  override readonly name = 'ProjectsDropped';
}

/**
 * Creates under the nonce, journals the id, then gives it its real name. An object that an earlier attempt left under
 * the nonce is taken over when its content is known to be ours, else deleted and made again.
 */
export async function createOAuthClient(
  api: Api,
  key: Key,
  inputs: FieldValues,
  intent: Intent,
): Promise<Found> {
  const organization = key.organization ?? '';
  const left = intent.earlier === 'none' ? [] : await namedLike(api, organization, intent.nonce);
  if (intent.earlier === 'unknown') {
    for (const one of left) await deleteOAuthClient(api, one.id);
  }
  const kept = intent.earlier === 'same' ? left[0] : undefined;
  const id = kept?.id ?? (await createNamed(api, organization, inputs, intent)).id;
  await intent.created(id);
  const rename: OAuthClientUpdate = {
    name: stringOrNull(inputs.name),
    ...('agentPoolId' in inputs ? { agentPoolId: stringOrNull(inputs.agentPoolId) } : {}),
  };
  await api.oauthClients.update(id, rename);
  const found = oauthClientFound(await api.oauthClients.read(id), organization);
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

/** Destroys; one that is gone is no error. */
export async function deleteOAuthClient(api: Api, id: string): Promise<void> {
  try {
    await api.oauthClients.delete(id);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    await confirmGone(api, id, error);
  }
}

/** A 404 alone may mean "not allowed": only when a read says the same, and the token can see clients at all, is it gone. */
async function confirmGone(api: Api, id: string, error: NotFound): Promise<void> {
  try {
    await api.oauthClients.read(id);
  } catch (again) {
    if (again instanceof NotFound) return;
    throw again;
  }
  throw error;
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
      const arrived = (await namedLike(api, organization, intent.nonce))[0];
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
