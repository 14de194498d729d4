/** Project attachments and run triggers under Pulumi. A link that exists is adopted. */
import type { Created, Found, Key, ResourceDefinition } from '../resources/kind';
import { checkInputs, diffInputs, outputsOf, type Props, textOf, valuesOf } from './properties';
import { look, type Provider, readResult, resourceProvider } from './resource-provider';
import { linkName, type Session } from './session';

export function links(session: Session, definition: ResourceDefinition): Provider {
  const { pair, edge, shownBy, fields } = definition;
  const type = { definition, fields, own: {} };

  /** Returns the ends of a link. An attachment also needs its organization, whose list of clients shows it. */
  async function keyOf(props: Props): Promise<Key> {
    const ends = Object.fromEntries(pair.map((end) => [end, textOf(props, end)]));
    if (shownBy === undefined) return ends;
    const known = textOf(props, 'organization');
    return { ...ends, organization: known || (await session.organizationOf(textOf(props, shownBy))) };
  }

  return resourceProvider(session, {
    async check(olds, news) {
      const checked = checkInputs(type, session.account.profile, olds, news);
      const known = valuesOf(type, checked.inputs);
      if (pair.every((end) => end in known)) session.wanted.add(linkName(definition, known as Key));
      return checked;
    },

    async diff(_id, olds, news) {
      const { profile } = session.account;
      // If targets have a limit on sources, the old trigger is deleted before the new one is created.
      const isLimited = edge !== undefined && profile.limits.maxSources !== null;
      const deleteBeforeReplace = isLimited && olds[edge.to] === news[edge.to];
      return { ...diffInputs(type, olds, news, profile), deleteBeforeReplace };
    },

    async create(inputs) {
      const key = await keyOf(inputs);
      const { id, values, outputs } = await addLink(session, definition, key);
      const found = { values: { ...values, ...key }, outputs };
      return { id, outs: outputsOf(type, inputs, found, session.api.address) };
    },

    async read(id, state = {}) {
      const found = await look(session, { definition, key: await keyOf(state), id });
      return readResult(session, type, state, found);
    },

    /** A change of any field replaces the link, so there is nothing to write. */
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),

    async delete(id, props) {
      const key = await keyOf(props);
      await removeLink(session, definition, key, [id]);
      const client = shownBy && key[shownBy];
      if (!client) return;
      session.detached.set(client, [...(session.detached.get(client) ?? []), key]);
      // A predecessor that the program keeps gives nothing back.
      const successor = session.wanted.has(client) ? undefined : session.successors.get(client);
      if (successor) await removeCarried(session, definition, { ...key, [shownBy]: successor });
    },
  });
}

/** Follows the names of links. */
export const adoptedNow = 'existed, and is managed here now: `pulumi destroy` deletes it';

/** Creates a link, or adopts an existing one. The list is shared, because creates of other pairs do not change the answer. */
export function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  return session.queue(queueOf(definition, key), async () => {
    const { api, lists } = session.connection;
    // Attaching twice has the same effect as once, so only triggers are looked for.
    const refs = definition.createQueue === undefined ? [] : definition.listedIn(key);
    const ref = refs.find((one) => lists.has(one)) ?? refs[0];
    const isOther = (id: string) => session.deleted.has(id);
    const listed = ref === undefined ? [] : definition.find(await lists.read(ref), key);
    // The list may be older than a create of this pair by another resource of the program.
    const made = ref === undefined ? undefined : session.created.get(linkName(definition, key));
    const there = [made ?? [], listed].flat().find(({ id }) => !isOther(id));
    const attempt = { attemptedAt: api.serviceNow(), isOther };
    const found: Created = there ?? (await definition.create(api, key, key, attempt));
    session.created.set(linkName(definition, key), found);
    if (found.takenOver) session.around.say(`${found.id} was adopted after a lost answer`);
    else if (there !== undefined) session.around.say(`${found.id} ${adoptedNow}`);
    return found;
  });
}

/** Deletes a link that a client got from its predecessor, and that the program dropped there. */
export async function removeCarried(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
): Promise<void> {
  const name = linkName(definition, key);
  if (!session.created.has(name)) await removeLink(session, definition, key, [name]);
}

/** Deletes a link, unless another resource of this program has it, such as a renamed one or a set. */
export async function removeLink(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  ids: readonly string[],
): Promise<void> {
  await session.queue(queueOf(definition, key), async () => {
    if (session.wanted.has(linkName(definition, key))) return;
    for (const id of ids) {
      await definition.delete(session.api, id, key);
      session.deleted.add(id);
    }
    session.created.delete(linkName(definition, key));
    session.forget(definition, key);
  });
}

function queueOf({ kind, createQueue, batch }: ResourceDefinition, key: Key): string {
  return createQueue?.(key) ?? batch?.queue(key) ?? kind;
}
