/** OAuth clients under Pulumi. A client is created or adopted once, and changed in place where the API can. */
import { ApiError } from '../client/errors';
import * as comparison from '../resources/diff';
import type { FieldValues, Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { toClientList } from '../resources/oauth-client-calls';
import type { InputTable } from '../resources/program-inputs';
import { projectAttachment } from '../resources/project-attachment';
import { UnexpectedAnswer, unlessNotFound } from '../resources/safe-calls';
import { PartialError, ProviderError } from './errors';
import { stays } from './links';
import { type Methods, readObject } from './methods';
import * as properties from './properties';
import {
  type Context,
  createState,
  type Props,
  readFields,
  readMembers,
  readString,
  toSet,
} from './properties';
import { linkName, type Session } from './session';

const clientReference = { onChange: 'update', refersTo: definition.kind } as const;

export const oauthClientType: InputTable = {
  definition,
  fields: {
    ...definition.fields,
    adoptId: { ...clientReference, type: 'string', doc: 'Id of an existing client to adopt.' },
    allowDuplicate: { ...clientReference, type: 'set', doc: 'Ids of matching clients that may stay.' },
  },
};

export const oauthClientMethods: Methods = { check, diff, create, read, update, delete: remove };

function check(context: Context, olds: Props, news: Props) {
  const { adoptions, wantedNames } = context.session;
  const result = properties.checkInputs(context, olds, news);
  const adoptId = readString(result.inputs, 'adoptId');
  if (Object.keys(olds).length > 0 || adoptId === '') return result;
  if (wantedNames.has(adoptId)) refuseSecond(adoptId);
  adoptions.add(adoptId);
  return result;
}

function diff(context: Context, id: string, olds: Props, news: Props) {
  const { session } = context;
  session.organizations.set(id, readString(olds, 'organization'));
  const difference = properties.diffInputs(context, id, olds, news);
  if (![undefined, id, olds.adoptId].includes(news.adoptId)) difference.replaces.push('adoptId');
  if (!session.isProgram) return difference;
  // The engine creates a resource before it compares those that the program declares later.
  if (session.adoptions.has(id)) refuseSecond(id);
  if (difference.replaces.length > 0) {
    refuseLoss(id, readFields(definition, olds), news);
    session.replacedClients.set(successorKey(news), { id, adoptId: olds.adoptId });
    return difference;
  }
  // These projects stay attached when the program drops their attachments in the same run.
  for (const projectId of readMembers(news, 'projectIds')) {
    session.wantedNames.add(linkName(projectAttachment, { oauthClientId: id, projectId }));
  }
  // `update` adds a client that changes, because `replaceOnChanges` may still replace it.
  if (difference.changes === false) session.wantedNames.add(id);
  return difference;
}

/** Creates one client of an organization at a time, so that a second equal one sees the first. */
async function create(context: Context, inputs: Props) {
  const { session } = context;
  const organization = readString(inputs, 'organization');
  const predecessor = session.replacedClients.get(successorKey(inputs));
  // The successor of an adopted client is a new client.
  const adoptId = inputs.adoptId === predecessor?.adoptId ? '' : readString(inputs, 'adoptId');
  const client = await session.queue(`clients of ${organization}`, () =>
    adoptId === '' ? createNew(context, inputs, predecessor?.id) : adopt(session, inputs, adoptId),
  );
  session.wantedNames.add(client.id);
  session.organizations.set(client.id, organization);
  return { id: client.id, outs: createState(context, inputs, client) };
}

async function read(context: Context, id: string, state: Props = {}) {
  const organization = readString(state, 'organization') || (await context.session.readOrganization(id));
  const createdAt = readString(state, 'createdAt');
  return readObject(context, state, { definition, key: { organization, id }, id, createdAt });
}

/** Writes what differs from the state. What somebody changed since then stays, and a refresh shows it. */
async function update(context: Context, id: string, olds: Props, news: Props) {
  const { session } = context;
  session.wantedNames.add(id);
  const client = await readClient(session, id, news, 'run `pulumi refresh`');
  const { update: names } = comparison.findDifferences(definition, olds, news, session.account.profile);
  const [before, after] = [readMembers(olds, 'projectIds'), readMembers(news, 'projectIds')];
  const attachedSince = readMembers(client.values, 'projectIds').filter((id) => !before.includes(id));
  const inputs = { ...news, projectIds: toSet([...after, ...attachedSince]) };
  try {
    return { outs: createState(context, news, await write(session, client, inputs, names)) };
  } catch (error) {
    const isUnexpected = error instanceof UnexpectedAnswer;
    if (!isUnexpected && !(error instanceof ApiError && error.outcome === 'ambiguous')) throw error;
    // The state lacks what may have been written, so that the next `up` writes it again. No refresh could find another secret.
    const state = without(olds, names);
    // A project that is in neither list was attached by somebody else.
    throw new PartialError(error.message, id, { ...state, projectIds: toSet([...before, ...after]) });
  }
}

async function remove({ session }: Context, id: string, state: Props) {
  if (session.wantedNames.has(id)) return session.print(`${id} ${stays}`);
  await definition.delete(session.api, id, { organization: readString(state, 'organization'), id });
}

/** Identifies the successor of a client for `diff` and `create`, to which the engine may give different secrets. */
function successorKey(inputs: Props): string {
  return `${readString(inputs, 'organization')} ${comparison.identify(definition, readFields(definition, inputs))}`;
}

/** Refuses a successor that more projects could use, or that lacks the agent pool, unless the program says so. */
function refuseLoss(id: string, predecessor: FieldValues, inputs: Props): void {
  const { organization, organizationScoped, agentPoolId } = predecessor;
  const ways: string[] = [];
  if (organizationScoped === false && inputs.organizationScoped === undefined) {
    ways.push('organizationScoped: false, or true to offer the new client to the whole organization');
  }
  if (agentPoolId && inputs.agentPoolId === undefined && inputs.organization === organization) {
    ways.push(`agentPoolId: '${String(agentPoolId)}', or null for a new client without an agent pool`);
  }
  if (ways.length === 0) return;
  throw new ProviderError(`${id} is replaced, and a new client takes nothing over from it. Write`, ...ways);
}

/** Creates a client under its real name, unless an existing one may be the wanted one. */
async function createNew(context: Context, inputs: Props, predecessorId = ''): Promise<Found> {
  const { session } = context;
  const { api, lists } = session.connect();
  const key = { organization: readString(inputs, 'organization') };
  session.forget(definition, key);
  const clients = definition.find(await lists.read(toClientList(key.organization)), key);
  const predecessor = clients.find(({ id }) => id === predecessorId);
  if (predecessor !== undefined) refuseLoss(predecessorId, predecessor.values, inputs);
  const values = readFields(definition, inputs);
  const matches = comparison
    .possibleMatches(definition, values, clients)
    .filter(({ id }) => id !== predecessorId);
  const allowedIds = readMembers(inputs, 'allowDuplicate');
  if (matches.some(({ id }) => !allowedIds.includes(id))) refuseMatches(session, key.organization, matches);
  const client = await session.create(definition, key, values, clients);
  const connectHint = definition.waitsFor?.(client.outputs, api.address);
  if (connectHint) session.print(`${client.id}: ${connectHint}`);
  const problem =
    comparison.keptOtherValues(values, client) ?? comparison.hiddenValues(definition, values, client);
  if (problem === null) return client;
  // The engine records the client as it is, and the next `up` repairs it.
  const visibleInputs = without(inputs, comparison.hiddenFields(definition, values, client));
  const message = `${client.id} was created and recorded, but ${problem}`;
  throw new PartialError(message, client.id, createState(context, visibleInputs, client));
}

function refuseMatches({ wantedNames }: Session, organization: string, matches: readonly Found[]): never {
  const ids = matches.map(({ id }) => `'${id}'`);
  const managed = matches.find(({ id }) => wantedNames.has(id));
  throw new ProviderError(
    `${organization} already has a matching OAuth client: ${ids.join(', ')}`,
    ...matches.map(comparison.describeMatch),
    managed
      ? `another resource of this program has ${managed.id}: to have one client, remove one of the two`
      : `adoptId: ${ids[0]} adopts it, for example after a run that was killed`,
    `allowDuplicate: [${ids.join(', ')}] creates another one beside it, also with --replace`,
    "the option aliases: [{ name: 'OLD NAME' }] is for a resource that was only renamed in the program",
  );
}

/** Adopts an existing client and writes the fields that differ. */
async function adopt(session: Session, inputs: Props, id: string): Promise<Found> {
  if (session.wantedNames.has(id)) refuseSecond(id);
  session.wantedNames.add(id);
  const client = await readClient(
    session,
    id,
    inputs,
    'correct adoptId, or remove it to create a new client',
  );
  const { profile } = session.account;
  const { update: names, replace } = comparison.findDifferences(definition, client.values, inputs, profile);
  const fixedFields = replace.filter((name) => !definition.fields[name]?.writeOnly);
  if (fixedFields.length > 0) {
    const way = 'correct the program, or name another client';
    throw new ProviderError(`${id} cannot be adopted: ${comparison.describeFixed(fixedFields, client)}`, way);
  }
  for (const name of replace) session.print(`${id}: ${comparison.describeKeptSecret(name)}`);
  return write(session, client, inputs, names);
}

function refuseSecond(id: string): never {
  const way = 'remove one of the two, or correct adoptId';
  throw new ProviderError(`${id} belongs to another resource of this program`, way);
}

/** Reads a client before a write. Throws with this advice if it does not exist. */
async function readClient({ api }: Session, id: string, inputs: Props, advice: string): Promise<Found> {
  const organization = readString(inputs, 'organization');
  const item = await unlessNotFound(toClientList(organization).readItem(api, id));
  const [client] = item === undefined ? [] : definition.find([item], { organization });
  if (client !== undefined) return client;
  throw new ProviderError(
    `there is no client ${id}, or the token may not see it. Nothing was written`,
    advice,
  );
}

/** Writes these fields, and returns the changed client. */
async function write(session: Session, client: Found, inputs: Props, names: readonly string[]) {
  if (names.length === 0) return client;
  const changes = Object.fromEntries(names.map((name) => [name, inputs[name]])) as FieldValues;
  const problem = comparison.hiddenValues(definition, changes, client);
  if (problem !== null) throw new ProviderError(`nothing was written, because ${problem}`);
  await definition.update?.(session.api, client.id, changes, client.values);
  session.forget(definition, { organization: readString(inputs, 'organization') });
  return { ...client, values: { ...client.values, ...changes } };
}

function without(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !names.includes(name)));
}
