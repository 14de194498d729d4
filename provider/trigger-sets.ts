/** Exact sets of run triggers under Pulumi. One resource holds all triggers of a workspace in one direction. */
import type { TriggerDirection } from '../client/api';
import { OperationalError } from '../client/errors';
import { inParallel } from '../observation/observe';
import { groupBy } from '../resources/groups';
import { endField, type Found, type Key, setMembers } from '../resources/kind';
import { runTrigger } from '../resources/run-trigger';
import { tooManySources } from '../resources/violations';
import { PartialError, ProviderError } from './errors';
import { addLink, removeLink } from './links';
import { type Props, ResourceProvider, readString } from './resource-provider';
import { linkName, type Session } from './session';

type Triggers = ReadonlyMap<string, readonly Found[]>;

export class TriggerSetProvider extends ResourceProvider {
  /** All triggers share one workspace, in the field `sharedEnd`. Their other ends are the members, in the field `memberEnd`. */
  constructor(
    session: Session,
    private readonly direction: TriggerDirection,
    private readonly sharedEnd = direction === 'inbound' ? 'workspaceId' : 'sourceableId',
    private readonly memberEnd = direction === 'inbound' ? 'sourceableId' : 'workspaceId',
    private readonly memberEnds = `${memberEnd}s`,
  ) {
    const end = endField('workspace', sharedEnd, 'The workspace of all triggers.');
    super(session, runTrigger, {
      [sharedEnd]: end,
      [memberEnds]: { ...end, type: 'set', onChange: 'update' },
      removeUnmanaged: { type: 'boolean', doc: 'A create deletes what is not listed.', onChange: 'update' },
    });
  }

  async create(inputs: Props) {
    const { direction, memberEnds, session } = this;
    const workspaceId = readString(inputs, this.sharedEnd);
    const id = `${workspaceId}/${direction}`;
    const triggers = await this.readTriggers(inputs);
    const listedIds = setMembers(inputs[memberEnds]);
    const unlistedIds = [...triggers.keys()].filter((member) => !listedIds.includes(member)).sort();
    if (unlistedIds.length > 0 && inputs.removeUnmanaged !== true) {
      throw new ProviderError(
        `${workspaceId} has ${direction} triggers that the set does not list: ${unlistedIds.join(', ')}`,
        `add them to ${memberEnds}, or remove them in an \`up\` before this one`,
        'removeUnmanaged: true has them deleted',
      );
    }
    const outs = await this.change(id, inputs, triggers, unlistedIds);
    const isKept = (end: string) => session.wantedNames.has(linkName(runTrigger, this.toKey(inputs, end)));
    const deletedIds = unlistedIds.filter((member) => !isKept(member));
    if (deletedIds.length > 0) session.print(`${id}: not listed, so deleted: ${deletedIds.join(', ')}`);
    return { id, outs };
  }

  async read(id: string, state: Props = {}) {
    const triggers = await this.readTriggers(state);
    return this.describe(state, { id, values: { [this.memberEnds]: [...triggers.keys()] }, outputs: {} });
  }

  /** Deletes only members of the state. A trigger that somebody added since then appears after a refresh. */
  async update(id: string, olds: Props, news: Props) {
    const triggers = await this.readTriggers(news);
    return { outs: await this.change(id, news, triggers, setMembers(olds[this.memberEnds])) };
  }

  async delete(id: string, state: Props) {
    const triggers = await this.readTriggers(state);
    await this.change(id, { ...state, [this.memberEnds]: [] }, triggers, setMembers(state[this.memberEnds]));
  }

  /** Reads all triggers of the workspace, by their members. */
  private async readTriggers(props: Props) {
    const key = { [this.sharedEnd]: readString(props, this.sharedEnd) };
    const { lists } = this.session.connect();
    lists.forget(...runTrigger.listedIn(key));
    return groupBy(await lists.find(runTrigger, key), ({ values }) => readString(values, this.memberEnd));
  }

  /** Adds the members of the inputs, and deletes the other `knownMembers`. After a failure, the engine records those that exist then. */
  private async change(id: string, inputs: Props, triggers: Triggers, knownMembers: readonly string[]) {
    const members = setMembers(inputs[this.memberEnds]);
    const existingMembers = new Set(knownMembers.filter((member) => triggers.has(member)));
    const changeMember = async (member: string) => {
      const key = this.toKey(inputs, member);
      if (members.includes(member)) {
        await addLink(this.session, runTrigger, key);
        existingMembers.add(member);
      } else {
        const ids = (triggers.get(member) ?? []).map((trigger) => trigger.id);
        await removeLink(this.session, runTrigger, key, ids);
        existingMembers.delete(member);
      }
    };
    const membersToAdd = members.filter((member) => !existingMembers.has(member));
    const steps = [membersToAdd, knownMembers.filter((member) => !members.includes(member))];
    // If a target has no room for both, its old triggers are deleted first.
    const newMembers = membersToAdd.filter((member) => !triggers.has(member));
    const count = [...triggers.values()].flat().length + newMembers.length;
    const isFull = tooManySources(runTrigger.edge, count, this.session.profile) !== null;
    if (this.direction === 'inbound' && isFull) steps.reverse();
    const toState = () => this.toState(inputs, { [this.memberEnds]: [...existingMembers] });
    try {
      for (const step of steps) await inParallel(step, changeMember);
      return toState();
    } catch (error) {
      // A create that made nothing is not recorded.
      if (!(error instanceof OperationalError) || knownMembers.length + existingMembers.size === 0)
        throw error;
      throw new PartialError(error.message, id, toState());
    }
  }

  private toKey(props: Props, member: string): Key {
    return { [this.sharedEnd]: readString(props, this.sharedEnd), [this.memberEnd]: member };
  }
}
