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

/** The edges of a graph by node: those of a node stand in `incident` from its place in `start` up to that of the next node. `ends`: nodes by edge. */
export function edgesByNode(ends: readonly Int32Array[], nodes: number) {
  const start = new Int32Array(nodes + 1);
  for (const end of ends) for (const node of end) start[node + 1] = (start[node + 1] as number) + 1;
  for (let node = 0; node < nodes; node += 1) {
    start[node + 1] = (start[node + 1] as number) + (start[node] as number);
  }
  const filled = start.slice();
  const incident = new Int32Array(start[nodes] as number);
  for (const end of ends) {
    for (let edge = 0; edge < end.length; edge += 1) {
      const node = end[edge] as number;
      const place = filled[node] as number;
      incident[place] = edge;
      filled[node] = place + 1;
    }
  }
  return { start, incident };
}
