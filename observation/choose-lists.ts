/** Chooses lists that show every object with few requests. Pure. */
import type { ListRef } from '../resources/kind';

type Lists = readonly ListRef[];
/** Returns the requests that it takes to read a list. */
type Cost = (list: ListRef) => number;

/**
 * Returns the cheapest of three choices: the first list of each object, a greedy choice, and the last list of each. One or two lists show
 * each object. A list that costs 0 requests is read anyway, so it is not returned.
 */
export function chooseLists(listsByObject: readonly Lists[], cost: Cost): Lists {
  const unseen = listsByObject.filter((lists) => lists.every((list) => cost(list) > 0));
  const choices = [
    sortedByName(unseen.flatMap((lists) => lists[0] ?? [])),
    chooseGreedily(unseen, cost),
    sortedByName(unseen.flatMap((lists) => lists.at(-1) ?? [])),
  ];
  const costs = choices.map((lists) => lists.reduce((sum, list) => sum + cost(list), 0));
  return choices[costs.indexOf(Math.min(...costs))] ?? [];
}

/** Returns each list once. The choice must not depend on the order of the objects. */
function sortedByName(lists: Lists): Lists {
  const byName = new Map(lists.map((list) => [list.name, list]));
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Drops lists, beginning with the one that shows the fewest objects for its cost. Each object of a dropped list needs its other list, so
 * that one is chosen and is not dropped later. An object with a single list keeps it.
 */
function chooseGreedily(unseen: readonly Lists[], cost: Cost): Lists {
  const objectsByList = new Map<string, Lists[]>();
  for (const lists of unseen) {
    for (const { name } of lists) {
      const objects = objectsByList.get(name) ?? [];
      objectsByList.set(name, objects);
      objects.push(lists);
    }
  }
  const rank = (list: ListRef) => (objectsByList.get(list.name)?.length ?? 0) / cost(list);
  const choice = new Map<string, ListRef>();
  for (const list of sortedByName(unseen.flat()).toSorted((left, right) => rank(left) - rank(right))) {
    if (choice.has(list.name)) continue;
    for (const lists of objectsByList.get(list.name) ?? []) {
      const remainingList = lists.find(({ name }) => name !== list.name) ?? list;
      choice.set(remainingList.name, remainingList);
    }
  }
  return [...choice.values()];
}
