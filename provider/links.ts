/** Project attachments and run triggers under Pulumi. A link that exists is adopted. */
import type { Found, Key, ResourceDefinition } from '../resources/kind';
import { projectAttachment } from '../resources/project-attachment';
import { runTrigger } from '../resources/run-trigger';
import { maxLinks } from '../resources/violations';
import { type Methods, readObject } from './methods';
import { type Context, checkInputs, createState, diffInputs, type Props, readString } from './properties';
import { linkName, type Session } from './session';

type Ids = readonly string[];

export const projectAttachmentType = { definition: projectAttachment, fields: projectAttachment.fields };
export const runTriggerType = { definition: runTrigger, fields: runTrigger.fields };

export const linkMethods: Methods = { check: checkInputs, diff, create, read, update, delete: remove };

function diff(context: Context, id: string, olds: Props, news: Props) {
  const { edge } = context.type.definition;
  // If targets have a limit on sources, the old trigger is deleted before the new one is created.
  const isLimited = edge !== undefined && maxLinks(edge, context.session.account.profile) !== null;
  const deleteBeforeReplace = isLimited && olds[edge.to] === news[edge.to];
  return { ...diffInputs(context, id, olds, news), deleteBeforeReplace };
}

async function create(context: Context, inputs: Props) {
  const key = await toKey(context, inputs);
  const { id, values, outputs } = await addLink(context.session, context.type.definition, key);
  return { id, outs: createState(context, inputs, { values: { ...values, ...key }, outputs }) };
}

async function read(context: Context, id: string, state: Props = {}) {
  const key = await toKey(context, state);
  return readObject(context, state, { definition: context.type.definition, key, id });
}

/** A change of any field replaces the link, so there is nothing to write. */
async function update(_context: Context, _id: string, olds: Props, news: Props) {
  return { outs: { ...olds, ...news } };
}

async function remove(context: Context, id: string, state: Props) {
  await removeLink(context.session, context.type.definition, await toKey(context, state), [id]);
}

/** Returns the ends of a link. An attachment also needs its organization, whose list of clients shows it. */
async function toKey({ session, type }: Context, props: Props): Promise<Key> {
  const { pair, shownBy } = type.definition;
  const ends = Object.fromEntries(pair.map((end) => [end, readString(props, end)]));
  if (shownBy === undefined) return ends;
  const organization =
    readString(props, 'organization') || (await session.readOrganization(readString(props, shownBy)));
  return { ...ends, organization };
}

/** Creates a link, or adopts an existing one. The list is shared, because creates of other pairs do not change the answer. */
export function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  return session.queue(queueName(definition, key), async () => {
    const { lists } = session.connect();
    // Attaching twice has the same effect as once, so only triggers are looked for.
    const refs = definition.createQueue === undefined ? [] : definition.listedIn(key);
    const ref = refs.find((list) => lists.has(list)) ?? refs[0];
    const [existingLink] = ref === undefined ? [] : definition.find(await lists.read(ref), key);
    if (existingLink === undefined) return session.create(definition, key, key, []);
    if (!session.isOfThisRun(existingLink.outputs.createdAt)) {
      const name = `${existingLink.id} (${definition.pair.map((end) => key[end]).join(', ')})`;
      session.print(`${name} existed, and is managed here now: \`pulumi destroy\` deletes it`);
    }
    return existingLink;
  });
}

/** Deletes the links of one pair, unless a resource of this program has them, such as a renamed one or a set. */
export async function removeLink(session: Session, definition: ResourceDefinition, key: Key, ids: Ids) {
  if (session.wantedNames.has(linkName(definition, key))) return session.print(`${ids.join(', ')} ${stays}`);
  await session.queue(queueName(definition, key), async () => {
    for (const id of ids) await definition.delete(session.api, id, key);
    session.forget(definition, key);
  });
}

/** Follows the id of an object. */
export const stays = 'was not deleted, because a resource of this program has it';

function queueName({ kind, createQueue, batch }: ResourceDefinition, key: Key): string {
  return createQueue?.(key) ?? batch?.queue(key) ?? kind;
}
