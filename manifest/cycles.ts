/** Finds cycles in a graph of links. Pure. */
import { groupBy } from '../resources/groups';

/** A link from one end to another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** The search for the shortest cycle ends after so many arrows. */
const maxSteps = 1_000_000;

/** Returns the arrows of a shortest cycle in their order, and all arrows that form or connect cycles. Without a cycle, both are empty. */
export function findCycles<Link extends Arrow>(links: readonly Link[]) {
  // First drop the links that no cycle leads to, then those that lead to no cycle.
  const reached = withoutLoose(links, 'from', 'to');
  const cyclic = withoutLoose(reached, 'to', 'from');
  return { shortest: findShortest(cyclic), cyclic };
}

/** Returns all links if the search ends before it finds a cycle. */
function findShortest<Link extends Arrow>(links: readonly Link[]): readonly Link[] {
  const leaving = groupBy(links, ({ from }) => from);
  let shortest: readonly Link[] | null = null;
  let steps = 0;
  for (const start of leaving.keys()) {
    const arrivals = new Map<string, Link>();
    const reached = [start];
    // The loop also visits ends that are added during it.
    for (const end of reached) {
      for (const link of leaving.get(end) ?? []) {
        steps += 1;
        if (arrivals.has(link.to)) continue;
        arrivals.set(link.to, link);
        reached.push(link.to);
      }
    }
    const cycle: Link[] = [];
    for (let link = arrivals.get(start); link !== undefined; ) {
      cycle.push(link);
      link = link.from === start ? undefined : arrivals.get(link.from);
    }
    if (cycle.length > 0 && (shortest === null || cycle.length < shortest.length)) shortest = cycle.reverse();
    if (steps > maxSteps) break;
  }
  return shortest ?? links;
}

/** Repeatedly removes all links that start at an end where no other link ends. */
function withoutLoose<Link extends Arrow>(links: readonly Link[], start: keyof Arrow, end: keyof Arrow) {
  const remaining = new Set(links);
  const leaving = groupBy(links, (link) => link[start]);
  const arriving = groupBy(links, (link) => link[end]);
  const loose = [...leaving.keys()].filter((name) => !arriving.has(name));
  // The loop also visits ends that are added during it.
  for (const name of loose) {
    for (const link of leaving.get(name) ?? []) {
      remaining.delete(link);
      arriving.get(link[end])?.pop();
      if (arriving.get(link[end])?.length === 0) loose.push(link[end]);
    }
  }
  return [...remaining];
}
