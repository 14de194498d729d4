/** Links under Pulumi: project attachments and run triggers, each a resource of its own. */
import type { dynamic } from '@pulumi/pulumi';
import {
  type FieldValues,
  type Found,
  type Intent,
  type Key,
  partOf,
  type ResourceDefinition,
} from '../resources/kind';
import { ProviderError } from './failures';
import { check, definitionRules } from './inputs';
import { givenText, isUnknown, type Props, textOf } from './props';
import { readObject } from './read';
import { ownerField, type ResourceType, resourceTypeOf } from './resource-types';
import type { Handlers, Session } from './session';
import { addressMember, differencesOf, diffResult, outputsOf, valuesOf } from './state';

/** A link has a natural key: nothing has to be recorded to find what a create left. */
const unrecorded: Omit<Intent, 'earlier'> = {
  nonce: '',
  existed: () => false,
  created: async () => undefined,
  mayArriveLate: async () => undefined,
  leftNothing: async () => undefined,
};

const organizationMember = 'organization';

/** What the engine's provider process loads for a kind of link. */
export function links(session: Session, kind: string): Handlers {
  const type = resourceTypeOf(kind);
  const { definition } = type;
  return session.handlers({
    check: (olds, news) => check(session, type, definitionRules(definition), olds, news),
    diff: async (id, olds, news) => {
      session.refuseOtherAddress(id, olds[addressMember]);
      const result = diffResult(type, differencesOf(type, olds, news, session.profile), olds, news);
      return makesRoomFirst(session, definition, olds, news)
        ? { ...result, deleteBeforeReplace: true }
        : result;
    },
    create: (inputs) => create(session, definition, inputs),
    read: (id, props) => read(session, type, id, props ?? {}),
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    delete: (id, props) => {
      session.refuseOtherAddress(id, props[addressMember]);
      const key = keyOf(definition, props, givenText(props, organizationMember));
      return removeLink(session, definition, key, [id]);
    },
  });
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
  const organization = await organizationOf(session, definition, inputs);
  const key = keyOf(definition, inputs, organization);
  const refs = definition.listedIn(key);
  try {
    const found = await inQueue(session, definition, key, async () => {
      session.run.want(pairOf(definition, key));
      // Whatever an interrupted run left is the link itself.
      const earlier = (await isLacking(session, definition, key)) ? 'none' : 'same';
      const intent = { ...unrecorded, earlier } as const;
      return await definition.create(session.api, key, valuesOf(definition, inputs), intent);
    });
    session.created(refs);
    const outputs = outputsOf(definition, inputs, found, session.api.address);
    return { id: found.id, outs: { ...outputs, ...inOrganization(organization) } };
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
  type: ResourceType,
  id: string,
  props: Props,
): Promise<dynamic.ReadResult> {
  const { definition } = type;
  const ends = await endsOf(session, definition, id, props);
  const organization = textOf(props, organizationMember) ?? (await organizationOf(session, definition, ends));
  const result = await readObject(session, type, keyOf(definition, ends, organization), id, props);
  return result.props === undefined
    ? result
    : { ...result, props: { ...result.props, ...inOrganization(organization) } };
}

/** The two ends: from the state, or for a read by id alone from the id or the service. */
async function endsOf(
  session: Session,
  definition: ResourceDefinition,
  id: string,
  props: Props,
): Promise<FieldValues> {
  const { kind, pair } = definition;
  const known = valuesOf(definition, props);
  if (pair.every((field) => field in known)) return known;
  if (definition.read !== undefined) return (await definition.read(session.api, id)).values;
  const parts = id.split('/');
  if (parts.length === pair.length) {
    return Object.fromEntries(pair.map((field, index) => [field, String(parts[index])]));
  }
  throw new ProviderError(`${id} is no id of a ${kind}: write ${pair.join('/')}`);
}

/** Creates a link that the lists lack; a lost answer or a duplicate makes the create look again by itself. */
export async function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  const intent = { ...unrecorded, earlier: 'none' } as const;
  try {
    return await inQueue(session, definition, key, () => definition.create(session.api, key, key, intent));
  } finally {
    session.forget(definition.listedIn(key));
  }
}

/** Deletes the link, of which there may be several; one that is missing already is done. */
export async function removeLink(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  ids: readonly string[],
): Promise<void> {
  try {
    await inQueue(session, definition, key, async () => {
      // Another resource of this run stands for the same link: a renamed one, or a set that took it over.
      if (session.run.isWanted(pairOf(definition, key))) return;
      for (const id of ids) await definition.delete(session.api, id, key);
    });
  } finally {
    session.forget(definition.listedIn(key));
  }
}

function inQueue<Result>(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  work: () => Promise<Result>,
): Promise<Result> {
  return session.queues.run(queueOf(definition, key), work);
}

/** Changes of links in one queue come one after the other. */
export function queueOf(definition: ResourceDefinition, key: Key): string {
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

/** The organization in whose list the link stands: that of the object at one of its ends; empty where no end has one. */
async function organizationOf(
  session: Session,
  definition: ResourceDefinition,
  props: Props,
): Promise<string> {
  const id = textOf(props, ownerField(definition) ?? '');
  return id === undefined ? '' : session.organizationOf(id);
}

function inOrganization(organization: string): Record<string, string> {
  return organization === '' ? {} : { [organizationMember]: organization };
}
