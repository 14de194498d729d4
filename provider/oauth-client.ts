/** OAuth clients under Pulumi. A client is created or adopted once, and changed in place where the API can. */
import { ApiError, OperationalError } from '../client/errors';
import {
  carriedOver,
  describeMatch,
  hiddenFields,
  hiddenValues,
  keptOtherValues,
  possibleMatches,
} from '../resources/diff';
import type { FieldValues, Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { clientsOf, spelledAs } from '../resources/oauth-client-calls';
import { projectAttachment } from '../resources/project-attachment';
import { unlessNotFound } from '../resources/safe-calls';
import { removeCarried } from './links';
import * as properties from './properties';
import {
  membersOf,
  outputsOf,
  type Props,
  ProviderError,
  textOf,
  unknownValue,
  valuesOf,
} from './properties';
import { look, type Provider, readResult, resourceProvider } from './resource-provider';
import { linkName, type Session } from './session';

const clientType: properties.ResourceType = {
  definition,
  fields: definition.fields,
  own: {
    adoptId: { type: 'string', doc: 'Id of an existing client to adopt.', refersTo: definition.kind },
    allowDuplicate: { type: 'set', doc: 'Ids of matching clients that may stay.', refersTo: definition.kind },
  },
};

/** A client that the program changes. */
interface Changed {
  readonly id: string;
  values: FieldValues;
  readonly news: Props;
  readonly isAdoption: boolean;
  /** True if a new client takes its place. */
  isReplaced: boolean;
  /** Its id and those of its own predecessors. */
  readonly replaces: readonly string[];
}

export function oauthClients(session: Session): Provider {
  /** The keys are ids. */
  const changed = new Map<string, Changed>();
  /** Successors from earlier runs, which the state tells. The keys are ids of clients. */
  const earlier = new Map<string, string>();
  /** Ids of clients that a resource of the program keeps. */
  const kept = new Set<string>();
  /** Ids of clients that an update keeps. */
  const updated = new Set<string>();
  /** True from the first client of the program on. A refresh before it compares all clients of the state. */
  let isProgram = false;
  const differences = (olds: Props, news: Props) =>
    properties.differences(clientType, olds, news, session.account.profile);

  return resourceProvider(session, {
    async check(olds, news) {
      isProgram = true;
      const checked = properties.checkInputs(clientType, session.account.profile, olds, news);
      // With `replaceOnChanges` the engine replaces a client for any change. It then checks the same inputs again, without the old ones.
      const isSame = (one: Changed) => properties.sameInputs(checked.inputs, one.news);
      const last = Object.keys(olds).length === 0 ? [...changed.values()].findLast(isSame) : undefined;
      if (last !== undefined) {
        last.isReplaced = true;
        refuseSecond(last);
      }
      return checked;
    },

    async diff(id, olds, news) {
      session.organizations.set(id, textOf(olds, 'organization'));
      const result = properties.diffInputs(clientType, olds, news, session.account.profile);
      const isAdoption = ![undefined, id, olds.adoptId].includes(news.adoptId);
      if (isAdoption) result.replaces.push('adoptId');
      // Only a program has values that are not known yet.
      if (!isProgram && !Object.values(news).includes(unknownValue)) return result;
      keepProjects(id, news);
      const replaces = membersOf(olds, 'replaces');
      for (const one of replaces) {
        earlier.set(one, id);
        session.successors.set(one, id);
      }
      if (result.replaces.length === 0) kept.add(id);
      if (result.changes === false) session.wanted.add(id);
      else {
        const values = valuesOf(clientType, olds);
        const isReplaced = result.replaces.length > 0;
        const one = { id, values, news, isAdoption, isReplaced, replaces: [...replaces, id] };
        refuseSecond(one);
        changed.set(id, one);
      }
      return result;
    },

    /** Creates one client of an organization at a time, so that a second equal one sees the first. */
    create(inputs) {
      // A client that an update keeps has no successor.
      const isOld = (one: Changed) => one.isReplaced && !updated.has(one.id);
      const adoptId = textOf(inputs, 'adoptId');
      const alike = [...changed.values()].filter((one) => isOld(one) && isAlike(one.news, inputs));
      const predecessor =
        alike.find((one) => one.isAdoption && textOf(one.news, 'adoptId') === adoptId) ??
        alike.find((one) => !one.isAdoption);
      // The successor of an adopted client is a new client.
      const isAdopted = predecessor?.isAdoption ?? adoptId !== '';
      if (isAdopted) session.wanted.add(adoptId);
      return session.queue(`clients of ${textOf(inputs, 'organization')}`, async () => {
        const found = isAdopted ? await adopt(adoptId, inputs) : await make(inputs, predecessor);
        const replaces = isAdopted ? [] : predecessor?.replaces;
        if (predecessor !== undefined && !isAdopted) session.successors.set(predecessor.id, found.id);
        // The new client also got what the old one had from an earlier one.
        for (const [one, owner] of earlier) if (owner === predecessor?.id) earlier.set(one, found.id);
        return { id: found.id, outs: recorded(inputs, found, replaces) };
      });
    },

    async read(id, state = {}) {
      const organization = textOf(state, 'organization') || (await session.organizationOf(id));
      const createdAt = textOf(state, 'createdAt');
      const found = await look(session, { definition, key: { organization, id }, id, createdAt });
      return readResult(session, clientType, state, found);
    },

    /** Writes what differs from the state. What somebody changed since then stays, and a refresh shows it. */
    async update(id, olds, news) {
      session.wanted.add(id);
      updated.add(id);
      const found = await show(id, textOf(news, 'organization'), 'run `pulumi refresh`');
      const { update } = differences(olds, news);
      const others = membersOf(found.values, 'projectIds').filter(
        (one) => !membersOf(olds, 'projectIds').includes(one),
      );
      const projectIds = [...new Set([...membersOf(news, 'projectIds'), ...others])];
      const written = await write(found, { ...news, projectIds }, update).catch((error: unknown) => {
        throw withoutDoubt(error, { id, olds, news, names: update });
      });
      return { outs: recorded(news, written, membersOf(olds, 'replaces')) };
    },

    async delete(id, props) {
      if (session.wanted.has(id)) return session.around.say(`${id} stays: another resource has it`);
      const key = { organization: textOf(props, 'organization'), id };
      // With `deleteBeforeReplace`, the successor is created after this and gets what the client has now.
      const old = changed.get(id);
      if (old !== undefined && !session.successors.has(id)) {
        // The client stays if the create would be refused.
        const isKnown = ![identityOf(old.news), old.news.adoptId].join().includes(unknownValue);
        if (isKnown && old.isAdoption) await adoptable(textOf(old.news, 'adoptId'), old.news);
        else if (isKnown) await addable(old.news, old);
        old.isReplaced = true;
        const now = definition.read && (await unlessNotFound(definition.read(session.api, id)));
        if (now) old.values = now.values;
      }
      const oauthClientId = earlier.get(id) ?? '';
      for (const link of oauthClientId === '' ? [] : (session.detached.get(id) ?? [])) {
        await removeCarried(session, projectAttachment, { ...link, oauthClientId });
      }
      await definition.delete(session.api, id, key);
      session.forget(definition, key);
    },
  });

  /** Refuses to replace two equal clients in one run, because each successor could take over what the other client has. */
  function refuseSecond({ id, news, isAdoption, isReplaced }: Changed): void {
    if (isAdoption || !isReplaced || identityOf(news).includes(unknownValue)) return;
    const isOther = (one: Changed) => one.id !== id && one.isReplaced && !one.isAdoption;
    const all = [...changed.values()].filter(isOther);
    const other = all.find((one) => identityOf(one.news) === identityOf(news));
    if (other === undefined) return;
    throw new ProviderError(
      `${other.id} and ${id} are equal, so one run cannot replace both. Change one in the program, run \`pulumi up\`, and then change the other one with allowDuplicate: ['ID OF THE FIRST']`,
    );
  }

  /** Returns the values of a new client and the existing clients. Throws if one of these may be the wanted one. */
  async function addable(inputs: Props, predecessor?: Changed) {
    const organization = textOf(inputs, 'organization');
    session.forget(definition, { organization });
    const items = await session.connection.lists.read(clientsOf(organization));
    const there = definition.find(items, { organization });
    const old = there.find(({ id }) => id === predecessor?.id) ?? predecessor;
    // Projects and agent pools belong to an organization, so no client takes them into another one.
    const isHere = session.organizations.get(predecessor?.id ?? '') === organization;
    const carried = Object.entries(carriedOver(definition, old?.values)).filter(
      ([name]) => isHere || definition.fields[name]?.refersTo === undefined,
    );
    const values = { ...Object.fromEntries(carried), ...valuesOf(clientType, inputs) };
    const allowed = membersOf(inputs, 'allowDuplicate');
    const matches = possibleMatches(definition, values, there).filter(({ id }) => id !== predecessor?.id);
    if (matches.some(({ id }) => !allowed.includes(id))) throw refusal(organization, matches, kept);
    return { values, there };
  }

  /** Creates a client under its real name. */
  async function make(inputs: Props, predecessor?: Changed): Promise<Found> {
    const { api } = session.connection;
    const organization = textOf(inputs, 'organization');
    const { values, there } = await addable(inputs, predecessor);
    const isOther = (id: string) => there.some((one) => one.id === id);
    try {
      const attempt = { attemptedAt: api.serviceNow(), isOther };
      const made = await definition.create(api, { organization }, values, attempt);
      if (made.takenOver) session.around.say(`${made.id} was adopted after a lost answer`);
      const hidden = hiddenValues(definition, values, made);
      const problem = keptOtherValues(values, made) ?? (hidden && `${made.id} was made, but ${hidden}`);
      if (problem === null) return made;
      // The engine records the client, and the next `up` repairs it.
      const unfinished = {
        id: made.id,
        properties: recorded(
          without(inputs, hiddenFields(definition, values, made)),
          made,
          predecessor?.replaces,
        ),
        reasons: [problem],
      };
      throw Object.assign(new ProviderError(problem), unfinished);
    } finally {
      session.forget(definition, { organization });
    }
  }

  /** Adopts an existing client and writes the fields that differ. */
  async function adopt(id: string, inputs: Props): Promise<Found> {
    const { found, update, replace } = await adoptable(id, inputs);
    for (const name of replace) {
      session.around.say(
        `${id}: ${name} was not written, because the API cannot change it. Tether takes it for the one that is there`,
      );
    }
    return write(found, inputs, update);
  }

  /** Throws if another resource has the client, if it does not exist, or if a field that cannot change in place differs. */
  async function adoptable(id: string, inputs: Props) {
    if (kept.has(id)) {
      throw new ProviderError(
        `${id} belongs to another resource of this program. Remove that resource, or correct adoptId`,
      );
    }
    const advice = 'correct adoptId, or remove it to create a new client';
    const found = await show(id, textOf(inputs, 'organization'), advice);
    const { update, replace } = differences(found.values, inputs);
    const fixed = replace.filter((name) => !definition.fields[name]?.writeOnly);
    if (fixed.length === 0) return { found, update, replace };
    const texts = fixed.map((name) => `its ${name} is ${JSON.stringify(found.values[name])}`);
    throw new ProviderError(
      `${id} cannot be adopted: ${texts.join(', ')}, and the API cannot change that. Correct the program, or name another client`,
    );
  }

  /** Writes these fields, and returns the changed client. */
  async function write(found: Found, inputs: Props, names: readonly string[]): Promise<Found> {
    if (names.length === 0) return found;
    const changes = Object.fromEntries(names.map((name) => [name, inputs[name]])) as FieldValues;
    const hidden = hiddenValues(definition, changes, found);
    if (hidden !== null) throw new ProviderError(`nothing was written, because ${hidden}`);
    await definition.update?.(session.api, found.id, changes, found.values);
    session.forget(definition, { organization: textOf(inputs, 'organization') });
    return { ...found, values: { ...found.values, ...changes } };
  }

  async function show(id: string, organization: string, advice: string): Promise<Found> {
    const found = definition.read && (await unlessNotFound(definition.read(session.api, id)));
    if (!found) {
      throw new ProviderError(
        `there is no client ${id}, or the token may not see it. Nothing was written to it: ${advice}`,
      );
    }
    const { values } = found;
    const owner = spelledAs(organization, textOf(values, 'organization') || organization);
    return { ...found, values: { ...values, organization: owner } };
  }

  /** Returns the state of a client. `replaces` is for the next `up`, if this one cannot delete all that belongs to the predecessors. */
  function recorded(inputs: Props, found: Found, replaces: readonly string[] = []): Props {
    session.organizations.set(found.id, textOf(inputs, 'organization'));
    keepProjects(found.id, inputs);
    const outs = outputsOf(clientType, inputs, found, session.api.address);
    return replaces.length === 0 ? outs : { ...outs, replaces };
  }

  /** The client's projects stay attached when the program drops their attachments in the same run. */
  function keepProjects(id: string, inputs: Props): void {
    for (const projectId of membersOf(inputs, 'projectIds')) {
      session.wanted.add(linkName(projectAttachment, { oauthClientId: id, projectId }));
    }
  }
}

interface Written {
  readonly id: string;
  readonly olds: Props;
  readonly news: Props;
  readonly names: readonly string[];
}

/**
 * If the service may have written these fields, the error makes the engine record the client without them, and the next `up` writes them
 * again. No refresh could find another secret.
 */
function withoutDoubt(error: unknown, { id, olds, news, names }: Written): unknown {
  const isKnown = error instanceof ApiError && error.outcome !== 'ambiguous';
  if (isKnown || !(error instanceof OperationalError)) return error;
  // A project that is in neither list was attached by somebody else.
  const projectIds = [...new Set([olds, news].flatMap((props) => membersOf(props, 'projectIds')))];
  const properties = { ...without(olds, names), projectIds };
  return Object.assign(new ProviderError(error.message), { id, properties, reasons: [error.message] });
}

function without(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !names.includes(name)));
}

