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
  const around = (props: Props) => new SetOfLinks(session, type, givenText(props, type.fixed));
  return session.handlers({
    check: (olds, news) => check(session, type, olds, news, setRules(type)),
    diff: async (_id, olds, news) => diffResult(type, olds, news, session.profile),
    create: (inputs) => around(inputs).create(inputs),
    read: async (id, state) => {
      const [end, direction] = id.split('/');
      if (direction !== type.direction) {
        throw new ProviderError(`${id} is not the id of an ${type.kind}: write ws-…/${type.direction}`);
      }
      const props = { [type.fixed]: end, ...state };
      return around(props).read(props);
    },
    update: (_id, olds, news) => around(news).update(olds, news),
    delete: (_id, props) => around(props).delete(props),
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

class SetOfLinks {
  private readonly id: string;

  constructor(
    private readonly session: Session,
    private readonly type: SetType,
    private readonly fixed: string,
  ) {
    this.id = `${fixed}/${type.direction}`;
  }

  async create(inputs: Props) {
    const { id, fixed, type } = this;
    const wanted = membersOf(inputs, type.members);
    await this.want(wanted);
    const there = await this.list({});
    const unlisted = [...there.keys()].filter((one) => !wanted.includes(one));
    if (unlisted.length > 0 && inputs.removeForeign !== true) {
      throw new ProviderError(
        `${fixed} has ${type.direction} triggers that the set does not list: ${sortedSet(unlisted).join(', ')}. Add them to ${type.members}, remove them, or set removeForeign: true to have them deleted`,
      );
    }
    return { id, outs: await this.change(inputs, {}, there, unlisted, true) };
  }

  async update(olds: Props, news: Props) {
    const { session, type } = this;
    const wanted = membersOf(news, type.members);
    await this.want(wanted);
    const there = await this.list(olds);
    // A preview has shown only what the state had: a link that came since shows after a refresh.
    const leaving = membersOf(olds, type.members).filter((one) => !wanted.includes(one));
    // With room for all, what is wanted comes before what is not goes.
    const makeRoom = session.profile.limits.maxSources !== null;
    return { outs: await this.change(news, olds, there, leaving, makeRoom) };
  }

  async read(props: Props) {
    const { session, type, id } = this;
    const there = await this.list(props, session.lists).catch((error: unknown) => {
      throw error instanceof NotFound ? cannotTell(id, error.message) : error;
    });
    const now = this.outputs(props, [...there.keys()], there);
    return { id, props: now, inputs: inputsBehind(type, now) };
  }

  async delete(props: Props): Promise<void> {
    const ours = membersOf(props, this.type.members);
    const there = await this.list(props).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      return this.listAtMembers(ours);
    });
    await this.remove(ours, there);
  }

  /** Returns the new state. A failure records which members that come or leave are there: the next `up` goes on from that. */
  private async change(inputs: Props, state: Props, there: Links, leaving: string[], makeRoom: boolean) {
    const wanted = membersOf(inputs, this.type.members);
    try {
      if (makeRoom) await this.remove(leaving, there);
      const made = await this.add(wanted.filter((one) => !there.has(one)));
      if (!makeRoom) await this.remove(leaving, there);
      return this.outputs(inputs, wanted, new Map([...there, ...made]));
    } catch (error) {
      const now = await this.list(state).catch(() => undefined);
      if (now === undefined) throw error;
      const left = [...wanted, ...leaving].filter((one) => now.has(one));
      throw new Unfinished(`${this.id} is not complete: ${messageOf(error)}`, this.id, {
        ...this.outputs(inputs, left, now),
        [providerMember]: inputs[providerMember],
      });
    }
  }

  /** The state: the inputs with these members, and by which link each is there. */
  private outputs(inputs: Props, names: string[], there: Links) {
    const { [providerMember]: _, ...given } = inputs;
    const members = inPlaces(inputs[this.type.members], sortedSet(names));
    const ids = members.flatMap((name) => (there.get(name) ?? []).slice(0, 1).map((id) => [name, id]));
    return {
      ...given,
      [this.type.members]: members,
      [idsMember]: Object.fromEntries(ids),
      [addressMember]: this.session.api.address,
    };
  }

  private keyOf(member: string): Key {
    return { [this.type.fixed]: this.fixed, [this.type.member]: member };
  }

  /** All links of the fixed end, as listed now or in the cache, and those of the state that only their own page shows. */
  private async list(state: Props, cache?: ListCache): Promise<Links> {
    const { session, type } = this;
    const { definition } = type;
    const key = { [type.fixed]: this.fixed };
    const there: Links = new Map();
    for (const ref of definition.listedIn(key)) {
      const items = await (cache?.read(ref) ?? ref.read(session.api));
      for (const { id, values } of definition.find(items, key)) {
        const member = String(values[type.member]);
        there.set(member, [...(there.get(member) ?? []), id]);
      }
    }
    const hidden = Object.entries(state[idsMember] ?? {}).filter(([member]) => !there.has(member));
    await inParallel(hidden, async ([member, id]) => {
      const found = await shown(session, definition, String(id));
      if (found !== undefined) there.set(member, [found.id]);
    });
    return there;
  }

  /** What the lists of the members show, where that of the fixed end answers 404. */
  private async listAtMembers(members: string[]): Promise<Links> {
    const { definition, member: end } = this.type;
    const there: Links = new Map();
    await inParallel(members, async (member) => {
      for (const ref of definition.listedIn({ [end]: member })) {
        const found = definition.find(await ref.read(this.session.api), this.keyOf(member));
        const ids = found.map(({ id }) => id);
        if (ids.length > 0) there.set(member, ids);
      }
    });
    return there;
  }

  /** From now on no other resource of this run takes these links along. Waits for those just going, so that a list then shows what stays. */
  private async want(members: string[]): Promise<void> {
    const { session, type } = this;
    const keys = members.map((member) => this.keyOf(member));
    for (const key of keys) session.run.want(linkName(type.definition, key));
    const queues = new Set(keys.map((key) => queueOf(type.definition, key)));
    await Promise.all([...queues].map((queue) => session.queues.run(queue, async () => undefined)));
  }

  private async add(members: string[]): Promise<Links> {
    const made: Links = new Map();
    await inParallel(members, async (member) => {
      const { id } = await addLink(this.session, this.type.definition, this.keyOf(member));
      made.set(member, [id]);
    });
    return made;
  }

  private remove(members: string[], there: Links): Promise<void> {
    return inParallel(members, (member) =>
      removeLink(this.session, this.type.definition, this.keyOf(member), there.get(member) ?? []),
    );
  }
}
