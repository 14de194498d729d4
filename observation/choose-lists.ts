/** Which lists to read: a minimum vertex cover, proved by a maximum flow of the same size. Pure. */
import { edgesByNode } from '../resources/groups';
import type { ListRef } from '../resources/kind';

/**
 * The cheapest lists that cover every object of `wanted`, each given by the lists that would show it: an object is an edge between two
 * of them. `costOf` is in requests: 0 for what is read anyway, which is not returned, infinite for what cannot be read. The same
 * for the same objects in any order; where inbound and outbound lists cost the same, the inbound ones.
 */
export function chooseLists(
  wanted: readonly (readonly ListRef[])[],
  costOf: (ref: ListRef) => number = () => 1,
): readonly ListRef[] {
  const [firsts, seconds] = [indexed(wanted, 0), indexed(wanted, 1)];
  const left = firsts.refs.length;
  const refs = [...firsts.refs, ...seconds.refs];
  const costs = refs.map(costOf);
  const isNeeded = new Uint8Array(refs.length);
  const first = (at: number) => firsts.indices[at] ?? -1;
  const second = (at: number) => left + (seconds.indices[at] ?? -1);
  const open: number[] = [];
  for (let at = 0; at < wanted.length; at += 1) {
    const one = costs[first(at)] ?? never;
    const other = second(at) < left ? never : (costs[second(at)] ?? never);
    if (one === 0 || other === 0 || (one === never && other === never)) continue;
    if (one !== never && other !== never) open.push(at);
    else isNeeded[one === never ? second(at) : first(at)] = 1;
  }
  const edges = open.filter((at) => isNeeded[first(at)] !== 1 && isNeeded[second(at)] !== 1);
  const from = Int32Array.from(edges, first);
  const to = Int32Array.from(edges, second);
  const { total, isReached } = maximumFlow([from, to], left, costs);
  // By König: the cut that a maximum flow leaves nearest to the first ends, which is the same for every such flow.
  const isCut = (node: number) => isReached(node) === node >= left && (costs[node] ?? 0) > 0;
  const size = refs.reduce((sum, _, node) => sum + (isCut(node) ? (costs[node] ?? 0) : 0), 0);
  // No cover costs less than any flow carries: equal, both are proved.
  if (size !== total || !edges.every((at) => isCut(first(at)) || isCut(second(at)))) {
    throw new Error(`the choice of lists costs ${size}, and the proof says ${total}: please report it`);
  }
  return refs.filter((_, node) => isNeeded[node] === 1 || isCut(node));
}

const never = Number.POSITIVE_INFINITY;

/** The lists at this place, each once, and which of them each object has there; -1 for none. */
function indexed(wanted: readonly (readonly ListRef[])[], place: number) {
  const refs: ListRef[] = [];
  const known = new Map<string, number>();
  const indices = Int32Array.from(wanted, (alternatives) => {
    const ref = alternatives[place];
    if (ref === undefined) return -1;
    const index = known.get(ref.name) ?? refs.push(ref) - 1;
    known.set(ref.name, index);
    return index;
  });
  return { refs, indices };
}

/**
 * Dinic's algorithm, which is Hopcroft and Karp's where every list costs 1: from nodes below `left` through edges without limit to the others,
 * through each node as much as it costs. `isReached`: whether more could flow to there.
 */
function maximumFlow([from, to]: readonly [Int32Array, Int32Array], left: number, costs: readonly number[]) {
  const { start, incident } = edgesByNode([from, to], costs.length);
  const room = Float64Array.from(costs);
  const carried = new Float64Array(from.length);
  const level = new Int32Array(costs.length);
  const queue = new Int32Array(costs.length);
  const next = new Int32Array(costs.length);
  const at = (numbers: Int32Array | Float64Array, index: number) => numbers[index] as number;
  const isLeft = (node: number) => node < left;
  /** Over which edges it goes on from a node: all to the right, back only what flows there. */
  const isOpen = (node: number, edge: number) => isLeft(node) || at(carried, edge) > 0;
  const across = (node: number, edge: number) => at(isLeft(node) ? to : from, edge);

  /** The distance of each node from room on the left, as far as the nearest room on the right. */
  const findLevels = (): boolean => {
    level.fill(-1);
    let length = 0;
    for (let node = 0; node < left; node += 1) {
      if (at(room, node) === 0) continue;
      level[node] = 0;
      queue[length++] = node;
    }
    let nearest = Number.POSITIVE_INFINITY;
    for (let done = 0; done < length && at(level, at(queue, done)) < nearest; done += 1) {
      const node = at(queue, done);
      for (let place = at(start, node); place < at(start, node + 1); place += 1) {
        const edge = at(incident, place);
        const other = across(node, edge);
        if (at(level, other) >= 0 || !isOpen(node, edge)) continue;
        level[other] = at(level, node) + 1;
        if (!isLeft(other) && at(room, other) > 0) nearest = at(level, other);
        queue[length++] = other;
      }
    }
    return nearest < Number.POSITIVE_INFINITY;
  };

  /** What more flows from there on one shortest way. */
  const push = (first: number): number => {
    const nodes = [first];
    const edges: number[] = [];
    for (let node = first; nodes.length > 0; node = nodes.at(-1) ?? first) {
      if (!isLeft(node) && at(room, node) > 0) {
        let amount = Math.min(at(room, first), at(room, node));
        // Every second step goes back.
        for (let step = 1; step < edges.length; step += 2) {
          amount = Math.min(amount, at(carried, edges[step] as number));
        }
        for (const [step, edge] of edges.entries()) {
          carried[edge] = at(carried, edge) + (step % 2 === 0 ? amount : -amount);
        }
        room[first] = at(room, first) - amount;
        room[node] = at(room, node) - amount;
        return amount;
      }
      const end = at(start, node + 1);
      const goesOn = (edge: number) =>
        at(level, across(node, edge)) === at(level, node) + 1 && isOpen(node, edge);
      while (at(next, node) < end && !goesOn(at(incident, at(next, node)))) next[node] = at(next, node) + 1;
      if (at(next, node) < end) {
        const edge = at(incident, at(next, node));
        edges.push(edge);
        nodes.push(across(node, edge));
      } else {
        nodes.pop();
        edges.pop();
        const before = nodes.at(-1);
        if (before !== undefined) next[before] = at(next, before) + 1;
      }
    }
    return 0;
  };

  let total = 0;
  while (findLevels()) {
    next.set(start.subarray(0, costs.length));
    for (let node = 0; node < left; node += 1) {
      for (let more = -1; more !== 0 && at(room, node) > 0; total += more) more = push(node);
    }
  }
  return { total, isReached: (node: number) => at(level, node) >= 0 };
}
