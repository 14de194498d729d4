/** Links as a graph: cycles, which are legal but rarely meant, and the profile's limit on what comes in. */
import { type Edge, partOf } from '../resources/kind';
import type { Profile } from '../resources/profile';
import type { Findings } from './findings';
import { groupBy } from './group-by';
import type { Link } from './links';

/** How many cycles are told; where links are dense there are thousands. */
const mostCycles = 10;

/** Warns of cycles and refuses more incoming links than the profile allows. */
export function checkGraph(links: readonly Link[], profile: Profile | null, findings: Findings): void {
  const definitions = new Set(links.map((link) => link.definition));
  for (const definition of definitions) {
    const { edge } = definition;
    if (edge === undefined) continue;
    const own = links.filter((link) => link.definition === definition);
    tellCycles(edge, own, findings);
    if (edge.limit === undefined || profile === null) continue;
    const limit = profile.limits[edge.limit];
    if (limit !== null) tellOverLimit(edge, own, limit, profile, findings);
  }
}

function tellOverLimit(
  { to }: Edge,
  links: readonly Link[],
  limit: number,
  profile: Profile,
  findings: Findings,
): void {
  for (const group of groupBy(links, (link) => partOf(link.ends, to)).values()) {
    const beyond = group[limit];
    if (beyond === undefined) continue;
    const spot = { at: beyond.entry.at, path: beyond.path };
    const name = shownEnd(beyond, to);
    const message = `${name} has ${group.length} sources, but profile ${profile.name} allows ${limit}: this one is the first too many`;
    findings.error('too-many-sources', spot, message);
  }
}

function shownEnd(link: Link, field: string): string {
  const part = link.definition.pair.indexOf(field);
  return link.entry.address.split('/')[part + 1] ?? link.entry.address;
}

function tellCycles({ from, to }: Edge, links: readonly Link[], findings: Findings): void {
  // A link to itself is an error of its own.
  const others = links.filter((link) => link.ends[from] !== link.ends[to]);
  const next = groupBy(others, (link) => partOf(link.ends, from));
  for (const cycle of cyclesOf(next, to)) {
    const [first] = cycle;
    if (first === undefined) continue;
    const names = [...cycle, first].map((link) => shownEnd(link, from)).join(' → ');
    const message = `a cycle: ${names}. Runs may go round without end`;
    const related = cycle.slice(1).map((link) => link.entry.at);
    findings.warning('trigger-cycle', { at: first.entry.at, path: first.path }, message, ...related);
  }
}

/** A depth-first walk without recursion; each link that closes a circle on the current path gives one cycle, the first ten. */
function cyclesOf(next: ReadonlyMap<string, readonly Link[]>, to: string): Link[][] {
  const cycles: Link[][] = [];
  const done = new Set<string>();
  for (const start of next.keys()) {
    if (done.has(start)) continue;
    const path: { node: string; at: number }[] = [{ node: start, at: 0 }];
    const taken: Link[] = [];
    const depth = new Map([[start, 0]]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const link = next.get(top.node)?.[top.at];
      top.at += 1;
      if (link === undefined) {
        done.add(top.node);
        depth.delete(top.node);
        path.pop();
        taken.pop();
        continue;
      }
      const node = partOf(link.ends, to);
      const open = depth.get(node);
      if (open !== undefined) {
        cycles.push([...taken.slice(open), link]);
        if (cycles.length === mostCycles) return cycles;
      } else if (!done.has(node)) {
        depth.set(node, path.length);
        path.push({ node, at: 0 });
        taken.push(link);
      }
    }
  }
  return cycles;
}
