/** Exact sets of run triggers under Pulumi. One resource holds all triggers of a workspace in one direction. */
import type { TriggerDirection } from '../client/api';
import { OperationalError } from '../client/errors';
import { inParallel } from '../observation/observe';
import { groupBy } from '../resources/groups';
import { endField, type Found, type Key, pick, setMembers } from '../resources/kind';
import { runTrigger } from '../resources/run-trigger';
import { tooManySources } from '../resources/violations';
import { PartialError, ProviderError } from './errors';
import { addLink, removeLink } from './links';
import { type Props, ResourceProvider, readString } from './resource-provider';
import type { Session } from './session';

type Triggers = ReadonlyMap<string, readonly Found[]>;

export class TriggerSetProvider extends ResourceProvider {
  /** An inbound set has `workspaceId` (all its triggers share it) and `sourceableIds` (its members), and an outbound set the reverse. */
  constructor(
    session: Session,
    private readonly direction: TriggerDirection,
    private readonly sharedEnd = direction === 'inbound' ? 'workspaceId' : 'sourceableId',
    private readonly memberEnd = direction === 'inbound' ? 'sourceableId' : 'workspaceId',
    private readonly memberEnds = `${memberEnd}s`,
  ) {
    const end = endField('workspace', sharedEnd, 'An end of the triggers: the shared one, or the members.');
    super(session, runTrigger, {
      [sharedEnd]: end,
      [memberEnds]: { ...end, type: 'set', onChange: 'update' },
      removeUnmanaged: { type: 'boolean', doc: 'When new, deletes what is not listed.', onChange: 'update' },
    });
  }

  async create(inputs: Props) {
    const { direction, memberEnds } = this;
    const workspaceId = readString(inputs, this.sharedEnd);
    const triggers = await this.readTriggers(inputs);
    const unlisted = membersBeside(triggers, setMembers(inputs[memberEnds]));
    if (unlisted.length > 0 && inputs.removeUnmanaged !== true) {
      throw new ProviderError(
        `${workspaceId} has ${direction} triggers that the set does not list: ${unlisted.join(', ')}`,
        `add them to ${memberEnds}, or remove them in an \`up\` before this one`,
        'removeUnmanaged: true has them deleted',
      );
    }
    const id = `${workspaceId}/${direction}`;
    return { id, outs: await this.change(id, {}, inputs, triggers) };
  }

  async read(id: string, state: Props = {}) {
    const triggers = await this.readTriggers(state);
    return this.describe(state, { id, values: { [this.memberEnds]: [...triggers.keys()] }, outputs: {} });
  }

  /** Deletes only members of the state, unless `removeUnmanaged` is new. What somebody added since then appears after a refresh. */
  async update(id: string, olds: Props, news: Props) {
    return { outs: await this.change(id, olds, news, await this.readTriggers(news)) };
  }

  async delete(id: string, state: Props) {
    const news = { ...state, [this.memberEnds]: [] };
    await this.change(id, state, news, await this.readTriggers(state));
  }

  /** Reads all triggers of the workspace, by their members. */
  private async readTriggers(props: Props) {
    const key = { [this.sharedEnd]: readString(props, this.sharedEnd) };
    const { lists } = this.session.connect();
    lists.forget(...runTrigger.listedIn(key));
    return groupBy(await lists.find(runTrigger, key), ({ values }) => readString(values, this.memberEnd));
  }

  /**
   * Adds the members of `news`, and deletes those of `olds` that it lacks. When `removeUnmanaged` is new, it also deletes the others.
   * After a failure, the engine records the set's own members that exist. A `destroy` would delete others too if it recorded them.
   */
  private async change(id: string, olds: Props, news: Props, triggers: Triggers) {
    const { memberEnds, session } = this;
    const [oldMembers, members] = [setMembers(olds[memberEnds]), setMembers(news[memberEnds])];
    const isRemoving = news.removeUnmanaged === true && olds.removeUnmanaged !== true;
    const unmanaged = isRemoving ? membersBeside(triggers, [...oldMembers, ...members]) : [];
    const existingMembers = new Set(oldMembers.filter((member) => triggers.has(member)));
    const sharedId = readString(news, this.sharedEnd);
    const toKey = (member: string): Key => ({ [this.sharedEnd]: sharedId, [this.memberEnd]: member });
    const addMember = async (member: string) => {
      await addLink(session, runTrigger, toKey(member));
      existingMembers.add(member);
    };
    const removeMember = async (member: string) => {
      const ids = (triggers.get(member) ?? []).map((trigger) => trigger.id);
      const isRemoved = await removeLink(session, runTrigger, toKey(member), ids);
      existingMembers.delete(member);
      if (isRemoved && unmanaged.includes(member)) session.print(`${id}: not listed, so deleted: ${member}`);
    };
    const membersToAdd = members.filter((member) => !existingMembers.has(member));
    const membersToRemove = [...oldMembers.filter((member) => !members.includes(member)), ...unmanaged];
    const add = () => inParallel(membersToAdd, addMember);
    const remove = () => inParallel(membersToRemove, removeMember);
    // If a target has no room for both, its old triggers are deleted first.
    const newMembers = membersToAdd.filter((member) => !triggers.has(member));
    const count = [...triggers.values()].flat().length + newMembers.length;
    const isFull = tooManySources(runTrigger.edge, count, session.profile) !== null;
    const steps = this.direction === 'inbound' && isFull ? [remove, add] : [add, remove];
    const toState = (inputs: Props) => this.toState(inputs, { [memberEnds]: [...existingMembers] });
    try {
      for (const step of steps) await step();
      return toState(news);
    } catch (error) {
      // A create that made nothing is not recorded.
      if (!(error instanceof OperationalError) || oldMembers.length + existingMembers.size === 0) throw error;
      // While the state lacks `removeUnmanaged`, it is new for the next update.
      const isDone = (name: string) => name !== 'removeUnmanaged' || unmanaged.length === 0;
      throw new PartialError(error.message, id, toState(pick(news, isDone)));
    }
  }
}

function membersBeside(triggers: Triggers, members: readonly string[]): readonly string[] {
  return [...triggers.keys()].filter((member) => !members.includes(member)).sort();
}
