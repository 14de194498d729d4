/** Chooses the cheapest lists that show every object, by König's theorem. Pure. */
import type { ListRef } from '../resources/kind';

interface Node {
  readonly ref: ListRef | null;
  readonly isFirst: boolean;
  /** The number of matches that are still possible. At first it is the cost of the list. */
  room: number;
  readonly matches: Map<Node, number>;
}

/** One or two lists show each object. Lists that cost 0 requests are not returned. */
export function chooseLists(
  wanted: readonly (readonly ListRef[])[],
  costOf: (ref: ListRef) => number,
): readonly ListRef[] {
  const nodes = new Map<string, Node>();
  const nodeOf = (ref: ListRef, isFirst: boolean): Node => {
    const node = nodes.get(ref.name) ?? { ref, isFirst, room: costOf(ref), matches: new Map() };
    nodes.set(ref.name, node);
    return node;
  };
  const nowhere: Node = { ref: null, isFirst: false, room: Infinity, matches: new Map() };
  for (const [one, other] of wanted) {
    if (one === undefined) continue;
    const first = nodeOf(one, true);
    const second = other === undefined ? nowhere : nodeOf(other, false);
    if (first.room === 0 || second.room === 0) continue;
    first.matches.set(second, 0);
    second.matches.set(first, 0);
  }
  const all = [...nodes.values()].filter(({ matches }) => matches.size > 0);
  const lost = new Set<Node>();
  for (const node of all) while (node.isFirst && node.room > 0 && !lost.has(node)) matchOnce(node, lost);
  return all.flatMap((node) => (lost.has(node) === node.isFirst ? [] : (node.ref ?? [])));
}

/** Matches a first list once more. If no path leads to room, every list that it reaches is lost for good. */
function matchOnce(root: Node, lost: Set<Node>): void {
  const ways = new Map<Node, Node | null>([[root, null]]);
  for (const node of ways.keys()) {
    if (!node.isFirst && node.room > 0) {
      root.room -= 1;
      node.room -= 1;
      let at = node;
      for (let back = ways.get(at); back; back = ways.get(at)) {
        const count = (at.matches.get(back) ?? 0) + (at.isFirst ? -1 : 1);
        at.matches.set(back, count);
        back.matches.set(at, count);
        at = back;
      }
      return;
    }
    for (const [other, count] of node.matches) {
      const isOpen = node.isFirst || count > 0;
      if (isOpen && !ways.has(other) && !lost.has(other)) ways.set(other, node);
    }
  }
  for (const node of ways.keys()) lost.add(node);
}
