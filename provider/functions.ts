/** What programs of every language read without a resource: this table makes the schema and the reference. */
import type { ReadApi, TriggerDirection } from '../client/api';
import { type NameList, nameList } from '../observation/name-list';
import type { Field, Found, ListRef, Output } from '../resources/kind';
import { type ExternalKind, externalKinds, suggestion, withArticle } from '../resources/names';
import { oauthClient } from '../resources/oauth-client';
import { clientsOf } from '../resources/oauth-client-calls';
import { runTrigger, triggersOf } from '../resources/run-trigger';
import { unlessNotFound } from '../resources/safe-calls';
import { ProviderError } from './failures';
import { mistakesIn } from './inputs';
import { look } from './read';
import { type ResourceType, resourceTypeOf } from './resource-types';
import type { Session } from './session';
import { givenText, type Props, textOf } from './state';

/** What a function takes. */
export interface Parameter extends Pick<Field, 'doc' | 'refersTo' | 'required'> {
  readonly type: 'string';
  /** The only values, where there are few. */
  readonly values?: readonly string[];
}

/** What a function gives: a value, or a list of objects as the service shows them. */
export type Result = Output | { readonly type: 'list'; readonly of: ResourceType; readonly doc: string };

export interface ReadFunction {
  readonly name: string;
  readonly doc: string;
  readonly inputs: Readonly<Record<string, Parameter>>;
  readonly outputs: Readonly<Record<string, Result>>;
  /** Throws one sentence: what is wrong with the inputs, not there, not to be told, or more than one. */
  call(session: Session, inputs: Props): Promise<Props>;
}

/** All that the service shows of an object of that type. */
export function shownOf({ definition, fields, outputs }: ResourceType): Readonly<Record<string, Output>> {
  const readable = Object.entries(fields).flatMap(([name, field]) => {
    const { type, doc, refersTo, writeOnly } = field;
    return writeOnly ? [] : [[name, { type, doc, refersTo, nullable: isNullable(field) }] as const];
  });
  const id = { type: 'string', doc: `Its id, \`${definition.idPrefix}-…\`.` } as const;
  return { id, ...Object.fromEntries(readable), ...outputs };
}

/** Whether the service may show null: a field that was never set has no value, unless the API gives it one. */
export function isNullable({ required, default: value = null }: Field): boolean {
  return required !== true && value === null;
}

const clients = resourceTypeOf(oauthClient.kind);
const triggers = resourceTypeOf(runTrigger.kind);

const organization: Parameter = {
  type: 'string',
  doc: 'Name of the organization.',
  required: true,
  refersTo: 'organization',
};

const functions: readonly ReadFunction[] = [
  {
    name: 'getOAuthClient',
    doc: 'One OAuth client, by its id or by a name that no other client has.',
    inputs: {
      organization,
      id: { type: 'string', doc: 'Its id (`oc-…`); without it, the name.', refersTo: oauthClient.kind },
      name: { type: 'string', doc: 'Its name, exactly; without it, the id.' },
    },
    outputs: shownOf(clients),
    call: async (session, inputs) => asProps(await findClient(session, inputs)),
  },
  {
    name: 'listOAuthClients',
    doc: 'All OAuth clients of an organization.',
    inputs: { organization },
    outputs: { clients: { type: 'list', of: clients, doc: 'Oldest first.' } },
    call: async (session, inputs) => {
      const key = { organization: givenText(inputs, 'organization') };
      const items = await listed(session, clientsOf(key.organization));
      return { clients: oauthClient.find(items, key).map(asProps) };
    },
  },
  {
    name: 'listRunTriggers',
    doc: 'All run triggers of a workspace in one direction.',
    inputs: {
      workspaceId: { type: 'string', doc: 'The workspace.', required: true, refersTo: 'workspace' },
      direction: {
        type: 'string',
        doc: '`inbound`: those that create runs in the workspace; `outbound`: those that its runs set off.',
        required: true,
        values: ['inbound', 'outbound'] satisfies TriggerDirection[],
      },
    },
    outputs: { triggers: { type: 'list', of: triggers, doc: 'Oldest first.' } },
    call: async (session, inputs) => {
      const workspaceId = givenText(inputs, 'workspaceId');
      const direction = givenText(inputs, 'direction') as TriggerDirection;
      const end = direction === 'inbound' ? { workspaceId } : { sourceableId: workspaceId };
      const items = await listed(session, triggersOf(workspaceId, direction));
      return { triggers: runTrigger.find(items, end).map(asProps) };
    },
  },
  lookUpBy('getWorkspace', 'workspace'),
  lookUpBy('getProject', 'project'),
];

export const readFunctions = functions.map(checked);

/** The same, which refuses inputs that it cannot be meant by. */
function checked(read: ReadFunction): ReadFunction {
  return {
    ...read,
    call: async (session, inputs) => {
      const given = Object.fromEntries(Object.entries(inputs).filter(([, value]) => value != null));
      const type = { fields: read.inputs, own: {} };
      const mistakes = mistakesIn(type, given, session.account.profile);
      for (const [name, { values }] of Object.entries(read.inputs)) {
        const text = textOf(given, name);
        if (text === undefined || values?.includes(text) !== false) continue;
        mistakes.push(`${name}: must be ${values.join(' or ')}, not ${JSON.stringify(text)}`);
      }
      if (mistakes.length > 0) throw new ProviderError(`${read.name}: ${mistakes.join('; ')}`);
      return read.call(session, given);
    },
  };
}

