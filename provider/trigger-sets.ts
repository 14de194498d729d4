/** Exact sets of run triggers under Pulumi. One resource holds all triggers of a workspace in one direction. */
import { inParallel } from '../observation/observe';
import { groupBy } from '../resources/groups';
import { endField, type Key } from '../resources/kind';
import { runTrigger as definition, triggersOf } from '../resources/run-trigger';
import { addLink, removeLink } from './links';
import * as properties from './properties';
import { membersOf, outputsOf, type Props, ProviderError, textOf } from './properties';
import { type Provider, readResult, resourceProvider } from './resource-provider';
import { linkName, type Session } from './session';

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
      const reason = `${members}: ${end} cannot trigger itself: take it off the list`;
      return { inputs, failures: listed.includes(end) ? [...failures, { property: '', reason }] : failures };
    },

    diff: async (_id, olds, news) => properties.diffInputs(type, olds, news, session.account.profile),

    async create(inputs) {
      const there = await listNow(inputs);
      const unlisted = [...there.keys()].filter((one) => !membersOf(inputs, members).includes(one)).sort();
      if (unlisted.length > 0 && inputs.removeUnmanaged !== true) {
        throw new ProviderError(
          `${textOf(inputs, fixed)} has ${direction} triggers that the set does not list: ${unlisted.join(', ')}. Add them to ${members}, remove them, or set removeUnmanaged: true to have them deleted`,
        );
      }
      return { id: `${textOf(inputs, fixed)}/${direction}`, outs: await change(inputs, there, unlisted) };
    },

    async read(id, state = {}) {
      const values = { [members]: [...(await list(state)).keys()] };
      return readResult(session, type, state, { id, values, outputs: {} });
    },

    /** Deletes only members of the state. A trigger that somebody added since then appears after a refresh. */
    async update(_id, olds, news) {
      const leaving = membersOf(olds, members).filter((one) => !membersOf(news, members).includes(one));
      return { outs: await change(news, await listNow(news), leaving) };
    },

    delete: async (_id, props) => remove(props, membersOf(props, members), await listNow(props)),
  });

  /** Reads the ids of all triggers of the workspace. The keys are their other ends, and reads share the list. */
  async function list(props: Props) {
    const key = { [fixed]: textOf(props, fixed) };
    const items = await session.connection.lists.read(triggersOf(textOf(props, fixed), direction));
    const byMember = groupBy(definition.find(items, key), ({ values }) => textOf(values, member));
    return new Map([...byMember].map(([other, found]) => [other, found.map(({ id }) => id)] as const));
  }

  function listNow(props: Props) {
    session.forget(definition, { [fixed]: textOf(props, fixed) });
    return list(props);
  }

  /** Creates missing triggers and deletes leaving ones. After a failure, the next `up` finishes the work. */
  async function change(inputs: Props, there: Awaited<ReturnType<typeof list>>, leaving: readonly string[]) {
    const missing = membersOf(inputs, members).filter((one) => !there.has(one));
    const makesRoomFirst = session.account.profile.limits.maxSources !== null;
    const add = () => inParallel(missing, (one) => addLink(session, definition, keyOf(inputs, one)));
    if (!makesRoomFirst) await add();
    await remove(inputs, leaving, there);
    if (makesRoomFirst) await add();
    return outputsOf(type, inputs, { values: {}, outputs: {} }, session.api.address);
  }

  function remove(props: Props, others: readonly string[], there: ReadonlyMap<string, readonly string[]>) {
    return inParallel(others, (one) =>
      removeLink(session, definition, keyOf(props, one), there.get(one) ?? []),
    );
  }
}
