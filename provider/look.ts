/** Looks for one object: in the lists that would show it, shared by all reads of a run, then by its own Show. */
import { NotFound } from '../client/errors';
import type { Observation } from '../observation/evidence';
import { observationOf, observe } from '../observation/observe';
import type { Found, Key, ResourceDefinition } from '../resources/kind';
import { ProviderError } from './one-line';
import type { Session } from './session';

/** What is known of the object. Tries the next list when one cannot be read; throws `ApiError` for all but a 404. */
export async function look(
  session: Session,
  definition: ResourceDefinition,
  key: Key,
  id: string,
): Promise<Observation> {
  let last: Observation = { state: 'undetermined', why: 'no list of the service shows it' };
  for (const ref of definition.listedIn(key)) {
    const expected = [{ definition: { ...definition, listedIn: () => [ref] }, key, id }];
    const observed = await observe(session.api, { expected, forced: [] }, session.lists);
    const [expectation] = expected;
    if (expectation !== undefined) last = observationOf(observed, expectation);
    if (last.state !== 'undetermined') return last;
  }
  const found = await shown(session, definition, id);
  return found === undefined ? last : { state: 'present', found };
}

/** The object by its own Show; undefined for a 404, and for kinds that have no such call. */
export async function shown(
  session: Session,
  definition: ResourceDefinition,
  id: string,
): Promise<Found | undefined> {
  try {
    return await definition.read?.(session.api, id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** What a person reads when nobody can tell whether the object is gone. */
export function cannotTell(id: string, why: string): ProviderError {
  return new ProviderError(
    `nobody can tell whether ${id} still exists, so the state stays as it is: ${why.replace(/\.$/u, '')}. Give the token the permission to see it; if it is gone for good, \`pulumi state delete URN\` drops it`,
  );
}
