/** OAuth clients under Pulumi. Decision 91 says in which order the engine calls the methods, and what they remember between the calls. */
import { ApiError } from '../client/errors';
import * as diff from '../resources/diff';
import { type Found, pick, setMembers, toSet } from '../resources/kind';
import { oauthClient as definition, neededBySuccessor } from '../resources/oauth-client';
import { toClientList, toFoundClient, updateClient } from '../resources/oauth-client-calls';
import { projectAttachment } from '../resources/project-attachment';
import { UnexpectedAnswer, unlessNotFound } from '../resources/safe-calls';
import { PartialError, ProviderError } from './errors';
import { type Props, ResourceProvider, readString } from './resource-provider';
import { linkName, type Session } from './session';

export class OAuthClientProvider extends ResourceProvider {
  constructor(session: Session) {
    const reference = { onChange: 'update', refersTo: definition.kind } as const;
    super(session, definition, {
      ...definition.fields,
      adoptId: { ...reference, type: 'string', doc: 'Id of an existing client to adopt.' },
      allowDuplicate: { ...reference, type: 'set', doc: 'Ids of matching clients that may stay.' },
    });
  }

  override async check(olds: Props, news: Props) {
    const { adoptions, wantedNames } = this.session;
    const result = await super.check(olds, news);
    const adoptId = readString(result.inputs, 'adoptId');
    if (Object.keys(olds).length > 0 || adoptId === '') return result;
    if (wantedNames.has(adoptId)) refuseSecond(adoptId);
    adoptions.add(adoptId);
    return result;
  }

  override async diff(id: string, olds: Props, news: Props) {
    const { session } = this;
    session.organizations.set(id, readString(olds, 'organization'));
    const difference = await super.diff(id, olds, news);
    if (![undefined, id, olds.adoptId].includes(news.adoptId)) difference.replaces.push('adoptId');
    if (!session.isProgram) return difference;
    // The engine creates a resource before it compares those that the program declares later.
    if (session.adoptions.has(id)) refuseSecond(id);
    if (difference.replaces.length > 0) {
      refuseLoss(id, olds, news);
      session.replacedClients.set(successorKey(news), { id, adoptId: olds.adoptId });
      // With `up --refresh --run-program`, the refresh has compared the recorded inputs before.
      session.wantedNames.delete(id);
      return difference;
    }
    for (const name of attachmentNames(id, news)) session.wantedNames.add(name);
    // `update` adds a client that changes, because `replaceOnChanges` may still replace it.
    if (difference.changes === false) session.wantedNames.add(id);
    return difference;
  }

  /** Creates one client of an organization at a time, so that a second equal one sees the first. */
  async create(inputs: Props) {
    const { session } = this;
    const organization = readString(inputs, 'organization');
    const predecessor = session.replacedClients.get(successorKey(inputs));
    // The successor of an adopted client is a new client.
    const adoptId = inputs.adoptId === predecessor?.adoptId ? '' : readString(inputs, 'adoptId');
    const client = await session.queue(definition.queue({ organization }), () =>
      adoptId === '' ? this.createNew(inputs, predecessor?.id) : this.adopt(inputs, adoptId),
    );
    session.organizations.set(client.id, organization);
    return { id: client.id, outs: this.toState(inputs, client.values, client.outputs) };
  }

  async read(id: string, state: Props = {}) {
    const organization = readString(state, 'organization') || (await this.session.readOrganization(id));
    return this.readObject(id, { organization, id }, state);
  }

  /** Writes what differs from the inputs in the state. What somebody changed since then stays until a refresh shows it. */
  async update(id: string, olds: Props, news: Props) {
    this.session.wantedNames.add(id);
    const client = await this.readClient(id, news, 'run `pulumi refresh`');
    // An input that the state lacks is new, or an earlier update failed to write it. Only the service knows its value.
    const before = { ...client.values, ...this.readInputs(olds) };
    const { update: names } = diff.findDifferences(definition, before, news, this.session.profile);
    const ownProjects = [...setMembers(olds.projectIds), ...setMembers(news.projectIds)];
    const otherProjects = setMembers(client.values.projectIds).filter((id) => !ownProjects.includes(id));
    const inputs = { ...news, projectIds: toSet([...setMembers(news.projectIds), ...otherProjects]) };
    try {
      const { values, outputs } = await this.write(client, inputs, names);
      // The state has the inputs that the engine records. With other values, a later update would write what no preview shows.
      return { outs: this.toState(news, { ...values, ...news }, outputs) };
    } catch (error) {
      const isUnexpected = error instanceof UnexpectedAnswer;
      if (!isUnexpected && !(error instanceof ApiError && error.outcome === 'ambiguous')) throw error;
      // The next `up` writes again what may have been written, because it is no recorded input. No refresh could find another secret.
      const isUntouched = (name: string) => !names.includes(name);
      const managed = readString(olds, 'managed').split(',').filter(isUntouched).join();
      // The next update must not take the projects of this resource for those of somebody else.
      const state = { ...pick(olds, isUntouched), managed, projectIds: toSet(ownProjects) };
      throw new PartialError(error.message, id, state);
    }
  }

  async delete(id: string, state: Props) {
    if (this.session.keeps(id)) return;
    await definition.delete(this.session.api, id, { organization: readString(state, 'organization'), id });
  }

