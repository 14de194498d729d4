/** Lists by what their items have in common. */

/** Groups in the order in which they first appear (`Map.groupBy` needs Node 21). */
export function groupBy<Item, Group>(items: readonly Item[], groupOf: (item: Item) => Group) {
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group) group.push(item);
    else groups.set(groupOf(item), [item]);
  }
  return groups;
}

/** The same of pairs: values by their key. */
export function grouped<Value>(pairs: readonly (readonly [string, Value])[]) {
  const groups = groupBy(pairs, ([key]) => key);
  return new Map([...groups].map(([key, some]) => [key, some.map(([, value]) => value)] as const));
}
