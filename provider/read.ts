/** Looks for one object: in the lists that would show it, then by its own Show. */
import { type Observation, observationOf } from '../observation/evidence';
import { observe } from '../observation/observe';
import type { Found, Key, ResourceDefinition } from '../resources/kind';
import { registry } from '../resources/registry';
import { unlessNotFound } from '../resources/safe-calls';
import { idViolation, prefixOf } from '../resources/violations';
import { ProviderError } from './failures';
import type { ResourceType } from './resource-types';
import type { ReadResult, Session } from './session';
import { addressMember, inputsBehind, type Props, seenOf, unverifiedMark } from './state';

/** The object as it is now, `{}` where proved missing. Throws where nobody can tell, and where a `get` finds nothing. */
export async function readObject(
  session: Session,
  type: ResourceType,
  key: Key,
  id: string,
  { state, inputs = {} }: { readonly state: Props; readonly inputs?: Props },
): Promise<ReadResult> {
  const { definition } = type;
  const observation = await look(session, definition, key, id);
  if (observation.state === 'present') {
    const { found } = observation;
    const now = {
      ...state,
      ...seenOf(found, state),
      [addressMember]: session.api.address,
      ...(state[addressMember] === undefined && unverifiedMark(type)),
    };
    return { id: found.id, props: now, inputs: inputsBehind(type, now, inputs) };
  }
  const isLink = definition.pair.length > 0;
  if (observation.state === 'unknown') {
    throw cannotTell(isLink ? `${definition.kind} ${id}` : id, observation.why, state);
  }
  if (state[addressMember] !== undefined) return {};
  throw new ProviderError(
    isLink
      ? `there is no ${definition.kind} ${id}${await turned(session, definition, key)}`
      : `there is no OAuth client ${id} in ${key.organization}`,
  );
}

/** What is said where the link exists with its ends the other way round. */
async function turned(session: Session, definition: ResourceDefinition, key: Key): Promise<string> {
  const [one = '', other = ''] = definition.pair;
  const { [one]: from = '', [other]: to = '' } = key;
  if (definition.fields[one]?.refersTo !== definition.fields[other]?.refersTo) return '';
  const swapped = { [one]: to, [other]: from };
  const [ref] = definition.listedIn(swapped);
  const items = ref && (await session.connection.lists.read(ref).catch(() => []));
  if (definition.find(items ?? [], swapped).length === 0) return '';
  return `, but ${to}/${from} exists: write ${pairForm(definition)}`;
}

/** The id of a link that its ends give: `ws-…/ws-… (target/source)`. */
export function pairForm({ pair, fields, section }: ResourceDefinition): string {
  const ids = pair.map((end) => `${prefixOf(fields[end]?.refersTo ?? '', registry)}-…`);
  return `${ids.join('/')} (${section.ends.map(({ singular }) => singular).join('/')})`;
}

/** Tries the next list when one cannot be read; throws `ApiError` for all but a 404. */
export async function look(session: Session, definition: ResourceDefinition, key: Key, id: string) {
  const { api, lists } = session.connection;
  let last: Observation = { state: 'unknown', why: 'no list of the service shows it' };
  for (const ref of definition.listedIn(key)) {
    const expected = { definition: { ...definition, listedIn: () => [ref] }, key, id };
    const observed = await observe(api, { expected: [expected], forced: [] }, lists);
    last = observationOf(observed, expected);
    if (last.state !== 'unknown') return last;
  }
  const found = await shown(session, definition, id);
  return found === undefined ? last : ({ state: 'present', found } as const);
}

/** Undefined for a 404, and for kinds that have no such call. */
export async function shown(
  session: Session,
  definition: ResourceDefinition,
  id: string,
): Promise<Found | undefined> {
  return definition.read && unlessNotFound(definition.read(session.api, id));
}

/** Refuses what is no id of that; `otherwise` is what may stand there too. */
export function refuseForm(refersTo: string, id: string, otherwise = ''): void {
  const violation = idViolation(refersTo, id, registry);
  if (violation !== undefined)
    throw new ProviderError(`${JSON.stringify(id)} ${violation.problem}${otherwise}`);
}

/** Of an object that the state has, or of one that it was to have. */
export function cannotTell(id: string, why: string, { [addressMember]: recorded }: Props): ProviderError {
  const because = why.replace(/\.$/u, '');
  return new ProviderError(
    recorded === undefined
      ? `nobody can tell whether ${id} exists: ${because}. Give the token the permission to see it, or correct the id`
      : `nobody can tell whether ${id} still exists, so the state stays as it is: ${because}. Give the token the permission to see it; if it is gone for good, \`pulumi state delete URN\` drops it`,
  );
}
