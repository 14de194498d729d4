/** Exact sets of links under Pulumi: all with one fixed end, as one resource with one list. */
import { NotFound } from '../client/errors';
import type { ListCache } from '../observation/list-cache';
import { inParallel } from '../observation/observe';
import type { Key, ListRef } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import { messageOf, ProviderError, Unfinished } from './failures';
import { check, type Rules } from './inputs';
import { addLink, linkName, queueOf, removeLink, sayTakenOver } from './links';
import { cannotTell, refuseForm, shown } from './read';
import type { SetType } from './resource-types';
import type { Handlers, Session } from './session';
import {
  addressMember,
  diffResult,
  givenText,
  inPlaces,
  inputsBehind,
  membersOf,
  type Props,
  sortedSet,
  textOf,
} from './state';

/** The id of each member's link: a list may leave out what the token may not read. */
const idsMember = 'triggerIds';

/** Ids of links by the object at their other end, duplicates together. */
type Links = Map<string, string[]>;

/** Members of the state, and those that leave before or after the missing ones come. */
type Earlier = Partial<Record<'known' | 'before' | 'after', string[]>>;

export function sets(session: Session, type: SetType): Handlers {
  const { definition, direction } = type;
  const fixedOf = (props: Props) => givenText(props, type.fixed);
  const idOf = (props: Props) => `${fixedOf(props)}/${direction}`;
  const keyOf = (props: Props, member: string) => ({ [type.fixed]: fixedOf(props), [type.member]: member });

  /** Adds the links of that key which the lists show now, or in the cache. */
  async function addFound(there: Links, refs: readonly ListRef[], key: Key, cache?: ListCache) {
    for (const ref of refs) {
      const items = await (cache?.read(ref) ?? ref.read(session.api));
      for (const { id, values } of definition.find(items, key)) {
        const member = String(values[type.member]);
        there.set(member, [...(there.get(member) ?? []), id]);
      }
    }
  }

  /** All of the fixed end, and those of the state that only their own page shows. */
  async function list(props: Props, cache?: ListCache) {
    const key = { [type.fixed]: fixedOf(props) };
    const there: Links = new Map();
    await addFound(there, definition.listedIn(key), key, cache);
    const hidden = Object.entries(props[idsMember] ?? {}).filter(([member]) => !there.has(member));
    await inParallel(hidden, async ([member, id]) => {
      const found = await shown(session, definition, String(id));
      if (found !== undefined) there.set(member, [found.id]);
    });
    return there;
  }

  /** What the lists of the members show, where that of the fixed end answers 404. */
  async function listAtMembers(props: Props) {
    const there: Links = new Map();
    await inParallel(membersOf(props, type.members), (member) =>
      addFound(there, definition.listedIn({ [type.member]: member }), keyOf(props, member)),
    );
    return there;
  }

  /** No other resource of this run takes the members along any more. */
  function wantMembers(inputs: Props) {
    const keys = membersOf(inputs, type.members).map((member) => keyOf(inputs, member));
    for (const key of keys) session.run.want(linkName(definition, key));
    return keys;
  }

  /** Waits for those just going, so that a list shows what stays. */
  async function want(inputs: Props) {
    const members = membersOf(inputs, type.members);
    const keys = wantMembers(inputs);
    await Promise.all(keys.map((key) => session.queues.run(queueOf(definition, key), async () => undefined)));
    return members;
  }

  function remove(props: Props, members: string[], there: Links) {
    return inParallel(members, (member) =>
      removeLink(session, definition, keyOf(props, member), there.get(member) ?? []),
    );
  }

  /** The inputs with these members, and by which link each is there. */
  function outputs(inputs: Props, names: string[], there: Links) {
    const members = inPlaces(inputs[type.members], sortedSet(names));
    const ids = members.flatMap((name) => (there.get(name) ?? []).slice(0, 1).map((id) => [name, id]));
    return {
      ...inputs,
      [type.members]: members,
      [idsMember]: Object.fromEntries(ids),
      [addressMember]: session.api.address,
    };
  }

  /** Adds what is missing. Returns the new state; a failure records which of all these are there. */
  async function change(
    urn: string,
    inputs: Props,
    there: Links,
    { known = [], before = [], after = [] }: Earlier,
  ) {
    const wanted = membersOf(inputs, type.members);
    const now = new Map(there);
    const taken = wanted.flatMap((one) => (known.includes(one) ? [] : (there.get(one) ?? [])));
    if (taken.length > 0) sayTakenOver(session, urn, taken);
    const missing = wanted.filter((one) => !there.has(one));
    try {
      await remove(inputs, before, there);
      await inParallel(missing, async (member) => {
        const { id } = await addLink(session, definition, keyOf(inputs, member));
        now.set(member, [id]);
      });
      await remove(inputs, after, there);
      return outputs(inputs, wanted, now);
    } catch (error) {
      const left = await list(inputs).catch(() => undefined);
      if (left === undefined) throw error;
      const ours = [...wanted, ...before, ...after].filter((one) => left.has(one));
      const id = idOf(inputs);
      throw new Unfinished(`${id} is not complete: ${messageOf(error)}`, id, outputs(inputs, ours, left));
    }
  }

  return session.guarded(type, {
    check: async (urn, olds, news) => {
      const checked = await check(session, urn, type, olds, news, setRules(type));
      if (textOf(checked.inputs, type.fixed) !== undefined) wantMembers(checked.inputs);
      return checked;
    },
    diff: async (_urn, _id, olds, news) => diffResult(type, olds, news, session.account.profile),
    create: async (urn, inputs) => {
      const wanted = await want(inputs);
      const there = await list(inputs);
      const unlisted = [...there.keys()].filter((one) => !wanted.includes(one));
      if (unlisted.length > 0 && inputs.removeUnmanaged !== true) {
        throw new ProviderError(
          `${fixedOf(inputs)} has ${direction} triggers that the set does not list: ${sortedSet(unlisted).join(', ')}. Add them to ${type.members}, remove them, or set removeUnmanaged: true to have them deleted`,
        );
      }
      return { id: idOf(inputs), outs: await change(urn, inputs, there, { before: unlisted }) };
    },
    read: async (_urn, id, state = {}, inputs = {}) => {
      const [end = ''] = id.split('/');
      if (id !== `${end}/${direction}`) {
        throw new ProviderError(`${id} is not the id of an ${type.kind}: write ws-…/${direction}`);
      }
      refuseForm(type.fields[type.fixed]?.refersTo ?? '', end);
      const props = { [type.fixed]: end, ...state };
      const there = await list(props, session.connection.lists).catch((error: unknown) => {
        throw error instanceof NotFound ? cannotTell(id, error.message, state) : error;
      });
      const now = outputs(props, [...there.keys()], there);
      return { id, props: now, inputs: inputsBehind(type, now, inputs) };
    },
    update: async (urn, _id, olds, news) => {
      const wanted = await want(news);
      const inputs = { ...news, [idsMember]: olds[idsMember] };
      const there = await list(inputs);
      const known = membersOf(olds, type.members);
      // A preview has shown only what the state had: a link that came since shows after a refresh.
      const leaving = known.filter((one) => !wanted.includes(one));
      const isLimited = session.account.profile.limits.maxSources !== null;
      const first = isLimited ? { before: leaving } : { after: leaving };
      return { outs: await change(urn, inputs, there, { known, ...first }) };
    },
    delete: async (_urn, _id, props) => {
      const there = (await unlessNotFound(list(props))) ?? (await listAtMembers(props));
      await remove(props, membersOf(props, type.members), there);
    },
  });
}

/** No link of an object with itself, and no more sources than the service allows. */
function setRules({ direction, fixed, members }: SetType): Rules {
  return (inputs, { limits }) => {
    const end = textOf(inputs, fixed);
    const listed = membersOf(inputs, members);
    const limit = (direction === 'inbound' ? limits.maxSources : null) ?? Number.POSITIVE_INFINITY;
    const mistakes: string[] = [];
    if (end !== undefined && listed.includes(end)) {
      mistakes.push(`${members}: ${end} cannot trigger itself: take it off the list`);
    }
    if (listed.length > limit) {
      mistakes.push(
        `${members}: ${listed.length} sources, and the service takes at most ${limit} for one target`,
      );
    }
    return mistakes;
  };
}
