/** Exact sets of links under Pulumi: all links with one fixed end, in one resource and one list. */
import type { dynamic } from '@pulumi/pulumi';
import { NotFound } from '../client/errors';
import { inParallel } from '../observation/observe';
import type { Found, Key, ListItem, ListRef } from '../resources/kind';
import { messageOf, ProviderError, Unfinished } from './failures';
import { check } from './inputs';
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

/** Links by the object at their other end, duplicates together. */
type Links = ReadonlyMap<string, readonly Found[]>;

export function sets(session: Session, type: SetType): Handlers {
  const around = (fixed: string) => new SetOfLinks(session, type, fixed);
  return session.handlers({
    check: (olds, news) =>
      check(session, type, (inputs, { limits }) => setMistakes(type, inputs, limits), olds, news),
    diff: async (_id, olds, news) => diffResult(type, olds, news, session.profile),
    create: (inputs) => around(givenText(inputs, type.fixed)).create(inputs),
    read: async (id, state) => {
      const props: Props = state ?? {};
      const [end = '', direction] = id.split('/');
      if (direction !== type.direction) {
        throw new ProviderError(`${id} is not the id of an ${type.kind}: write ws-…/${type.direction}`);
      }
      return around(textOf(props, type.fixed) ?? end).read(props);
    },
    update: (_id, olds, news) => around(givenText(news, type.fixed)).update(olds, news),
    delete: (_id, props) => around(givenText(props, type.fixed)).delete(props),
  });
}

