/** Computes the smallest possible number of calls, without the planner. */
import { groupBy } from '../resources/groups';
import type { Pair } from './worlds';

const pageSize = 100;

/**
 * Returns the fewest pages in which all `pairs` can be seen. A trigger is in the list of its target and in that of its source, and
 * one of the two must be read. The triggers in `there` fill the lists, and an empty list is one page.
 *
 * By König's theorem the cheapest choice of lists costs as much as the largest matching, in which a workspace is matched at most as
 * often as its list has pages.
 */
export function fewestPages(pairs: readonly Pair[], there: readonly Pair[] = []): number {
  const pagesOf = (end: 0 | 1) => {
    const counts = groupBy(there, (pair) => pair[end]);
    return (workspace: number) => Math.max(1, Math.ceil((counts.get(workspace)?.length ?? 0) / pageSize));
  };
  const inbound = pagesOf(0);
  const outbound = pagesOf(1);
  const pairsOf = groupBy(pairs, ([target]) => target);
  const holders = new Map<number, number[]>();
  /** Gives the target one page of a source. Other targets may have to change theirs for it. */
  const place = (target: number, tried: Set<number>): boolean => {
    for (const [, source] of pairsOf.get(target) ?? []) {
      if (tried.has(source)) continue;
      tried.add(source);
      const placedTargets = holders.get(source) ?? [];
      const hasRoom = placedTargets.length < outbound(source);
      const free = hasRoom
        ? placedTargets.length
        : placedTargets.findIndex((placedTarget) => place(placedTarget, tried));
      if (free < 0) continue;
      placedTargets[free] = target;
      holders.set(source, placedTargets);
      return true;
    }
    return false;
  };
  for (const target of pairsOf.keys()) {
    for (let page = 0; page < inbound(target); page += 1) place(target, new Set());
  }
  return [...holders.values()].flat().length;
}
