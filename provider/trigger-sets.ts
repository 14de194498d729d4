/** Exact sets of run triggers under Pulumi. One resource holds all triggers of a workspace in one direction. */
import { OperationalError } from '../client/errors';
import { inParallel } from '../observation/observe';
import { groupBy } from '../resources/groups';
import { endField, type Key } from '../resources/kind';
import { runTrigger as definition } from '../resources/run-trigger';
import { tooManySources } from '../resources/violations';
import { PartialError, ProviderError } from './errors';
import { addLink, removeLink } from './links';
import { describeFound, type Methods } from './methods';
import * as properties from './properties';
import { createState, type Props, readMembers, readString } from './properties';
import { linkName } from './session';

export const inboundType = toType('inbound', 'workspaceId', 'sourceableId');
export const outboundType = toType('outbound', 'sourceableId', 'workspaceId');

/** `sharedEnd` is the field of the workspace that all triggers share, `memberEnd` that of their other ends, and `members` lists these. */
function toType(direction: 'inbound' | 'outbound', sharedEnd: string, memberEnd: string) {
  const end = endField('workspace', sharedEnd, 'The workspace of all triggers.');
  const members = `${memberEnd}s`;
  const fields = {
    [sharedEnd]: end,
    [members]: { ...end, type: 'set', onChange: 'update' },
    removeUnmanaged: { type: 'boolean', doc: 'Delete what the set does not list.', onChange: 'update' },
  } as const;
  return { definition, fields, direction, sharedEnd, memberEnd, members };
}

type SetType = ReturnType<typeof toType>;
type Triggers = Awaited<ReturnType<typeof readTriggers>>;
type Members = ReturnType<typeof readMembers>;
type Context = properties.Context<SetType>;

export const setMethods: Methods<SetType> = {
  check: properties.checkInputs,
  diff: properties.diffInputs,
  create,
  read,
  update,
  delete: remove,
};

async function create(context: Context, inputs: Props) {
  const { session, type } = context;
  const workspaceId = readString(inputs, type.sharedEnd);
  const id = `${workspaceId}/${type.direction}`;
  const members = readMembers(inputs, type.members);
  const triggers = await readTriggers(context, inputs, true);
  const unlistedMembers = [...triggers.keys()].filter((member) => !members.includes(member)).sort();
  if (unlistedMembers.length > 0 && inputs.removeUnmanaged !== true) {
    throw new ProviderError(
      `${workspaceId} has ${type.direction} triggers that the set does not list: ${unlistedMembers.join(', ')}`,
      `add them to ${type.members}, or remove them in an \`up\` before this one`,
      'removeUnmanaged: true has them deleted',
    );
  }
  const outs = await change(context, id, inputs, triggers, unlistedMembers);
  const isWanted = (member: string) =>
    session.wantedNames.has(linkName(definition, toKey(type, inputs, member)));
  const deletedMembers = unlistedMembers.filter((member) => !isWanted(member));
  if (deletedMembers.length > 0) session.print(`${id}: not listed, so deleted: ${deletedMembers.join(', ')}`);
  return { id, outs };
}

async function read(context: Context, id: string, state: Props = {}) {
  const triggers = await readTriggers(context, state, false);
  return describeFound(context, state, {
    id,
    values: { [context.type.members]: [...triggers.keys()] },
    outputs: {},
  });
}

/** Deletes only members of the state. A trigger that somebody added since then appears after a refresh. */
async function update(context: Context, id: string, olds: Props, news: Props) {
  const triggers = await readTriggers(context, news, true);
  return { outs: await change(context, id, news, triggers, readMembers(olds, context.type.members)) };
}

async function remove(context: Context, id: string, state: Props) {
  const { members } = context.type;
  const none = { ...state, [members]: [] };
  await change(context, id, none, await readTriggers(context, state, true), readMembers(state, members));
}

/** Reads all triggers of the workspace, by their other ends. Reads share the list, unless it must be fresh. */
async function readTriggers({ session, type }: Context, props: Props, isFresh: boolean) {
  const key = { [type.sharedEnd]: readString(props, type.sharedEnd) };
  if (isFresh) session.forget(definition, key);
  const [list] = definition.listedIn(key);
  const items = list === undefined ? [] : await session.connect().lists.read(list);
  return groupBy(definition.find(items, key), ({ values }) => readString(values, type.memberEnd));
}

/**
 * Adds the members of the inputs, and deletes those of `before` that the inputs lack. After a failure, the engine records the members that
 * exist then, and the next `up` goes on there.
 */
async function change(context: Context, id: string, inputs: Props, triggers: Triggers, before: Members) {
  const { session, type } = context;
  const members = readMembers(inputs, type.members);
  const existingMembers = new Set(before.filter((member) => triggers.has(member)));
  const missingMembers = members.filter((member) => !existingMembers.has(member));
  const leavingMembers = before.filter((member) => !members.includes(member));
  const add = async (member: string) => {
    await addLink(session, definition, toKey(type, inputs, member));
    existingMembers.add(member);
  };
  const drop = async (member: string) => {
    const ids = (triggers.get(member) ?? []).map((trigger) => trigger.id);
    await removeLink(session, definition, toKey(type, inputs, member), ids);
    existingMembers.delete(member);
  };
  const steps = [() => inParallel(missingMembers, add), () => inParallel(leavingMembers, drop)];
  // Without room for both, the old triggers of a target are deleted first.
  const { edge } = definition;
  const count =
    [...triggers.values()].flat().length + missingMembers.filter((id) => !triggers.has(id)).length;
  const isFull = edge?.to === type.sharedEnd && tooManySources(edge, count, session.account.profile) !== null;
  if (isFull) steps.reverse();
  const stateWith = (ids: Members) =>
    createState(context, inputs, { values: { [type.members]: ids }, outputs: {} });
  try {
    for (const step of steps) await step();
    return stateWith(members);
  } catch (error) {
    if (!(error instanceof OperationalError) || existingMembers.size === 0) throw error;
    throw new PartialError(error.message, id, stateWith([...existingMembers]));
  }
}

function toKey(type: SetType, props: Props, member: string): Key {
  return { [type.sharedEnd]: readString(props, type.sharedEnd), [type.memberEnd]: member };
}
