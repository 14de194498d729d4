/** Run triggers and project attachments under Pulumi: a link is its two ends, so one that exists is taken over. */
import type { dynamic } from '@pulumi/pulumi';
import { type FieldValues, type Intent, type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { definitionOf } from '../resources/registry';
import { check, definitionRules } from './check';
import { compare, verdict } from './compare';
import { cannotTell, look } from './look';
import { inOneLine, ProviderError } from './one-line';
import { everyInputs } from './own-inputs';
import { givenText, isUnknown, type Props, textOf } from './props';
import type { Session } from './session';
import { addressMember, outputsOf, valuesOf, wereInputs } from './state';

/** A link has a natural key: whatever an interrupted run left is the link itself. */
const takeOver: Intent = {
  nonce: '',
  earlier: 'same',
  existed: () => false,
  created: async () => undefined,
  mayArriveLate: async () => undefined,
  leftNothing: async () => undefined,
};

const organizationMember = 'organization';

/** What the engine's provider process loads for a kind of link. */
export function links(session: Session, kind: string): Required<dynamic.ResourceProvider> {
  const definition = definitionOf(kind);
  const shape = { fields: definition.fields, own: everyInputs };
  return inOneLine(
    {
      configure: async ({ config }) => session.configure(config),
      check: (olds, news) => check(session, shape, definitionRules(definition), olds, news),
      diff: async (id, olds, news) => {
        session.refuseOtherAddress(id, olds[addressMember]);
        const differences = compare(definition, olds, news, session.profile);
        const result = verdict(differences, definition.fields, everyInputs, olds, news);
        return makesRoomFirst(session, definition, olds, news)
          ? { ...result, deleteBeforeReplace: true }
          : result;
      },
      create: (inputs) => create(session, definition, inputs),
      read: (id, props) => read(session, definition, id, props ?? {}),
      update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
      delete: (id, props) => remove(session, definition, id, props),
    },
    session.notice,
  );
}

/** Where the service limits the sources of a target, a changed source goes before its successor comes. */
function makesRoomFirst(session: Session, definition: ResourceDefinition, olds: Props, news: Props): boolean {
  const { edge } = definition;
  if (edge?.limit === undefined || session.profile.limits[edge.limit] === null) return false;
  return !isUnknown(news[edge.to]) && olds[edge.to] === news[edge.to];
}

async function create(
  session: Session,
  definition: ResourceDefinition,
  inputs: Props,
): Promise<dynamic.CreateResult> {
  const { api } = session;
  const organization = await organizationOf(session, definition, inputs);
  const key = keyOf(definition, inputs, organization);
  const values = valuesOf(definition, inputs);
  const refs = definition.listedIn(key);
  try {
    const found = await session.lanes.run(laneOf(definition, key), async () => {
      session.ensured.add(pairOf(definition, key));
      const earlier = (await isLacking(session, definition, key)) ? 'none' : 'same';
      return await definition.create(api, key, values, { ...takeOver, earlier });
    });
    session.created(refs);
    return {
      id: found.id,
      outs: withOrganization(outputsOf(definition, inputs, found, api.address), organization),
    };
  } catch (error) {
    session.forget(refs);
    throw error;
  }
}

/** True when a list that many creates share lacks the link; where it shows it, the create looks again by itself. */
async function isLacking(session: Session, definition: ResourceDefinition, key: Key): Promise<boolean> {
  const [ref] = definition.listedIn(key);
  // The other kinds create without a look.
  if (definition.createLane === undefined || ref === undefined) return false;
  return definition.find(await session.looks.read(ref), key).length === 0;
}

async function read(
  session: Session,
  definition: ResourceDefinition,
  id: string,
  props: Props,
): Promise<dynamic.ReadResult> {
  const { address } = session.api;
  const recorded = props[addressMember];
  const ends = await endsOf(session, definition, id, props);
  const organization = textOf(props, organizationMember) ?? (await organizationOf(session, definition, ends));
  const observation = await look(session, definition, keyOf(definition, ends, organization), id);
  if (observation.state === 'present') {
    const { found } = observation;
    const now = withOrganization({ ...props, ...outputsOf(definition, {}, found, address) }, organization);
    return { id: found.id, props: now, inputs: wereInputs(definition.fields, everyInputs, now) };
  }
  if (observation.state === 'undetermined') throw cannotTell(`${definition.kind} ${id}`, observation.why);
  session.refuseOtherAddress(id, recorded);
  if (recorded === undefined) throw new ProviderError(`there is no ${definition.kind} ${id}`);
  return {};
}

/** The two ends: from the state, or for a read by id alone from the id or the service. */
async function endsOf(
  session: Session,
  definition: ResourceDefinition,
  id: string,
  props: Props,
): Promise<FieldValues> {
  const known = valuesOf(definition, props);
  if (definition.pair.every((field) => field in known)) return known;
  if (definition.read !== undefined) return (await definition.read(session.api, id)).values;
  const parts = id.split('/');
  if (parts.length === definition.pair.length) {
    return Object.fromEntries(definition.pair.map((field, index) => [field, String(parts[index])]));
  }
  throw new ProviderError(`${id} is no id of a ${definition.kind}: write ${definition.pair.join('/')}`);
}

async function remove(
  session: Session,
  definition: ResourceDefinition,
  id: string,
  props: Props,
): Promise<void> {
  session.refuseOtherAddress(id, props[addressMember]);
  const organization = givenText(props, organizationMember);
  const key = keyOf(definition, props, organization);
  try {
    await session.lanes.run(laneOf(definition, key), async () => {
      // Another resource of this run stands for the same link: a renamed one, or a set that took it over.
      if (!session.ensured.has(pairOf(definition, key))) await definition.delete(session.api, id, key);
    });
  } finally {
    session.forget(definition.listedIn(key));
  }
}

/** Changes of links in one lane come one after the other. */
export function laneOf(definition: ResourceDefinition, key: Key): string {
  return definition.createLane?.(key) ?? definition.batch?.lane(key) ?? pairOf(definition, key);
}

/** One text for one link. */
export function pairOf(definition: ResourceDefinition, key: Key): string {
  return [definition.kind, ...definition.pair.map((field) => partOf(key, field))].join(' ');
}

function keyOf(definition: ResourceDefinition, props: Props, organization: string): Key {
  const ends = definition.pair.map((field) => [field, givenText(props, field)] as const);
  return { organization, ...Object.fromEntries(ends) };
}

/** The organization in whose list the link stands: that of the client at one of its ends; empty where no end has one. */
async function organizationOf(
  session: Session,
  definition: ResourceDefinition,
  props: Props,
): Promise<string> {
  for (const field of definition.pair) {
    const owner = definition.fields[field]?.refersTo;
    const id = textOf(props, field);
    if (owner === 'OAuthClient' && id !== undefined) return session.organizationOf(id);
  }
  return '';
}

function withOrganization(outputs: Record<string, unknown>, organization: string): Record<string, unknown> {
  return organization === '' ? outputs : { ...outputs, [organizationMember]: organization };
}
