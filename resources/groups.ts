/** Lists by what their items have in common. */

/** Groups in the order in which they first appear (`Map.groupBy` needs Node 21). */
export function groupBy<Item, Group>(items: readonly Item[], groupOf: (item: Item) => Group) {
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    const name = groupOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

const byIds = new WeakMap<readonly { readonly id: string }[], ReadonlyMap<string, readonly unknown[]>>();

/** Those of a list with that id, from an index that each list gets once. */
export function withId<Item extends { readonly id: string }>(items: readonly Item[], id: string) {
  const index = byIds.get(items) ?? groupBy(items, (item) => item.id);
  byIds.set(items, index);
  return (index.get(id) ?? []) as readonly Item[];
}
