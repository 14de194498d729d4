/** Links under Pulumi: project attachments and run triggers, each a resource of its own. */
import { type FieldValues, type Found, type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { ProviderError } from './failures';
import { check } from './inputs';
import { readObject } from './read';
import { ownerField, type ResourceType } from './resource-types';
import type { Handlers, Session } from './session';
import { diffResult, givenText, isUnknown, outputsOf, type Props, textOf, valuesOf } from './state';

export function links(session: Session, type: ResourceType): Handlers {
  const { definition } = type;
  const { kind, pair, edge } = definition;

  /** Where the service limits the sources of a target, a changed source goes before its successor comes. */
  function makesRoomFirst(olds: Props, news: Props): boolean {
    if (edge?.limit === undefined || session.profile.limits[edge.limit] === null) return false;
    return !isUnknown(news[edge.to]) && olds[edge.to] === news[edge.to];
  }

  function keyOf(props: Props): Key {
    return Object.fromEntries(['organization', ...pair].map((name) => [name, givenText(props, name)]));
  }

  /** With the organization in whose list the link stands, where one of its ends has one. */
  async function placed(props: Props): Promise<Props> {
    const owner = textOf(props, ownerField(definition) ?? '');
    if (owner === undefined || textOf(props, 'organization') !== undefined) return props;
    return { ...props, organization: await session.organizationOf(owner) };
  }

  /** True when a list that many creates share lacks the link. */
  async function isLacking(key: Key): Promise<boolean> {
    const [ref] = definition.listedIn(key);
    // The other kinds create without a look.
    if (definition.createLane === undefined || ref === undefined) return false;
    return definition.find(await session.looks.read(ref), key).length === 0;
  }

  async function create(inputs: Props) {
    const props = await placed(inputs);
    const key = keyOf(props);
    const refs = definition.listedIn(key);
    try {
      const found = await session.queues.run(queueOf(definition, key), async () => {
        session.run.want(linkName(definition, key));
        const intent = (await isLacking(key)) ? unrecorded : takingOver;
        return await definition.create(session.api, key, valuesOf(definition, inputs), intent);
      });
      session.created(refs);
      return { id: found.id, outs: outputsOf(definition, props, found, session.api.address) };
    } catch (error) {
      session.forget(refs);
      throw error;
    }
  }

  /** The two ends: from the state, or for a read by id alone from the service or the id. */
  async function endsOf(id: string, state: Props): Promise<FieldValues> {
    const known = valuesOf(definition, state);
    if (pair.every((field) => field in known)) return known;
    if (definition.read !== undefined) return (await definition.read(session.api, id)).values;
    const ends = id.split('/');
    if (ends.length !== pair.length) {
      throw new ProviderError(`${id} is no id of a ${kind}: write ${pair.join('/')}`);
    }
    return Object.fromEntries(pair.map((field, index) => [field, ends[index] ?? '']));
  }

  async function read(id: string, state: Props = {}) {
    const props = await placed({ ...state, ...(await endsOf(id, state)) });
    return readObject(session, type, keyOf(props), id, props);
  }

  return session.handlers({
    check: (olds, news) => check(session, type, olds, news),
    diff: async (_id, olds, news) => ({
      ...diffResult(type, olds, news, session.profile),
      ...(makesRoomFirst(olds, news) && { deleteBeforeReplace: true }),
    }),
    create,
    read,
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    delete: (id, props) => removeLink(session, definition, keyOf(props), [id]),
  });
}

/** What a create left is found without a record: a link by its ends, a client by its temporary name. */
export const unrecorded = {
  nonce: '',
  earlier: 'none',
  existed: () => false,
  created: async () => undefined,
  mayArriveLate: async () => undefined,
  leftNothing: async () => undefined,
} as const;

/** Whatever an interrupted run left is the link itself. */
const takingOver = { ...unrecorded, earlier: 'same' } as const;

/** Creates a link that was just seen to be missing; after a lost answer or a duplicate the create looks again. */
export function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  return session.write(queueOf(definition, key), definition.listedIn(key), () =>
    definition.create(session.api, key, key, unrecorded),
  );
}

/** Deletes the link, under one id or several; one that is missing already is done. */
export function removeLink(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  ids: readonly string[],
): Promise<void> {
  return session.write(queueOf(definition, key), definition.listedIn(key), async () => {
    // Another resource of this run stands for the same link: a renamed one, or a set that took it over.
    if (session.run.isWanted(linkName(definition, key))) return;
    for (const id of ids) await definition.delete(session.api, id, key);
  });
}

export function queueOf(definition: ResourceDefinition, key: Key): string {
  return definition.createLane?.(key) ?? definition.batch?.lane(key) ?? linkName(definition, key);
}

export function linkName(definition: ResourceDefinition, key: Key): string {
  return [definition.kind, ...definition.pair.map((field) => partOf(key, field))].join(' ');
}
