/** Which lists to read: the cheapest that show every object, by a maximum matching and König's theorem. Pure. */
import type { ListRef } from '../resources/kind';

interface Node {
  readonly ref: ListRef | null;
  readonly isFirst: boolean;
  /** How often it can still be matched: at first as often as it costs. */
  room: number;
  readonly edges: Edge[];
}

interface Edge {
  readonly first: Node;
  readonly second: Node;
  matched: number;
}

/**
 * Each object of `wanted` is given by the one or two lists that would show it. `costOf` is in requests, and 0 for a list that is read
 * anyway, which is not returned. The order of the objects does not matter. Of two equal choices it takes first lists (inbound).
 */
export function chooseLists(
  wanted: readonly (readonly ListRef[])[],
  costOf: (ref: ListRef) => number,
): readonly ListRef[] {
  const nodes = { first: new Map<string, Node>(), second: new Map<string, Node>() };
  const nodeOf = (ref: ListRef, side: 'first' | 'second'): Node => {
    const known = nodes[side].get(ref.name);
    const node = known ?? { ref, isFirst: side === 'first', room: costOf(ref), edges: [] };
    if (known === undefined) nodes[side].set(ref.name, node);
    return node;
  };
  // The other end of an object that only one list shows.
  const nowhere: Node = { ref: null, isFirst: false, room: Number.POSITIVE_INFINITY, edges: [] };
  for (const [one, other] of wanted) {
    if (one === undefined) continue;
    const first = nodeOf(one, 'first');
    const second = other === undefined ? nowhere : nodeOf(other, 'second');
    if (first.room === 0 || second.room === 0) continue;
    const edge: Edge = { first, second, matched: 0 };
    first.edges.push(edge);
    second.edges.push(edge);
  }
  const all = [...nodes.first.values(), ...nodes.second.values()].filter(({ edges }) => edges.length > 0);
  let search = matchOnce(all);
  while (search.isBetter) search = matchOnce(all);
  // By König: the first lists that the last search did not reach, and the second lists that it did.
  return all.flatMap((node) => (search.reached.has(node) === node.isFirst ? [] : (node.ref ?? [])));
}

/** Searches from all first lists with room at once, and matches each that gets to a second list with room. */
function matchOnce(all: readonly Node[]) {
  /** The root of each node's tree, and the edge that led to it. */
  const reached = new Map<Node, { readonly root: Node; readonly edge?: Edge }>();
  const done = new Set<Node>();
  for (const node of all) if (node.isFirst && node.room > 0) reached.set(node, { root: node });
  // The loop goes on to what is added meanwhile.
  for (const [node, { root }] of reached) {
    for (const edge of done.has(root) ? [] : node.edges) {
      const other = node.isFirst ? edge.second : edge.first;
      if (reached.has(other) || (!node.isFirst && edge.matched === 0)) continue;
      reached.set(other, { root, edge });
      if (other.isFirst || other.room === 0) continue;
      done.add(root);
      root.room -= 1;
      other.room -= 1;
      let at = other;
      for (let back = reached.get(at)?.edge; back !== undefined; back = reached.get(at)?.edge) {
        back.matched += at.isFirst ? -1 : 1;
        at = at.isFirst ? back.second : back.first;
      }
      break;
    }
  }
  return { reached, isBetter: done.size > 0 };
}
