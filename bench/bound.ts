/** The fewest pages in which all triggers are seen, computed without the product: by König, a largest matching has as many pairs. */
import type { Pair } from './worlds';

const pageSize = 100;

/**
 * Each trigger is in the list of its target and in that of its source; one of the two has to be read. A list has the pages that what
 * is `there` fills, at least one, and counts for as many: so a workspace is matched up to that often.
 */
export function fewestPages(pairs: readonly Pair[], there: readonly Pair[] = []): number {
  const pages = [0, 1].map((end) => {
    const counts = new Map<number, number>();
    for (const pair of there) counts.set(pair[end] ?? 0, (counts.get(pair[end] ?? 0) ?? 0) + 1);
    return (workspace: number) => Math.max(1, Math.ceil((counts.get(workspace) ?? 0) / pageSize));
  });
  const [inbound = () => 1, outbound = () => 1] = pages;
  const sourcesOf = new Map<number, number[]>();
  for (const [target, source] of pairs) {
    const sources = sourcesOf.get(target) ?? [];
    sources.push(source);
    sourcesOf.set(target, sources);
  }
  const holders = new Map<number, number[]>();
  /** Gives the target a page of a source, where others may have to change theirs for it. */
  const place = (target: number, tried: Set<number>): boolean => {
    for (const source of sourcesOf.get(target) ?? []) {
      if (tried.has(source)) continue;
      tried.add(source);
      const held = holders.get(source) ?? [];
      const free = held.length < outbound(source) ? held.length : held.findIndex((one) => place(one, tried));
      if (free < 0) continue;
      held[free] = target;
      holders.set(source, held);
      return true;
    }
    return false;
  };
  for (const target of sourcesOf.keys()) {
    for (let page = 0; page < inbound(target); page += 1) place(target, new Set());
  }
  return [...holders.values()].reduce((sum, held) => sum + held.length, 0);
}