/** Compares what `diff` and `create` of a replacement share. The engine may give them different lists and secrets. */
function isAlike(one: Props, other: Props): boolean {
  const [allowed, others] = [one, other].map((inputs) => membersOf(inputs, 'allowDuplicate').join());
  return identityOf(one) === identityOf(other) && allowed === others;
}

function identityOf(inputs: Props): string {
  const { organization, serviceProvider, httpUrl, apiUrl, name } = inputs;
  return JSON.stringify([organization, serviceProvider, httpUrl, apiUrl, name]);
}

/** `kept` has the clients of other resources of the program. */
function refusal(organization: string, matches: readonly Found[], kept: ReadonlySet<string>): ProviderError {
  const ids = matches.map(({ id }) => `'${id}'`);
  const own = matches.find(({ id }) => kept.has(id));
  const only = own
    ? `Another resource of this program has ${own.id}: to have one client, remove one of the two resources`
    : `To adopt it (a run that was killed may have made it), write adoptId: ${ids[0]}`;
  return new ProviderError(
    `${organization} already has a matching OAuth client: ${matches.map(describeMatch).join('; ')}. ${only}. To create another one beside it, write allowDuplicate: [${ids.join(', ')}]. If the resource was only renamed in the program, give it the option aliases: [{ name: 'OLD NAME' }]`,
  );
}
