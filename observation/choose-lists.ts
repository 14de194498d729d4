/** Chooses lists that show every object with few requests. Pure. */
import type { ListRef } from '../resources/kind';

type Lists = readonly ListRef[];
type CostOf = (list: ListRef) => number;

/**
 * Returns the cheapest of three choices: the first list of each object, a greedy choice, and the last list of each. One or two lists show
 * each object. Lists that cost 0 requests are not returned.
 */
export function chooseLists(listsByObject: readonly Lists[], costOf: CostOf): Lists {
  const unseen = listsByObject.filter((lists) => lists.every((list) => costOf(list) > 0));
  const choices = [
    sortedByName(unseen.flatMap((lists) => lists[0] ?? [])),
    chooseGreedily(unseen, costOf),
    sortedByName(unseen.flatMap((lists) => lists.at(-1) ?? [])),
  ];
  const costs = choices.map((lists) => lists.reduce((sum, list) => sum + costOf(list), 0));
  return choices[costs.indexOf(Math.min(...costs))] ?? [];
}

/** Returns each list once. The choice must not depend on the order of the objects. */
function sortedByName(lists: Lists): Lists {
  const byName = new Map(lists.map((list) => [list.name, list]));
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Leaves out each list, from the one that shows the fewest objects for its cost, and takes the other lists of its objects. */
function chooseGreedily(unseen: readonly Lists[], costOf: CostOf): Lists {
  const objects = new Map<string, Lists[]>();
  for (const lists of unseen) {
    for (const { name } of lists) {
      const shown = objects.get(name) ?? [];
      objects.set(name, shown);
      shown.push(lists);
    }
  }
  const rankOf = (list: ListRef) => (objects.get(list.name)?.length ?? 0) / costOf(list);
  const chosen = new Map<string, ListRef>();
  for (const list of sortedByName(unseen.flat()).toSorted((left, right) => rankOf(left) - rankOf(right))) {
    if (chosen.has(list.name)) continue;
    for (const lists of objects.get(list.name) ?? []) {
      const other = lists.find(({ name }) => name !== list.name) ?? list;
      chosen.set(other.name, other);
    }
  }
  return [...chosen.values()];
}
