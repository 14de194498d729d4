/** Exact sets of links under Pulumi: all links with one fixed end, in one resource and one list. */
import { NotFound } from '../client/errors';
import { inParallel, type ListCache } from '../observation/observe';
import type { Key } from '../resources/kind';
import { messageOf, ProviderError, Unfinished } from './failures';
import { check, type Rules } from './inputs';
import { addLink, linkName, queueOf, removeLink } from './links';
import { cannotTell, shown } from './read';
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
  providerMember,
  sortedSet,
  textOf,
} from './state';

/** The id of each member's link: a list may leave out what the token may not read. */
const idsMember = 'triggerIds';

/** Ids of links by the object at their other end, duplicates together. */
type Links = Map<string, string[]>;

export function sets(session: Session, type: SetType): Handlers {
  const { definition, direction } = type;
  const fixedOf = (props: Props): string => givenText(props, type.fixed);
  const idOf = (props: Props): string => `${fixedOf(props)}/${direction}`;
  const keyOf = (props: Props, member: string): Key => {
    return { [type.fixed]: fixedOf(props), [type.member]: member };
  };

  /** All links of the fixed end, as listed now or in the cache, and those of the state that only their own page shows. */
  async function list(props: Props, cache?: ListCache): Promise<Links> {
    const key = { [type.fixed]: fixedOf(props) };
    const there: Links = new Map();
    for (const ref of definition.listedIn(key)) {
      const items = await (cache?.read(ref) ?? ref.read(session.api));
      for (const { id, values } of definition.find(items, key)) {
        const member = String(values[type.member]);
        there.set(member, [...(there.get(member) ?? []), id]);
      }
    }
    const hidden = Object.entries(props[idsMember] ?? {}).filter(([member]) => !there.has(member));
    await inParallel(hidden, async ([member, id]) => {
      const found = await shown(session, definition, String(id));
      if (found !== undefined) there.set(member, [found.id]);
    });
    return there;
  }

  /** What the lists of the members show, where that of the fixed end answers 404. */
  async function listAtMembers(props: Props): Promise<Links> {
    const there: Links = new Map();
    await inParallel(membersOf(props, type.members), async (member) => {
      for (const ref of definition.listedIn({ [type.member]: member })) {
        const found = definition.find(await ref.read(session.api), keyOf(props, member));
        const ids = found.map(({ id }) => id);
        if (ids.length > 0) there.set(member, ids);
      }
    });
    return there;
  }

  /** From now on no other resource of this run takes the members along. Waits for those just going: a list then shows what stays. */
  async function want(inputs: Props): Promise<string[]> {
    const members = membersOf(inputs, type.members);
    const keys = members.map((member) => keyOf(inputs, member));
    for (const key of keys) session.run.want(linkName(definition, key));
    const queues = new Set(keys.map((key) => queueOf(definition, key)));
    await Promise.all([...queues].map((queue) => session.queues.run(queue, async () => undefined)));
    return members;
  }

  function remove(props: Props, members: string[], there: Links): Promise<void> {
    return inParallel(members, (member) =>
      removeLink(session, definition, keyOf(props, member), there.get(member) ?? []),
    );
  }

  /** The state: the inputs with these members, and by which link each is there. */
  function outputs({ [providerMember]: _, ...inputs }: Props, names: string[], there: Links) {
    const members = inPlaces(inputs[type.members], sortedSet(names));
    const ids = members.flatMap((name) => (there.get(name) ?? []).slice(0, 1).map((id) => [name, id]));
    return {
      ...inputs,
      [type.members]: members,
      [idsMember]: Object.fromEntries(ids),
      [addressMember]: session.api.address,
    };
  }

  /** Returns the new state. A failure records which members that come or leave are there: the next `up` goes on from that. */
  async function change(inputs: Props, state: Props, there: Links, leaving: string[], makeRoom: boolean) {
    const wanted = membersOf(inputs, type.members);
    const now = new Map(there);
    try {
      if (makeRoom) await remove(inputs, leaving, there);
      await inParallel(
        wanted.filter((one) => !there.has(one)),
        async (member) => {
          const { id } = await addLink(session, definition, keyOf(inputs, member));
          now.set(member, [id]);
        },
      );
      if (!makeRoom) await remove(inputs, leaving, there);
      return outputs(inputs, wanted, now);
    } catch (error) {
      const left = await list(state).catch(() => undefined);
      if (left === undefined) throw error;
      const ours = [...wanted, ...leaving].filter((one) => left.has(one));
      const id = idOf(inputs);
      throw new Unfinished(`${id} is not complete: ${messageOf(error)}`, id, {
        ...outputs(inputs, ours, left),
        [providerMember]: inputs[providerMember],
      });
    }
  }

  return session.handlers({
    check: (olds, news) => check(session, type, olds, news, setRules(type)),
    diff: async (_id, olds, news) => diffResult(type, olds, news, session.profile),
    create: async (inputs) => {
      const wanted = await want(inputs);
      const there = await list(inputs);
      const unlisted = [...there.keys()].filter((one) => !wanted.includes(one));
      if (unlisted.length > 0 && inputs.removeForeign !== true) {
        throw new ProviderError(
          `${fixedOf(inputs)} has ${direction} triggers that the set does not list: ${sortedSet(unlisted).join(', ')}. Add them to ${type.members}, remove them, or set removeForeign: true to have them deleted`,
        );
      }
      return { id: idOf(inputs), outs: await change(inputs, inputs, there, unlisted, true) };
    },
    read: async (id, state) => {
      const [end, side] = id.split('/');
      if (side !== direction) {
        throw new ProviderError(`${id} is not the id of an ${type.kind}: write ws-…/${direction}`);
      }
      const props = { [type.fixed]: end, ...state };
      const there = await list(props, session.lists).catch((error: unknown) => {
        throw error instanceof NotFound ? cannotTell(id, error.message) : error;
      });
      const now = outputs(props, [...there.keys()], there);
      return { id, props: now, inputs: inputsBehind(type, now) };
    },
    update: async (_id, olds, news) => {
      const wanted = await want(news);
      const there = await list(olds);
      // A preview has shown only what the state had: a link that came since shows after a refresh.
      const leaving = membersOf(olds, type.members).filter((one) => !wanted.includes(one));
      // With room for all, what is wanted comes before what is not goes.
      const makeRoom = session.profile.limits.maxSources !== null;
      return { outs: await change(news, olds, there, leaving, makeRoom) };
    },
    delete: async (_id, props) => {
      const there = await list(props).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
        return listAtMembers(props);
      });
      await remove(props, membersOf(props, type.members), there);
    },
  });
}

/** No link of an object with itself, and no more sources than the service allows. */
function setRules({ direction, fixed, members }: SetType): Rules {
  return (inputs, { limits }) => {
    const end = textOf(inputs, fixed);
    const listed = membersOf(inputs, members);
    const limit = direction === 'inbound' ? limits.maxSources : null;
    const mistakes: string[] = [];
    if (end !== undefined && listed.includes(end)) {
      mistakes.push(`${members}: ${end} cannot trigger itself: take it off the list`);
    }
    if (limit !== null && listed.length > limit) {
      mistakes.push(
        `${members}: ${listed.length} sources, and the service takes at most ${limit} for one target`,
      );
    }
    return mistakes;
  };
}
