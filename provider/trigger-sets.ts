/** Exact sets of run triggers under Pulumi: all that one workspace has in one direction, as one resource. */
import { groupBy } from '../resources/groups';
import type { Key } from '../resources/kind';
import { runTrigger as definition } from '../resources/run-trigger';
import { unlessNotFound } from '../resources/safe-calls';
import { addLink, removeLink } from './links';
import {
  check,
  diff,
  failure,
  membersOf,
  outputsOf,
  type Props,
  ProviderError,
  type ResourceType,
  textOf,
} from './properties';
import {
  cannotTell,
  messageOf,
  type Provider,
  readResult,
  resourceProvider,
  Unfinished,
} from './resource-provider';
import { linkName, type Session } from './session';

export interface SetType extends ResourceType {
  readonly direction: 'inbound' | 'outbound';
  /** The field of the workspace that all triggers share. */
  readonly fixed: string;
  /** The field of a trigger with its other end. */
  readonly member: string;
  /** The input that lists the other ends. */
  readonly members: string;
}

export const inboundSet = setType('inbound', 'workspaceId', 'sourceableId');
export const outboundSet = setType('outbound', 'sourceableId', 'workspaceId');

function setType(direction: SetType['direction'], fixed: string, member: string): SetType {
  const { [fixed]: end, [member]: other } = definition.fields;
  if (end === undefined || other === undefined) throw new Error(`a run trigger has no ${fixed} or ${member}`);
  const members = `${member}s`;
  const fields = { [fixed]: end, [members]: { ...other, type: 'set', onChange: 'update' } as const };
  const doc = 'Create the set although triggers that it does not list exist, and delete those.';
  return {
    definition,
    direction,
    fixed,
    member,
    members,
    fields,
    own: { removeUnmanaged: { type: 'boolean', doc } },
  };
}

export function triggerSets(session: Session, type: SetType): Provider {
  const { direction, fixed, member, members } = type;
  const idOf = (props: Props) => `${textOf(props, fixed)}/${direction}`;
  const keyOf = (props: Props, other: string): Key => ({ [fixed]: textOf(props, fixed), [member]: other });

  /** Ids of all triggers of the workspace by their other end; an earlier list is good enough for a refresh. */
  async function list(props: Props, isFresh: boolean) {
    const key = { [fixed]: textOf(props, fixed) };
    if (isFresh) session.forget(definition, key);
    const [ref] = definition.listedIn(key);
    const items = ref && (await unlessNotFound(session.lists.read(ref)));
    if (items === undefined) throw cannotTell(idOf(props), 'the list of its triggers answers 404');
    const byMember = groupBy(definition.find(items, key), ({ values }) => textOf(values, member));
    return new Map([...byMember].map(([other, found]) => [other, found.map(({ id }) => id)] as const));
  }

  const withMembers = (others: Iterable<string>) => ({ values: { [members]: [...others] }, outputs: {} });

  /** Adds what is missing and removes what leaves. A failure records what is there then. */
  async function change(inputs: Props, there: Awaited<ReturnType<typeof list>>, leaving: readonly string[]) {
    const wanted = membersOf(inputs, members);
    const outputs = (others: readonly string[]) =>
      outputsOf(type, inputs, withMembers(others), session.api.address);
    const missing = wanted.filter((one) => !there.has(one));
    const add = () => all(missing, (one) => addLink(session, definition, keyOf(inputs, one)));
    const makesRoomFirst = session.account.profile.limits.maxSources !== null;
    try {
      if (!makesRoomFirst) await add();
      await remove(inputs, leaving, there);
      if (makesRoomFirst) await add();
      return outputs(wanted);
    } catch (error) {
      const left = await list(inputs, true).catch(() => null);
      if (left === null) throw error;
      const managed = [...wanted, ...leaving].filter((one) => left.has(one));
      throw new Unfinished(
        `${idOf(inputs)} is not complete: ${messageOf(error)}`,
        idOf(inputs),
        outputs(managed),
      );
    }
  }

  const remove = (props: Props, others: readonly string[], there: ReadonlyMap<string, readonly string[]>) =>
    all(others, (one) => removeLink(session, definition, keyOf(props, one), there.get(one) ?? []));

  return resourceProvider(session, {
    async check(olds, news) {
      const { profile } = session.account;
      const { inputs, failures } = check(type, profile, olds, news);
      const end = textOf(inputs, fixed);
      const listed = membersOf(inputs, members);
      if (end !== '') for (const one of listed) session.wanted.add(linkName(definition, keyOf(inputs, one)));
      const limit = (direction === 'inbound' ? profile.limits.maxSources : null) ?? Number.POSITIVE_INFINITY;
      if (listed.includes(end)) {
        failures.push(failure(`${members}: ${end} cannot trigger itself: take it off the list`));
      }
      if (listed.length > limit) {
        failures.push(
          failure(`${members}: ${listed.length} sources, and the service takes at most ${limit}`),
        );
      }
      return { inputs, failures };
    },

    diff: async (_id, olds, news) => diff(type, olds, news, session.account.profile),

    async create(inputs) {
      const there = await list(inputs, true);
      const unlisted = [...there.keys()].filter((one) => !membersOf(inputs, members).includes(one)).sort();
      if (unlisted.length === 0 || inputs.removeUnmanaged === true) {
        return { id: idOf(inputs), outs: await change(inputs, there, unlisted) };
      }
      throw new ProviderError(
        `${textOf(inputs, fixed)} has ${direction} triggers that the set does not list: ${unlisted.join(', ')}. Add them to ${members}, remove them, or set removeUnmanaged: true to have them deleted`,
      );
    },

    async read(id, state = {}) {
      const there = await list(state, false);
      return readResult(type, state, { id, ...withMembers(there.keys()) }, session);
    },

    /** Deletes only members of the state: a trigger that somebody added since shows after a refresh. */
    async update(_id, olds, news) {
      const leaving = membersOf(olds, members).filter((one) => !membersOf(news, members).includes(one));
      return { outs: await change(news, await list(news, true), leaving) };
    },

    delete: async (_id, props) => remove(props, membersOf(props, members), await list(props, true)),
  });
}

/** Waits for all, so that nothing is under way any more when the first failure is thrown. */
async function all(others: readonly string[], work: (other: string) => Promise<unknown>): Promise<void> {
  for (const one of await Promise.allSettled(others.map(work))) {
    if (one.status === 'rejected') throw one.reason;
  }
}
