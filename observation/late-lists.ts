/** What a list does not show and a Show may: a list can be late, so an item that a Show finds counts as listed. Pure. */
import { joined, type ListContents, type ListRef, listName } from '../resources/lists';
import { type Expectation, isListed, itemOf, readLists } from './expectation';
import type { ListResult, Observed, ShowResult } from './observed';

/** The items that were expected in a list of this pass and are not there, by id, each with a list that lacks it. */
export function unlistedItems(
  observed: Observed,
  expected: readonly Expectation[],
): ReadonlyMap<string, ListRef> {
  return new Map(
    expected.flatMap((one): [string, ListRef][] => {
      const item = itemOf(one);
      const [list] = readLists(observed, one.definition, one.key);
      if (item === undefined || list === undefined || isListed(observed, one) !== false) return [];
      return [[item, list.ref]];
    }),
  );
}

/** The pass with what the Shows of unlisted items found, null for one that answered "not found". */
export function withShown(
  observed: Observed,
  expected: readonly Expectation[],
  shown: ReadonlyMap<string, ListContents | null>,
): Observed {
  const lists: Record<string, ListResult> = { ...observed.lists };
  for (const one of expected) {
    const found = shown.get(itemOf(one) ?? '') ?? null;
    if (found === null) continue;
    const ids = new Set(found.items.map((item) => item.id));
    for (const { ref, contents } of readLists({ ...observed, lists }, one.definition, one.key)) {
      if (contents.items.some((item) => ids.has(item.id))) continue;
      lists[listName(ref)] = { state: 'read', ref, contents: joined(contents, found) };
    }
  }
  const shows = [...shown].map(([id, found]): [string, ShowResult] => [
    id,
    found === null ? 'absent' : 'present',
  ]);
  return { ...observed, lists, shows: Object.fromEntries(shows) };
}