  /** Creates a client under its real name, unless an existing one may be the wanted one. */
  private async createNew(inputs: Props, predecessorId = ''): Promise<Found> {
    const { session } = this;
    const { api, lists } = session.connect();
    const organization = readString(inputs, 'organization');
    lists.forget(toClientList(organization));
    const clients = await lists.find(definition, { organization });
    refuseLoss(predecessorId, clients.find(({ id }) => id === predecessorId)?.values ?? {}, inputs);
    const values = pick(inputs, (name) => name in definition.fields);
    const otherClients = clients.filter(({ id }) => id !== predecessorId);
    const matches = diff.possibleMatches(definition, values, otherClients);
    const allowedIds = setMembers(inputs.allowDuplicate);
    if (matches.some(({ id }) => !allowedIds.includes(id))) this.refuseMatches(organization, matches);
    const client = await session.create(definition, { organization }, values, clients);
    session.wantedNames.add(client.id);
    const connectHint = definition.waitsFor?.(client.outputs, api.address);
    if (connectHint) session.print(`${client.id}: ${connectHint}`);
    const problem = diff.unlikeSent(definition, values, client);
    if (problem === null) return client;
    // The engine records the client as it is, and the next `up` repairs it.
    const hiddenFields = diff.hiddenFields(definition, values, client);
    const visibleInputs = pick(inputs, (name) => !hiddenFields.includes(name));
    const state = this.toState(visibleInputs, client.values, client.outputs);
    throw new PartialError(`${client.id} was created and recorded, but ${problem}`, client.id, state);
  }

  private refuseMatches(organization: string, matches: readonly Found[]): never {
    const ids = matches.map(({ id }) => `'${id}'`);
    const managed = matches.find(({ id }) => this.session.wantedNames.has(id));
    throw new ProviderError(
      `${organization} already has a matching OAuth client: ${ids.join(', ')}`,
      ...matches.map(diff.describeMatch),
      managed
        ? `another resource of this program has ${managed.id}: to have one client, remove one of the two`
        : `adoptId: ${ids[0]} adopts it, for example after a run that was killed`,
      `allowDuplicate: [${ids.join(', ')}] creates another one beside it, also with --replace`,
      "the option aliases: [{ name: 'OLD NAME' }] is for a resource that was only renamed in the program",
    );
  }

  /** Adopts an existing client and writes the fields that differ. */
  private async adopt(inputs: Props, id: string): Promise<Found> {
    const { session } = this;
    if (session.wantedNames.has(id)) refuseSecond(id);
    for (const name of [id, ...attachmentNames(id, inputs)]) session.wantedNames.add(name);
    const client = await this.readClient(id, inputs, 'correct adoptId, or remove it to create a new client');
    const { update, keptSecrets, problem } = diff.planAdoption(definition, client, inputs, session.profile);
    const sentence = `${id} cannot be adopted: ${problem}`;
    if (problem !== null) throw new ProviderError(sentence, 'correct the program, or name another client');
    for (const name of keptSecrets) session.print(`${id}: ${diff.describeKeptSecret(name)}`);
    return this.write(client, inputs, update);
  }

  /** Reads a client before a write. Throws with this advice if it does not exist. */
  private async readClient(id: string, inputs: Props, advice: string): Promise<Found> {
    const organization = readString(inputs, 'organization');
    const client = await unlessNotFound(toClientList(organization).readItem(this.session.api, id));
    if (client !== undefined) return toFoundClient(client, organization);
    const sentence = `there is no client ${id}, or the token may not see it. Nothing was written`;
    throw new ProviderError(sentence, advice);
  }

  /** Writes these fields, and returns the changed client. */
  private async write(client: Found, inputs: Props, names: readonly string[]): Promise<Found> {
    if (names.length === 0) return client;
    const problem = diff.hiddenValues(definition, inputs, client);
    if (problem !== null) throw new ProviderError(`nothing was written, because ${problem}`);
    const changes = pick(inputs, (name) => names.includes(name));
    const { api, lists } = this.session.connect();
    const { outputs } = await updateClient(definition, api, client.id, changes, client.values);
    lists.forget(toClientList(readString(inputs, 'organization')));
    return { ...client, values: { ...client.values, ...changes }, outputs };
  }
}

/** Names the attachments in `projectIds`. They stay when the program drops their own resources in the same run. */
function attachmentNames(oauthClientId: string, { projectIds }: Props): readonly string[] {
  return setMembers(projectIds).map((projectId) => linkName(projectAttachment, { oauthClientId, projectId }));
}

/** Identifies the successor of a client for `diff` and `create`, to which the engine may give different secrets. */
function successorKey(inputs: Props): string {
  return `${readString(inputs, 'organization')} ${diff.identify(definition, inputs)}`;
}

function refuseLoss(id: string, predecessor: Props, inputs: Props): void {
  const lines = neededBySuccessor(predecessor, inputs);
  if (lines.length === 0) return;
  throw new ProviderError(`${id} is replaced, and a new client takes nothing over from it. Write`, ...lines);
}

function refuseSecond(id: string): never {
  const way = 'remove one of the two, or correct adoptId';
  throw new ProviderError(`${id} belongs to another resource of this program`, way);
}
