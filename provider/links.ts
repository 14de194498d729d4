/** Links under Pulumi: project attachments and run triggers, each a resource of its own. */
import { type Found, type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { ProviderError } from './failures';
import { check } from './inputs';
import { pairForm, readObject, refuseForm } from './read';
import { ownerField, type ResourceType } from './resource-types';
import { type Handlers, type Session, unrecorded } from './session';
import { diffResult, givenText, isUnknown, outputsOf, type Props, textOf, valuesOf } from './state';

export function links(session: Session, type: ResourceType): Handlers {
  const { definition } = type;
  const { kind, pair, edge } = definition;

  /** Where the service limits the sources of a target, a changed source goes before its successor comes. */
  function makesRoomFirst(olds: Props, news: Props) {
    if (edge?.limit === undefined || session.account.profile.limits[edge.limit] === null) return false;
    return !isUnknown(news[edge.to]) && olds[edge.to] === news[edge.to];
  }

  function keyOf(props: Props) {
    return Object.fromEntries(['organization', ...pair].map((name) => [name, givenText(props, name)]));
  }

  /** With the organization of the end that has one: the link stands in its list. */
  async function placed(props: Props) {
    const owner = textOf(props, ownerField(definition) ?? '');
    if (owner === undefined || textOf(props, 'organization') !== undefined) return props;
    return { ...props, organization: await session.organizationOf(owner) };
  }

  /** What a list that many creates share shows of the link; undefined for kinds that are created without a look. */
  async function listed(key: Key) {
    const [ref] = definition.listedIn(key);
    if (definition.createQueue === undefined || ref === undefined) return undefined;
    return definition.find(await session.connection.looks.read(ref), key);
  }

  async function create(urn: string, inputs: Props) {
    const props = await placed(inputs);
    const key = keyOf(props);
    const work = async () => {
      session.run.want(linkName(definition, key));
      // Whatever an interrupted run left is the link itself.
      const there = await listed(key);
      const earlier = there?.length === 0 ? 'none' : 'same';
      const link = await definition.create(session.api, key, valuesOf(definition, inputs), {
        ...unrecorded,
        earlier,
      });
      if (there?.some(({ id }) => id === link.id)) sayTakenOver(session, urn, [link.id]);
      return link;
    };
    const found = await session.write(queueOf(definition, key), definition.listedIn(key), work, true);
    return { id: found.id, outs: outputsOf(props, found, session.api.address) };
  }

  /** From the state; for a read by id alone from the service, or from an id that is the pair. */
  async function endsOf(id: string, state: Props) {
    const known = valuesOf(definition, state);
    if (pair.every((field) => field in known)) return known;
    const ends = id.split('/');
    if (definition.read !== undefined && ends.length === 1) {
      refuseForm(kind, id, `, or ${pairForm(definition)}`);
      return (await definition.read(session.api, id)).values;
    }
    if (ends.length !== pair.length) {
      throw new ProviderError(`${id} is no id of a ${kind}: write ${pairForm(definition)}`);
    }
    return Object.fromEntries(
      pair.map((field, index) => {
        const { [index]: end = '' } = ends;
        refuseForm(definition.fields[field]?.refersTo ?? '', end);
        return [field, end];
      }),
    );
  }

  async function read(_urn: string, id: string, before: Props = {}, inputs: Props = {}) {
    const state = await placed({ ...before, ...(await endsOf(id, before)) });
    return readObject(session, type, keyOf(state), id, { state, inputs });
  }

  return session.guarded(type, {
    check: async (urn, olds, news) => {
      const checked = await check(session, urn, type, olds, news);
      const isKnown = pair.every((field) => textOf(checked.inputs, field) !== undefined);
      if (isKnown) session.run.want(linkName(definition, keyOf(checked.inputs)));
      return checked;
    },
    diff: async (_urn, _id, olds, news) => ({
      ...diffResult(type, olds, news, session.account.profile),
      ...(makesRoomFirst(olds, news) && { deleteBeforeReplace: true }),
    }),
    create,
    read,
    update: async (_urn, _id, olds, news) => ({ outs: { ...olds, ...news } }),
    delete: (_urn, id, props) => removeLink(session, definition, keyOf(props), [id]),
  });
}

/** The engine counts them as created, and another program may have them in its state too. */
export function sayTakenOver(session: Session, urn: string, ids: readonly string[]): void {
  const [verb, pronoun] = ids.length === 1 ? ['is', 'it'] : ['are', 'them'];
  session.around.say(
    `${ids.join(', ')} existed already and ${verb} managed here from now: \`pulumi destroy\` deletes ${pronoun}`,
    urn,
  );
}

/** Creates a link just seen to be missing; after a lost answer or a duplicate the create looks again. */
export function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  return session.write(queueOf(definition, key), definition.listedIn(key), () =>
    definition.create(session.api, key, key, unrecorded),
  );
}

/** Deletes the link under each id; one that is missing is done. */
export function removeLink(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  ids: readonly string[],
): Promise<void> {
  return session.write(queueOf(definition, key), definition.listedIn(key), async () => {
    // By another resource: a renamed one, or a set that took it over.
    if (session.run.isWanted(linkName(definition, key))) return;
    for (const id of ids) await definition.delete(session.api, id, key);
  });
}

export function queueOf(definition: ResourceDefinition, key: Key): string {
  return definition.createQueue?.(key) ?? definition.batch?.queue(key) ?? linkName(definition, key);
}

export function linkName(definition: ResourceDefinition, key: Key): string {
  return [definition.kind, ...definition.pair.map((field) => partOf(key, field))].join(' ');
}
