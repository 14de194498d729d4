/** An object somebody wants to know about, and whether the lists of a pass show it. Pure. */
import type { Found, ResourceDefinition } from '../resources/definition';
import { listName } from '../resources/lists';
import type { Key } from '../resources/values';
import type { ListResult, Observed } from './observed';

/** `id` where it is known, so that an absence can be proved by a Show. */
export interface Expectation {
  readonly definition: ResourceDefinition;
  readonly key: Key;
  readonly id?: string;
}

/** The lists that would show the object and were read, in the order of the definition. */
export function readLists(
  observed: Observed,
  definition: ResourceDefinition,
  key: Key,
): readonly Extract<ListResult, { state: 'read' }>[] {
  return definition
    .listedIn(key)
    .map((ref) => observed.lists[listName(ref)])
    .filter((result) => result?.state === 'read');
}

/** True when a list shows the object, false when one was read and does not, null when none was read. */
export function isListed(observed: Observed, { definition, key, id }: Expectation): boolean | null {
  const read = readLists(observed, definition, key);
  if (read.length === 0) return null;
  const shown = (found: Found) => id === undefined || found.id === id;
  return read.some((one) => definition.find(one.contents, key).some(shown));
}
