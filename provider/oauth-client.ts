/** OAuth clients under Pulumi: adopted or created once, changed in place where the API can. The engine protects them. */
import { carriedOver, describeMatch, keptOtherValues, possibleMatches } from '../resources/diff';
import type { FieldValue, FieldValues, Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { clientsOf } from '../resources/oauth-client-calls';
import { projectAttachment } from '../resources/project-attachment';
import { unlessNotFound } from '../resources/safe-calls';
import {
  check,
  diff,
  differences,
  membersOf,
  outputsOf,
  type Props,
  ProviderError,
  type ResourceType,
  textOf,
  valuesOf,
} from './properties';
import {
  cannotTell,
  look,
  type Provider,
  readResult,
  resourceProvider,
  Unfinished,
} from './resource-provider';
import { linkName, type Session } from './session';

export const clientType: ResourceType = {
  definition,
  fields: definition.fields,
  own: {
    adoptId: { type: 'string', doc: 'Id of an existing client to adopt.', refersTo: definition.kind },
    allowDuplicate: { type: 'set', doc: 'Ids of matching clients that may stay.', refersTo: definition.kind },
  },
};

/** A younger client that the service does not show may only be late. */
const youngMs = 120_000;

export function oauthClients(session: Session): Provider {
  return resourceProvider(session, {
    async check(olds, news) {
      const checked = check(clientType, session.account.profile, olds, news);
      session.wanted.add(textOf(checked.inputs, 'adoptId'));
      return checked;
    },

    async diff(id, olds, news) {
      session.learnOrganization(id, textOf(olds, 'organization'));
      const { replaces = [], ...result } = diff(clientType, olds, news, session.account.profile);
      // Another client to adopt takes the place of this one.
      const { adoptId = id } = news;
      if (adoptId !== id && adoptId !== olds.adoptId) replaces.push('adoptId');
      if (replaces.length > 0) {
        session.predecessors.set(JSON.stringify(news), { id, values: valuesOf(clientType, olds) });
      }
      return { ...result, replaces };
    },

    /** One client of an organization is looked for and posted at a time, so that a second equal one sees the first. */
    create: (inputs) =>
      session.queue(`clients of ${textOf(inputs, 'organization')}`, async () => {
        const organization = textOf(inputs, 'organization');
        const predecessor = session.predecessors.get(JSON.stringify(inputs));
        session.predecessors.delete(JSON.stringify(inputs));
        const adoptId = textOf(inputs, 'adoptId');
        // The successor of a client that was adopted is a new one.
        const isAdopted = adoptId !== '' && adoptId !== predecessor?.id;
        const { id, values, outputs } = isAdopted
          ? await adopt(session, adoptId, inputs)
          : await make(session, inputs, predecessor);
        session.learnOrganization(id, organization);
        wantProjects(session, id, inputs);
        const found = { values: { ...values, organization }, outputs };
        return { id, outs: outputsOf(clientType, inputs, found, session.api.address) };
      }),

    async read(id, state = {}) {
      const organization = textOf(state, 'organization') || (await session.organizationOf(id));
      session.learnOrganization(id, organization);
      const found = await look(session, definition, { organization, id }, id);
      const age = session.api.serviceNow() - Date.parse(textOf(state, 'createdAt'));
      if (found === undefined && age < youngMs) {
        throw cannotTell(id, 'it is younger than two minutes, and may be shown late; refresh again then');
      }
      const shown = found && { ...found, values: { ...found.values, organization } };
      return readResult(clientType, state, shown, session);
    },

    async update(id, olds, news) {
      const found = await show(session, id);
      if (found === undefined) throw new ProviderError(`${id} is ${missing}. Nothing was written`);
      wantProjects(session, id, news);
      const before = { ...olds, ...found.values, organization: olds.organization };
      const { update } = differences(clientType, before, news, session.account.profile);
      const values = {
        ...(await write(session, found, news, update)),
        organization: textOf(news, 'organization'),
      };
      return { outs: outputsOf(clientType, news, { ...found, values }, session.api.address) };
    },

    async delete(id, props) {
      if (session.wanted.has(id)) {
        session.around.say(`${id} stays, because another resource of this program has adopted it`);
        return;
      }
      const key = { organization: textOf(props, 'organization'), id };
      await definition.delete(session.api, id, key);
      session.forget(definition, key);
    },
  });
}

const missing = 'not there any more, or the token may not see it: `pulumi refresh` tells which';

/** Creates a client under its real name, unless one exists that may be the wanted one. */
async function make(session: Session, inputs: Props, predecessor?: Pick<Found, 'id' | 'values'>) {
  const { api, lists } = session;
  const organization = textOf(inputs, 'organization');
  const old = predecessor && ((await show(session, predecessor.id)) ?? predecessor).values;
  const values = { ...carriedOver(definition, old), ...valuesOf(clientType, inputs) };
  const there = definition.find(await lists.read(clientsOf(organization)), { organization });
  const allowed = membersOf(inputs, 'allowDuplicate');
  const matches = possibleMatches(definition, values, there).filter(({ id }) => id !== predecessor?.id);
  if (matches.some(({ id }) => !allowed.includes(id))) throw refusal(organization, matches);
  const attempt = {
    attemptedAt: api.serviceNow(),
    isOther: (id: string) => there.some((one) => one.id === id),
  };
  try {
    const made = await definition.create(api, { organization }, values, attempt);
    if (made.takenOver) session.around.say(`${made.id} was taken over after a lost answer`);
    const problem = keptOtherValues(values, made);
    if (problem === null) return made;
    throw new Unfinished(problem, made.id, outputsOf(clientType, inputs, made, api.address));
  } finally {
    session.forget(definition, { organization });
  }
}

function refusal(organization: string, matches: readonly Found[]): ProviderError {
  const ids = matches.map(({ id }) => `'${id}'`);
  return new ProviderError(
    `${organization} already has a matching OAuth client: ${matches.map(describeMatch).join('; ')}. To adopt it (a run that was killed may have made it), write adoptId: ${ids[0]}. To create another one beside it, write allowDuplicate: [${ids.join(', ')}]. If the resource was only renamed in the program, give it the option aliases: [{ name: 'OLD NAME' }]`,
  );
}

/** Takes an existing client over and gives it what differs. What cannot change in place must be equal. */
async function adopt(session: Session, id: string, inputs: Props): Promise<Found> {
  const found = await show(session, id);
  if (found === undefined) throw new ProviderError(`adoptId names ${id}, which is ${missing}`);
  const organization = textOf(found.values, 'organization') || textOf(inputs, 'organization');
  const before = { ...found.values, organization };
  const { update, replace } = differences(clientType, before, inputs, session.account.profile);
  const fixed = replace.filter((name) => !definition.fields[name]?.writeOnly);
  if (fixed.length === 0) return { ...found, values: await write(session, found, inputs, update) };
  const texts = fixed.map((name) => `its ${name} is ${JSON.stringify({ ...before }[name])}`);
  throw new ProviderError(
    `${id} cannot be adopted as it is: ${texts.join(', ')}, and that never changes in place. Correct the program, or name another client`,
  );
}

/** Writes these fields, and returns the values that the client has then. */
async function write(session: Session, { id, values }: Found, inputs: Props, names: readonly string[]) {
  if (names.length === 0) return values;
  const changes: FieldValues = Object.fromEntries(names.map((name) => [name, inputs[name] as FieldValue]));
  try {
    await definition.update?.(session.api, id, changes, values);
  } finally {
    session.forget(definition, { organization: textOf(inputs, 'organization') });
  }
  return { ...values, ...changes };
}

async function show(session: Session, id: string): Promise<Found | undefined> {
  return definition.read && unlessNotFound(definition.read(session.api, id));
}

/** Keeps these projects attached when the program drops their attachments in the same run. */
function wantProjects({ wanted }: Session, oauthClientId: string, inputs: Props): void {
  for (const projectId of membersOf(inputs, 'projectIds')) {
    wanted.add(linkName(projectAttachment, { oauthClientId, projectId }));
  }
}
