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
import { type Context, type Props, readFields, readMembers, readString } from './properties';
import { linkName, type Session } from './session';

const ofClient = { onChange: 'update', refersTo: definition.kind } as const;

export const oauthClientType: InputTable = {
  definition,
  fields: {
    ...definition.fields,
    adoptId: { ...ofClient, type: 'string', doc: 'Id of an existing client to adopt.' },
    allowDuplicate: { ...ofClient, type: 'set', doc: 'Ids of matching clients that may stay.' },
  },
};

export const oauthClientMethods: Methods = { check, diff, create, read, update, delete: remove };

function check(context: Context, olds: Props, news: Props) {
  const { session } = context;
  const checked = properties.checkInputs(context, olds, news);
  const adoptId = readString(checked.inputs, 'adoptId');
  if (Object.keys(olds).length > 0 || adoptId === '') return checked;
  if (session.wanted.has(adoptId)) refuseSecond(adoptId);
  session.adoptions.add(adoptId);
  return checked;
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
    session.replaced.set(successorKey(news), { id, adoptId: olds.adoptId });
    return difference;
  }
  // These projects stay attached when the program drops their attachments in the same run.
  for (const projectId of readMembers(news, 'projectIds')) {
    session.wanted.add(linkName(projectAttachment, { oauthClientId: id, projectId }));
  }
  // `update` adds a client that changes, because `replaceOnChanges` may still replace it.
  if (difference.changes === false) session.wanted.add(id);
  return difference;
}

/** Creates one client of an organization at a time, so that a second equal one sees the first. */
async function create(context: Context, inputs: Props) {
  const { session } = context;
  const organization = readString(inputs, 'organization');
  const predecessor = session.replaced.get(successorKey(inputs));
  // The successor of an adopted client is a new client.
  const adoptId = inputs.adoptId === predecessor?.adoptId ? '' : readString(inputs, 'adoptId');
  const found = await session.queue(`clients of ${organization}`, () =>
    adoptId === '' ? createNew(context, inputs, predecessor?.id) : adopt(session, inputs, adoptId),
  );
  session.wanted.add(found.id);
  session.organizations.set(found.id, organization);
  return { id: found.id, outs: properties.createState(context, inputs, found) };
}

async function read(context: Context, id: string, state: Props = {}) {
  const organization = readString(state, 'organization') || (await context.session.readOrganization(id));
  const createdAt = readString(state, 'createdAt');
  return readObject(context, state, { definition, key: { organization, id }, id, createdAt });
}

/** Writes what differs from the state. What somebody changed since then stays, and a refresh shows it. */
async function update(context: Context, id: string, olds: Props, news: Props) {
  const { session } = context;
  session.wanted.add(id);
  const found = await readExisting(session, id, news, 'run `pulumi refresh`');
  const { update: names } = comparison.findDifferences(definition, olds, news, session.account.profile);
  const before = readMembers(olds, 'projectIds');
  const after = readMembers(news, 'projectIds');
  const attachedSince = readMembers(found.values, 'projectIds').filter((one) => !before.includes(one));
  const inputs = { ...news, projectIds: [...new Set([...after, ...attachedSince])] };
  try {
    return { outs: properties.createState(context, news, await write(session, found, inputs, names)) };
  } catch (error) {
    const isWritten = error instanceof UnexpectedAnswer;
    if (!isWritten && !(error instanceof ApiError && error.outcome === 'ambiguous')) throw error;
    // A project that is in neither list was attached by somebody else.
    const projectIds = [...new Set([...before, ...after])];
    // The state lacks what may have been written, so that the next `up` writes it again. No refresh could find another secret.
    throw new PartialError(error.message, id, { ...without(olds, names), projectIds });
  }
}

async function remove({ session }: Context, id: string, state: Props) {
  if (session.wanted.has(id)) return session.print(`${id} ${stays}`);
  const key = { organization: readString(state, 'organization'), id };
  await definition.delete(session.api, id, key);
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
  const allowed = readMembers(inputs, 'allowDuplicate');
  if (matches.some(({ id }) => !allowed.includes(id))) refuseMatches(session, key.organization, matches);
  const isOther = (id: string) => clients.some((client) => client.id === id);
  const created = await session.create(definition, key, values, isOther);
  const open = definition.waitsFor?.(created.outputs, api.address);
  if (open) session.print(`${created.id}: ${open}`);
  const problem =
    comparison.keptOtherValues(values, created) ?? comparison.hiddenValues(definition, values, created);
  if (problem === null) return created;
  // The engine records the client as it is, and the next `up` repairs it.
  const shown = without(inputs, comparison.hiddenFields(definition, values, created));
  throw new PartialError(
    `${created.id} was created and recorded, but ${problem}`,
    created.id,
    properties.createState(context, shown, created),
  );
}

function refuseMatches({ wanted }: Session, organization: string, matches: readonly Found[]): never {
  const ids = matches.map(({ id }) => `'${id}'`);
  const managed = matches.find(({ id }) => wanted.has(id));
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
  if (session.wanted.has(id)) refuseSecond(id);
  session.wanted.add(id);
  const found = await readExisting(
    session,
    id,
    inputs,
    'correct adoptId, or remove it to create a new client',
  );
  const { profile } = session.account;
  const { update: names, replace } = comparison.findDifferences(definition, found.values, inputs, profile);
  const fixed = replace.filter((name) => !definition.fields[name]?.writeOnly);
  if (fixed.length > 0) {
    const way = 'correct the program, or name another client';
    throw new ProviderError(`${id} cannot be adopted: ${comparison.describeFixed(fixed, found)}`, way);
  }
  for (const name of replace) session.print(`${id}: ${comparison.describeKeptSecret(name)}`);
  return write(session, found, inputs, names);
}

function refuseSecond(id: string): never {
  const way = 'remove one of the two, or correct adoptId';
  throw new ProviderError(`${id} belongs to another resource of this program`, way);
}

async function readExisting({ api }: Session, id: string, inputs: Props, advice: string): Promise<Found> {
  const organization = readString(inputs, 'organization');
  const item = await unlessNotFound(toClientList(organization).readItem(api, id));
  const [found] = item === undefined ? [] : definition.find([item], { organization });
  if (found !== undefined) return found;
  throw new ProviderError(
    `there is no client ${id}, or the token may not see it. Nothing was written`,
    advice,
  );
}

/** Writes these fields, and returns the changed client. */
async function write(session: Session, found: Found, inputs: Props, names: readonly string[]) {
  if (names.length === 0) return found;
  const changes = Object.fromEntries(names.map((name) => [name, inputs[name]])) as FieldValues;
  const hidden = comparison.hiddenValues(definition, changes, found);
  if (hidden !== null) throw new ProviderError(`nothing was written, because ${hidden}`);
  await definition.update?.(session.api, found.id, changes, found.values);
  session.forget(definition, { organization: readString(inputs, 'organization') });
  return { ...found, values: { ...found.values, ...changes } };
}

function without(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !names.includes(name)));
}
