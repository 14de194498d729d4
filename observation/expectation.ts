/** An object somebody wants to know about, and whether the lists of a pass show it. Pure. */
import type { ResourceDefinition } from '../resources/definition';
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

/** The id of the item in which a list shows the object: its own, or that of the object whose page shows it; absent where nobody knows it. */
export function itemOf({ definition, key, id }: Expectation): string | undefined {
  return definition.shownBy === undefined ? id : key[definition.shownBy];
}

/** True when a list has the object's item, false when one was read and does not, null when none was read. */
export function isListed(observed: Observed, expected: Expectation): boolean | null {
  const { definition, key } = expected;
  const read = readLists(observed, definition, key);
  if (read.length === 0) return null;
  const item = itemOf(expected);
  return item === undefined
    ? read.some((one) => definition.find(one.contents, key).length > 0)
    : read.some((one) => one.contents.items.some((other) => other.id === item));
}
