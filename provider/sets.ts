/** Sets of run triggers under Pulumi: exactly these, in one resource with one list call. */
import type { dynamic } from '@pulumi/pulumi';
import { NotFound } from '../client/errors';
import type { Field } from '../resources/kind';
import { check, type Rules } from './check';
import { type Difference, verdict } from './compare';
import { cannotTell } from './look';
import { inOneLine, messageOf, ProviderError, Unfinished } from './one-line';
import { setInputs } from './own-inputs';
import {
  givenText,
  inPlaces,
  isUnknown,
  membersOf,
  type Props,
  providerMember,
  sortedSet,
  textOf,
} from './props';
import type { Session } from './session';
import { type SetKind, setFields } from './set-kinds';
import {
  addMembers,
  ensureMembers,
  idsMember,
  type Members,
  readMembers,
  readMembersAnyhow,
  removeMembers,
  type There,
} from './set-members';
import { addressMember, wereInputs } from './state';

/** What the engine's provider process loads for one of the two kinds of sets. */
export function sets(session: Session, kind: SetKind): Required<dynamic.ResourceProvider> {
  const fields = setFields(kind);
  const members: Members = { session, kind };
  return inOneLine(
    {
      configure: async ({ config }) => session.configure(config),
      check: (olds, news) => check(session, { fields, own: setInputs }, rulesOf(kind), olds, news),
      diff: async (id, olds, news) => {
        session.refuseOtherAddress(id, olds[addressMember]);
        return verdict(differences(fields, olds, news), fields, setInputs, olds, news);
      },
      create: (inputs) => create(members, inputs),
      read: (id, props) => read(members, fields, id, props ?? {}),
      update: (id, olds, news) => update(members, id, olds, news),
      delete: (id, props) => remove(members, id, props),
    },
    session.notice,
  );
}

/** Self-triggers, and more sources than the service allows one target. */
function rulesOf(kind: SetKind): Rules {
  return (inputs, profile) => {
    const fixed = textOf(inputs, kind.fixed);
    const members = membersOf(inputs, kind.members);
    const self = fixed !== undefined && members.includes(fixed);
    const limit = kind.limited ? profile.limits.maxSources : null;
    return [
      ...(self ? [`${kind.members}: ${fixed} cannot trigger itself: take it off the list`] : []),
      ...(limit !== null && members.length > limit
        ? [
            `${kind.members}: ${members.length} sources, and the service takes at most ${limit} for one target`,
          ]
        : []),
    ];
  };
}

function differences(
  fields: Readonly<Record<string, Field>>,
  olds: Props,
  news: Props,
): readonly Difference[] {
  return Object.entries(fields).flatMap(([name, { onChange }]) => {
    const wish = news[name];
    if (isUnknown(wish)) return [{ field: name, onChange }];
    const same = Array.isArray(wish)
      ? membersOf(olds, name).join() === membersOf(news, name).join()
      : olds[name] === wish;
    return same ? [] : [{ field: name, onChange }];
  });
}

/** The state of a set: its inputs, and which of its members are there, by which trigger. */
function outputs(
  { session, kind }: Members,
  inputs: Props,
  names: readonly string[],
  there: There,
): Record<string, unknown> {
  const { [providerMember]: _, ...given } = inputs;
  const members = inPlaces(inputs[kind.members], sortedSet(names));
  const ids = members.flatMap((name) => (there.get(name) ?? []).slice(0, 1).map(({ id }) => [name, id]));
  return {
    ...given,
    [kind.members]: members,
    [idsMember]: Object.fromEntries(ids),
    [addressMember]: session.api.address,
  };
}

async function create(members: Members, inputs: Props): Promise<dynamic.CreateResult> {
  const { kind } = members;
  const fixed = givenText(inputs, kind.fixed);
  const wanted = membersOf(inputs, kind.members);
  await ensureMembers(members, fixed, wanted);
  const there = await readMembers(members, fixed, {});
  const strangers = [...there.keys()].filter((one) => !wanted.includes(one));
  if (strangers.length > 0 && inputs.removeForeign !== true) {
    throw new ProviderError(
      `${fixed} has ${kind.noun} that the set does not list: ${sortedSet(strangers).join(', ')}. Add them to ${kind.members}, remove them, or set removeForeign: true to have them deleted`,
    );
  }
  const id = `${fixed}/${kind.direction}`;
  return finishing(members, id, inputs, {}, [...wanted, ...strangers], async () => {
    await removeMembers(members, fixed, strangers, there);
    const made = await addMembers(
      members,
      fixed,
      wanted.filter((one) => !there.has(one)),
    );
    return { id, outs: outputs(members, inputs, wanted, new Map([...there, ...made])) };
  });
}

/** What a failure left of our members is recorded, also of those that should have gone, so that the next `up` goes on from there. */
async function finishing<Result>(
  members: Members,
  id: string,
  inputs: Props,
  state: Props,
  ours: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const fixed = givenText(inputs, members.kind.fixed);
  try {
    return await work();
  } catch (error) {
    const now = await readMembers(members, fixed, state).catch(() => undefined);
    if (now === undefined) throw error;
    const left = [...now.keys()].filter((one) => ours.includes(one));
    throw new Unfinished(`${id} is not complete: ${messageOf(error)}`, id, {
      ...outputs(members, inputs, left, now),
      [providerMember]: inputs[providerMember],
    });
  }
}

async function update(members: Members, id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> {
  const { session, kind } = members;
  session.refuseOtherAddress(id, olds[addressMember]);
  const fixed = givenText(news, kind.fixed);
  const wanted = membersOf(news, kind.members);
  await ensureMembers(members, fixed, wanted);
  const there = await readMembers(members, fixed, olds);
  // Only what the state had was in a preview: a stranger that came since shows after a refresh.
  const had = membersOf(olds, kind.members);
  const leaving = had.filter((one) => !wanted.includes(one));
  const coming = wanted.filter((one) => !there.has(one));
  const remove = (): Promise<void> => removeMembers(members, fixed, leaving, there);
  // With room for all, what is wanted comes before what is not goes.
  const isRoomy = session.profile.limits.maxSources === null;
  return finishing(members, id, news, olds, [...had, ...wanted], async () => {
    if (!isRoomy) await remove();
    const made = await addMembers(members, fixed, coming);
    if (isRoomy) await remove();
    return { outs: outputs(members, news, wanted, new Map([...there, ...made])) };
  });
}

async function read(
  members: Members,
  fields: Readonly<Record<string, Field>>,
  id: string,
  props: Props,
): Promise<dynamic.ReadResult> {
  const { session, kind } = members;
  const [workspace = '', direction] = id.split('/');
  if (direction !== kind.direction) {
    throw new ProviderError(`${id} is not the id of an ${kind.kind}: write ws-…/${kind.direction}`);
  }
  const fixed = textOf(props, kind.fixed) ?? workspace;
  const there = await readMembers(members, fixed, props, session.lists).catch((error: unknown) => {
    throw error instanceof NotFound ? cannotTell(id, error.message) : error;
  });
  const now = outputs(members, { ...props, [kind.fixed]: fixed }, [...there.keys()], there);
  return { id, props: now, inputs: wereInputs(fields, setInputs, now) };
}

async function remove(members: Members, id: string, props: Props): Promise<void> {
  const { session, kind } = members;
  session.refuseOtherAddress(id, props[addressMember]);
  const fixed = givenText(props, kind.fixed);
  const there = await readMembersAnyhow(members, fixed, props);
  await removeMembers(members, fixed, membersOf(props, kind.members), there);
}
