/** Exact sets of run triggers under Pulumi. One resource holds all triggers of a workspace in one direction. */
import { OperationalError } from '../client/errors';
import { inParallel } from '../observation/observe';
import { groupBy } from '../resources/groups';
import { endField, type Key } from '../resources/kind';
import { runTrigger as definition, triggersOf } from '../resources/run-trigger';
import { addLink, adoptedNow, removeLink } from './links';
import * as properties from './properties';
import { membersOf, outputsOf, type Props, ProviderError, textOf } from './properties';
import { type Provider, readResult, resourceProvider } from './resource-provider';
import { linkName, type Session } from './session';

/** The ids of triggers. The keys are their other ends. */
type Triggers = ReadonlyMap<string, readonly string[]>;

/** `fixed` is the field of the workspace that all triggers share, `member` that of their other ends. */
export function triggerSets(session: Session, fixed: string, member: string): Provider {
  const direction = fixed === 'workspaceId' ? 'inbound' : 'outbound';
  const members = `${member}s`;
  const end = endField('workspace', fixed, 'The workspace of all triggers.');
  const fields = { [fixed]: end, [members]: { ...end, type: 'set', onChange: 'update' } as const };
  const own = { removeUnmanaged: { type: 'boolean', doc: 'Delete what the set does not list.' } } as const;
  const type = { definition, fields, own };
  const keyOf = (props: Props, other: string): Key => ({ [fixed]: textOf(props, fixed), [member]: other });

  return resourceProvider(session, {
    async check(olds, news) {
      const { inputs, failures } = properties.checkInputs(type, session.account.profile, olds, news);
      const end = textOf(inputs, fixed);
      const listed = membersOf(inputs, members);
      if (end !== '') for (const one of listed) session.wanted.add(linkName(definition, keyOf(inputs, one)));
      const { maxSources } = session.account.profile.limits;
      const isOver = direction === 'inbound' && listed.length > (maxSources ?? Number.POSITIVE_INFINITY);
      const reasons = [
        ...(listed.includes(end) ? [`${end} cannot trigger itself: take it off the list`] : []),
        ...(isOver ? [`${listed.length} sources, and the service allows ${maxSources}`] : []),
      ];
      const more = reasons.map((reason) => ({ property: '', reason: `${members}: ${reason}` }));
      return { inputs, failures: [...failures, ...more] };
    },

    diff: async (_id, olds, news) => properties.diffInputs(type, olds, news, session.account.profile),

    async create(inputs) {
      const there = await listNow(inputs);
      const unlisted = [...there.keys()].filter((one) => !membersOf(inputs, members).includes(one)).sort();
      if (unlisted.length > 0 && inputs.removeUnmanaged !== true) {
        throw new ProviderError(
          `${textOf(inputs, fixed)} has ${direction} triggers that the set does not list: ${unlisted.join(', ')}. Add them to ${members}, remove them in an \`up\` before this one, or set removeUnmanaged: true to have them deleted`,
        );
      }
      const id = `${textOf(inputs, fixed)}/${direction}`;
      const existing = [...there.keys()].filter((one) => !unlisted.includes(one)).sort();
      if (existing.length > 0) session.around.say(`${id}: ${existing.join(', ')} ${adoptedNow}`);
      const outs = await change(id, inputs, there, unlisted);
      const deleted = unlisted.filter((one) => !session.wanted.has(linkName(definition, keyOf(inputs, one))));
      if (deleted.length > 0) session.around.say(`${id}: not listed, so deleted: ${deleted.join(', ')}`);
      return { id, outs };
    },

    async read(id, state = {}) {
      const values = { [members]: [...(await list(state)).keys()] };
      return readResult(session, type, state, { id, values, outputs: {} });
    },

    /** Deletes only members of the state. A trigger that somebody added since then appears after a refresh. */
    async update(id, olds, news) {
      const leaving = membersOf(olds, members).filter((one) => !membersOf(news, members).includes(one));
      return { outs: await change(id, news, await listNow(news), leaving) };
    },

    async delete(_id, props) {
      const there = await listNow(props);
      await inParallel(membersOf(props, members), (one) => remove(props, one, there));
    },
  });

  /** Reads all triggers of the workspace. Reads share the list. */
  async function list(props: Props): Promise<Triggers> {
    const key = { [fixed]: textOf(props, fixed) };
    const items = await session.connection.lists.read(triggersOf(textOf(props, fixed), direction));
    const there = definition.find(items, key).filter(({ id }) => !session.deleted.has(id));
    const byMember = groupBy(there, ({ values }) => textOf(values, member));
    return new Map([...byMember].map(([other, found]) => [other, found.map(({ id }) => id)] as const));
  }

  function listNow(props: Props) {
    session.forget(definition, { [fixed]: textOf(props, fixed) });
    return list(props);
  }

  /** Creates missing triggers and deletes leaving ones. After a failure, the engine records what there is, and the next `up` goes on. */
  async function change(id: string, inputs: Props, there: Triggers, leaving: readonly string[]) {
    const listed = membersOf(inputs, members);
    const held = new Set([...listed, ...leaving].filter((one) => there.has(one)));
    const stateWith = (some: readonly string[]) => {
      const found = { values: { [members]: some }, outputs: {} };
      return outputsOf(type, inputs, found, session.api.address);
    };
    const missing = listed.filter((one) => !there.has(one));
    const add = () =>
      inParallel(missing, async (one) => {
        await addLink(session, definition, keyOf(inputs, one));
        held.add(one);
      });
    // Only the sources of a target have a limit.
    const { maxSources } = session.account.profile.limits;
    const count = [...there.values()].flat().length + missing.length;
    const makesRoomFirst = direction === 'inbound' && count > (maxSources ?? count);
    try {
      if (!makesRoomFirst) await add();
      await inParallel(leaving, async (one) => {
        await remove(inputs, one, there);
        held.delete(one);
      });
      if (makesRoomFirst) await add();
    } catch (error) {
      if (!(error instanceof OperationalError) || held.size === 0) throw error;
      const partial = { id, properties: stateWith([...held]), reasons: [error.message] };
      throw Object.assign(new ProviderError(error.message), partial);
    }
    return stateWith(listed);
  }

  function remove(props: Props, one: string, there: Triggers) {
    return removeLink(session, definition, keyOf(props, one), there.get(one) ?? []);
  }
}
