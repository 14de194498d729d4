/** The triggers of a set: read in one list, created one at a time for each target, deleted by id. */
import { NotFound } from '../client/errors';
import type { ListCache } from '../observation/lists';
import { inParallel } from '../observation/observe';
import { type Found, type Key, readList } from '../resources/kind';
import { definitionOf } from '../resources/registry';
import { laneOf, pairOf } from './links';
import { shown } from './look';
import { membersOf, type Props } from './props';
import type { Session } from './session';
import type { SetKind } from './set-kinds';

const trigger = definitionOf('RunTrigger');

/** A set at work. */
export interface Members {
  readonly session: Session;
  readonly kind: SetKind;
}

/** Triggers by the workspace at their other end; duplicates of one pair together. */
export type There = ReadonlyMap<string, readonly Found[]>;

/** The output that knows each member's trigger by its id: a list may leave out what the token may not read. */
export const idsMember = 'triggerIds';

/** Both ends of one member. */
function keyOfMember(kind: SetKind, fixed: string, member: string): Key {
  return { [kind.fixed]: fixed, [kind.member]: member };
}

/** All triggers of the fixed end in its direction, read now or from the shared lists, and those of the state that only their own page shows. */
export async function readMembers(
  { session, kind }: Members,
  fixed: string,
  state: Props,
  lists?: ListCache,
): Promise<There> {
  const ref = { list: 'runTriggers', workspaceId: fixed, direction: kind.direction } as const;
  const contents = lists === undefined ? await readList(session.api, ref) : await lists.read(ref);
  const there = new Map<string, Found[]>();
  for (const found of trigger.find(contents, { [kind.fixed]: fixed })) {
    const member = String(found.values[kind.member]);
    there.set(member, [...(there.get(member) ?? []), found]);
  }
  const ids = Object.entries(state[idsMember] ?? {}).filter(([member]) => !there.has(member));
  await inParallel(ids, async ([member, id]) => {
    const found = await shown(session, trigger, String(id));
    if (found !== undefined) there.set(member, [found]);
  });
  return there;
}

/**
 * The same, and where the list of the fixed end answers 404 what the lists of the members still show. Throws the 404 when one
 * of those cannot be read either, since then nobody can tell.
 */
export async function readMembersAnyhow(members: Members, fixed: string, state: Props): Promise<There> {
  try {
    return await readMembers(members, fixed, state);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return await fromOtherSide(members, fixed, membersOf(state, members.kind.members));
  }
}

async function fromOtherSide(
  { session, kind }: Members,
  fixed: string,
  ours: readonly string[],
): Promise<There> {
  const direction = kind.direction === 'inbound' ? 'outbound' : 'inbound';
  const there = new Map<string, readonly Found[]>();
  await inParallel(ours, async (member) => {
    const contents = await readList(session.api, { list: 'runTriggers', workspaceId: member, direction });
    const found = trigger.find(contents, keyOfMember(kind, fixed, member));
    if (found.length > 0) there.set(member, found);
  });
  return there;
}

/** Creates the missing triggers, those of one target one after the other, and returns them. */
export async function addMembers(
  { session, kind }: Members,
  fixed: string,
  coming: readonly string[],
): Promise<There> {
  const made = new Map<string, readonly Found[]>();
  await inParallel(coming, async (member) => {
    const key = keyOfMember(kind, fixed, member);
    try {
      const found = await session.lanes.run(laneOf(trigger, key), () =>
        trigger.create(session.api, key, key, {
          nonce: '',
          // The list was just read; a lost answer or a duplicate makes the create look again by itself.
          earlier: 'none',
          existed: () => false,
          created: async () => undefined,
          mayArriveLate: async () => undefined,
          leftNothing: async () => undefined,
        }),
      );
      made.set(member, [found]);
    } finally {
      session.forget(trigger.listedIn(key));
    }
  });
  return made;
}

/**
 * Notes that this run wants these triggers, also those that are there: no other resource of it takes them along. What was
 * being taken along when this was called has ended when it resolves, so that a list that is read then shows what stays.
 */
export async function ensureMembers(
  { session, kind }: Members,
  fixed: string,
  wanted: readonly string[],
): Promise<void> {
  const keys = wanted.map((member) => keyOfMember(kind, fixed, member));
  for (const key of keys) session.ensured.add(pairOf(trigger, key));
  const lanes = new Set(keys.map((key) => laneOf(trigger, key)));
  await Promise.all([...lanes].map((lane) => session.lanes.run(lane, async () => undefined)));
}

/** Deletes the triggers of these members, duplicates included; one that is gone already is done. */
export async function removeMembers(
  { session, kind }: Members,
  fixed: string,
  leaving: readonly string[],
  there: There,
): Promise<void> {
  await inParallel(leaving, async (member) => {
    const key = keyOfMember(kind, fixed, member);
    try {
      await session.lanes.run(laneOf(trigger, key), async () => {
        if (session.ensured.has(pairOf(trigger, key))) return;
        for (const found of there.get(member) ?? []) await trigger.delete(session.api, found.id, key);
      });
    } finally {
      session.forget(trigger.listedIn(key));
    }
  });
}