/** Links of an object with itself, and more members than the service allows. */
function setMistakes(type: SetType, inputs: Props, limits: Session['profile']['limits']): readonly string[] {
  const fixed = textOf(inputs, type.fixed);
  const members = membersOf(inputs, type.members);
  const self = fixed !== undefined && members.includes(fixed);
  const limit = type.limit === undefined ? null : limits[type.limit];
  return [
    ...(self ? [`${type.members}: ${fixed} cannot trigger itself: take it off the list`] : []),
    ...(limit !== null && members.length > limit
      ? [`${type.members}: ${members.length} sources, and the service takes at most ${limit} for one target`]
      : []),
  ];
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

  async create(inputs: Props): Promise<dynamic.CreateResult> {
    const { fixed, type } = this;
    const wanted = membersOf(inputs, type.members);
    await this.want(wanted);
    const there = await this.list({});
    const unlisted = [...there.keys()].filter((one) => !wanted.includes(one));
    if (unlisted.length > 0 && inputs.removeForeign !== true) {
      throw new ProviderError(
        `${fixed} has ${type.noun} that the set does not list: ${sortedSet(unlisted).join(', ')}. Add them to ${type.members}, remove them, or set removeForeign: true to have them deleted`,
      );
    }
    return this.recordingFailure(inputs, {}, [...wanted, ...unlisted], async () => {
      await this.remove(unlisted, there);
      const made = await this.add(wanted.filter((one) => !there.has(one)));
      return { id: this.id, outs: this.outputs(inputs, wanted, new Map([...there, ...made])) };
    });
  }

  async update(olds: Props, news: Props): Promise<dynamic.UpdateResult> {
    const { session, type } = this;
    const wanted = membersOf(news, type.members);
    await this.want(wanted);
    const there = await this.list(olds);
    // Only what the state had was in a preview: a link that came since shows after a refresh.
    const had = membersOf(olds, type.members);
    const leaving = had.filter((one) => !wanted.includes(one));
    // With room for all, what is wanted comes before what is not goes.
    const isRoomy = session.profile.limits.maxSources === null;
    return this.recordingFailure(news, olds, [...had, ...wanted], async () => {
      if (!isRoomy) await this.remove(leaving, there);
      const made = await this.add(wanted.filter((one) => !there.has(one)));
      if (isRoomy) await this.remove(leaving, there);
      return { outs: this.outputs(news, wanted, new Map([...there, ...made])) };
    });
  }

  async read(props: Props): Promise<dynamic.ReadResult> {
    const { session, type, fixed, id } = this;
    const there = await this.list(props, (ref) => session.lists.read(ref)).catch((error: unknown) => {
      throw error instanceof NotFound ? cannotTell(id, error.message) : error;
    });
    const now = this.outputs({ ...props, [type.fixed]: fixed }, [...there.keys()], there);
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

  /** The state: inputs, and which of the members are there, by which link. */
  private outputs(inputs: Props, names: readonly string[], there: Links): Record<string, unknown> {
    const { [providerMember]: _, ...given } = inputs;
    const members = inPlaces(inputs[this.type.members], sortedSet(names));
    const ids = members.flatMap((name) => (there.get(name) ?? []).slice(0, 1).map(({ id }) => [name, id]));
    return {
      ...given,
      [this.type.members]: members,
      [idsMember]: Object.fromEntries(ids),
      [addressMember]: this.session.api.address,
    };
  }

  /** Records what a failure left of our members, also of those that should have gone, so that the next `up` goes on from there. */
  private async recordingFailure<Result>(
    inputs: Props,
    state: Props,
    ours: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const now = await this.list(state).catch(() => undefined);
      if (now === undefined) throw error;
      const left = [...now.keys()].filter((one) => ours.includes(one));
      throw new Unfinished(`${this.id} is not complete: ${messageOf(error)}`, this.id, {
        ...this.outputs(inputs, left, now),
        [providerMember]: inputs[providerMember],
      });
    }
  }

  private keyOf(member: string): Key {
    return { [this.type.fixed]: this.fixed, [this.type.member]: member };
  }

  /** All links of the fixed end, listed now or as `read` says, and those of the state that only their own page shows. */
  private async list(
    state: Props,
    read: (ref: ListRef) => Promise<readonly ListItem[]> = (ref) => ref.read(this.session.api),
  ): Promise<Links> {
    const { session, type } = this;
    const { definition } = type;
    const there = new Map<string, Found[]>();
    const key = { [type.fixed]: this.fixed };
    for (const ref of definition.listedIn(key)) {
      for (const found of definition.find(await read(ref), key)) {
        const member = String(found.values[type.member]);
        there.set(member, [...(there.get(member) ?? []), found]);
      }
    }
    const ids = Object.entries(state[idsMember] ?? {}).filter(([member]) => !there.has(member));
    await inParallel(ids, async ([member, id]) => {
      const found = await shown(session, definition, String(id));
      if (found !== undefined) there.set(member, [found]);
    });
    return there;
  }

  /** What the lists of the members show, where that of the fixed end answers 404. */
  private async listAtMembers(members: readonly string[]): Promise<Links> {
    const { definition, member: field } = this.type;
    const there = new Map<string, readonly Found[]>();
    await inParallel(members, async (member) => {
      for (const ref of definition.listedIn({ [field]: member })) {
        const found = definition.find(await ref.read(this.session.api), this.keyOf(member));
        if (found.length > 0) there.set(member, found);
      }
    });
    return there;
  }

  /**
   * Notes that this run wants these links: no other resource of it takes them along. Resolves when what was already being
   * taken along has gone, so that a list read then shows what stays.
   */
  private async want(members: readonly string[]): Promise<void> {
    const { session, type } = this;
    const keys = members.map((member) => this.keyOf(member));
    for (const key of keys) session.run.want(linkName(type.definition, key));
    const queues = new Set(keys.map((key) => queueOf(type.definition, key)));
    await Promise.all([...queues].map((queue) => session.queues.run(queue, async () => undefined)));
  }

  private async add(members: readonly string[]): Promise<Links> {
    const made = new Map<string, readonly Found[]>();
    await inParallel(members, async (member) => {
      made.set(member, [await addLink(this.session, this.type.definition, this.keyOf(member))]);
    });
    return made;
  }

  private async remove(members: readonly string[], there: Links): Promise<void> {
    await inParallel(members, async (member) => {
      const ids = (there.get(member) ?? []).map(({ id }) => id);
      await removeLink(this.session, this.type.definition, this.keyOf(member), ids);
    });
  }
}