async function findClient(session: Session, inputs: Props): Promise<Found> {
  const key = { organization: givenText(inputs, 'organization') };
  const [id, name] = [textOf(inputs, 'id'), textOf(inputs, 'name')];
  if ((id === undefined) === (name === undefined)) {
    throw new ProviderError('getOAuthClient takes either the id or the name of the client');
  }
  const what = `OAuth client ${id ?? `named ${JSON.stringify(name)}`}`;
  const missing = new ProviderError(`there is no ${what} in ${key.organization}`);
  if (id !== undefined) {
    const seen = await look(session, oauthClient, { ...key, id }, id);
    if (seen.state === 'unknown') throw untold(`whether there is an ${what}`, seen.why);
    // Its own page shows it in whatever organization it is.
    const owner = seen.state === 'present' ? seen.found.values.organization || key.organization : '';
    if (seen.state === 'missing' || owner !== key.organization) throw missing;
    return { ...seen.found, values: { ...seen.found.values, ...key } };
  }
  const ref = clientsOf(key.organization);
  const named = async () =>
    oauthClient.find(await listed(session, ref), key).filter(({ values }) => values.name === name);
  let found = await named();
  if (found.length === 0) {
    // Another provider of this run may have made it since.
    session.connection.lists.forget(ref);
    found = await named();
  }
  const [first, other] = found;
  if (first === undefined) throw missing;
  if (other === undefined) return first;
  const ids = found.map((one) => one.id).join(', ');
  throw new ProviderError(
    `${found.length} OAuth clients are named ${JSON.stringify(name)} in ${key.organization} (${ids}): give the id`,
  );
}

/** The list that all who ask share. */
async function listed(session: Session, ref: ListRef) {
  const items = await unlessNotFound(session.connection.lists.read(ref));
  if (items !== undefined) return items;
  throw untold(`the ${ref.name}`, 'the service answers that it is not there, or not for this token (404)');
}

function untold(what: string, why: string): ProviderError {
  return new ProviderError(
    `nobody can tell ${what}: ${why.replace(/\.$/u, '')}. Check the name, and that the token may see it`,
  );
}

function asProps({ id, values, outputs }: Found): Props {
  return { id, ...values, ...outputs };
}

function lookUpBy(name: string, kind: string): ReadFunction {
  const { [kind]: external } = externalKinds;
  if (external === undefined) throw new Error(`there is no kind ${kind}`);
  const { noun, prefix } = external;
  return {
    name,
    doc: `The id of ${withArticle(noun)}, by its name. Needs a profile that can look names up, such as \`hcp-terraform\`.`,
    inputs: { organization, name: { type: 'string', doc: 'Its name, exactly.', required: true } },
    outputs: {
      id: { type: 'string', doc: `Its id, \`${prefix}-…\`.` },
      organization: { type: 'string', doc: organization.doc },
      name: { type: 'string', doc: 'Its name.' },
    },
    call: async (session, inputs) => {
      const { capabilities, name: profile } = session.account.profile;
      if (!capabilities.lookupByName) {
        throw new ProviderError(
          `${name}: a service of profile \`${profile}\` cannot look names up: write the id (\`${prefix}-…\`), or choose another \`tether:profile\``,
        );
      }
      const [owner, wanted] = [givenText(inputs, 'organization'), givenText(inputs, 'name')];
      const list = await namesIn(session, owner, external, wanted);
      if (list === undefined) {
        throw untold(
          `which ${noun}s there are in ${owner}`,
          'their list is not there, or not for this token (404)',
        );
      }
      const [id, ...others] = list.idsOf(wanted);
      const what = `${noun} named ${JSON.stringify(wanted)}`;
      if (id === undefined) {
        const near = suggestion(wanted, list.names.values(), 'they');
        throw new ProviderError(`there is no ${what} in ${owner} that this token can see${near}`);
      }
      if (others.length === 0) return { id, organization: owner, name: wanted };
      const ids = [id, ...others].join(', ');
      throw new ProviderError(
        `${others.length + 1} are a ${what} in ${owner} (${ids}): write the id that is meant`,
      );
    },
  };
}

interface Look {
  readonly names: Set<string>;
  readonly list: Promise<NameList | undefined>;
}

/** Looks that have not begun: all who ask until then share one. */
const waiting = new WeakMap<ReadApi, Map<string, Look>>();

/** Undefined where the list answers 404. */
function namesIn({ api, queues }: Session, owner: string, external: ExternalKind, name: string) {
  const looks = waiting.get(api) ?? new Map<string, Look>();
  waiting.set(api, looks);
  const key = `${external.noun}s of ${owner}`;
  const names = looks.get(key)?.names ?? new Set<string>();
  const begin = async () => {
    looks.delete(key);
    const found = nameList(api, owner, external);
    const isClear = () => [...names].every((one) => found.idsOf(one).length > 0);
    return (await unlessNotFound(found.find(names, isClear))) && found;
  };
  names.add(name);
  const { list } = looks.get(key) ?? { list: queues.run(key, begin) };
  looks.set(key, { names, list });
  return list;
}
