/** Groups appear in the order of their first items, and none is empty. `Map.groupBy` needs Node 21. */
export function groupBy<Item, Group>(items: readonly Item[], toGroup: (item: Item) => Group) {
  const groups = new Map<Group, [Item, ...Item[]]>();
  for (const item of items) {
    const name = toGroup(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
