/** Checks that single lines and exact sets do not contradict each other. */
import { groupBy } from '../resources/groups';
import { type Edge, isReference } from '../resources/kind';
import { counted } from '../resources/names';
import { maxLinks, tooManySources } from '../resources/violations';
import type { Link, LinkReader, LinkSet } from './links';
import type { Scope } from './names';
import { plainValue } from './references';

/** Returns each pair once, and reports contradictions that are certain. */
export function agreedLinks({ links, sets, scope }: LinkReader): Link[] {
  const index = groupBy(sets, ({ definition: { kind }, end, fixed }) => {
    return `${kind} ${end} ${plainValue(fixed.value)}`;
  });
  for (const [{ label, spot }, ...others] of index.values()) {
    const sentence = `${label} are listed twice: list the set once`;
    for (const other of others) other.spot.errorBeside(spot, 'same-set-twice', sentence);
  }
  const pairs = groupBy(links, (link) => {
    const { kind, pair } = link.definition;
    return [kind, ...pair.map((field) => endOf(link, field))].join(' ');
  });
  for (const same of pairs.values()) checkPair(same, index, scope);
  const agreed = [...pairs.values()].map(([first]) => first);
  for (const [{ edge, section }, own] of groupBy(agreed, (link) => link.definition)) {
    if (edge === undefined) continue;
    reportCycles(section.name, edge, own);
    reportTooMany(edge, own, scope);
  }
  return agreed;
}

function endOf({ entry }: Link, field: string): string {
  return String(plainValue(entry.inputs[field] ?? ''));
}

/** Requires that a pair stands in one line, or in every set around one of its ends. */
function checkPair(
  same: readonly [Link, ...Link[]],
  index: ReadonlyMap<string, readonly LinkSet[]>,
  scope: Scope,
): void {
  const [first] = same;
  const { kind, pair } = first.definition;
  const { address } = first.entry;
  const keys = pair.map((field) => `${kind} ${field} ${endOf(first, field)}`);
  const sets = keys.flatMap((key) => index.get(key)?.[0] ?? []);
  const single = same.find(({ set }) => set === null);
  const against = sets.find((set) => single || !same.some((link) => link.set === set));
  const there = `${against?.label} are an exact set`;
  if (single && against) {
    const message = `${address} is a single line, but ${there}: use one of them`;
    single.spot.errorBeside(against.spot, 'line-beside-set', message);
    return;
  }
  for (const [{ set, spot }, ...again] of groupBy(same, (link) => link.set).values()) {
    // A name that was looked up may turn out to be another member of its list.
    if (set !== null && scope.base.lookups !== null) continue;
    for (const link of again) link.spot.errorBeside(spot, 'same-link-twice', `${address} is declared twice`);
  }
  if (single === undefined && against && !isMixed(scope, [first, ...against.links], against.far)) {
    const message = `${first.set?.label} list ${address}, but ${there} without it`;
    first.spot.errorBeside(against.spot, 'exact-sets-disagree', message);
  }
}

/** True if some ends are names that are not looked up, because one may mean the same object as the id of another end. */
function isMixed({ names }: Scope, links: readonly Link[], field: string): boolean {
  if (names.size === 0) return false;
  const ends = links.map(({ entry }) => entry.inputs[field]);
  return new Set(ends.map((end) => isReference(end) && names.has(end.address))).size > 1;
}

function reportTooMany(edge: Edge, links: readonly Link[], scope: Scope): void {
  const { profile } = scope.base;
  const max = maxLinks(edge, profile);
  if (max === null) return;
  for (const group of groupBy(links, (link) => endOf(link, edge.to)).values()) {
    const beyond = group[max];
    if (beyond === undefined || isMixed(scope, group, edge.from)) continue;
    const message = `the target of ${beyond.entry.address} has ${tooManySources(edge, group.length, profile)}`;
    beyond.spot.error('too-many-sources', message);
  }
}

const maxShown = 6;

/** Warns once about all cycles, which are rarely intended, and shows a shortest one. */
function reportCycles(section: string, edge: Edge, links: readonly Link[]): void {
  const { from, to } = edge;
  // A link to itself is an error of its own.
  const others = links.filter((link) => endOf(link, from) !== endOf(link, to));
  // First drop the links that no cycle leads to, then those that lead to no cycle.
  const all = withoutLoose(withoutLoose(others, from, to), to, from);
  const cycle = shortestCycle(all, edge);
  const [first, ...rest] = cycle.slice(0, maxShown);
  if (first === undefined) return;
  const names = [first, ...rest].map(({ entry }) => entry.address);
  if (cycle.length > names.length) names.push(`and ${cycle.length - names.length} more`);
  const count = all.length - cycle.length;
  const more = count === 0 ? '' : `. ${counted(count, 'other trigger')} form or connect more cycles`;
  const message = `\`${section}\` form a cycle: ${names.join(', ')}. Runs may repeat forever${more}`;
  const places = rest.map(({ spot }) => spot.at);
  first.spot.source.issues.add('warning', 'trigger-cycle', first.spot, message, places);
}

/** The search for the shortest cycle ends after so many links. */
const maxSteps = 1_000_000;

/** Returns the links of a cycle in their order, or all links if the search ends before it finds one. */
function shortestCycle(links: readonly Link[], { from, to }: Edge): readonly Link[] {
  const leaving = groupBy(links, (link) => endOf(link, from));
  let shortest: readonly Link[] | null = null;
  let steps = 0;
  for (const start of leaving.keys()) {
    const arrivals = new Map<string, Link>();
    const reached = [start];
    // The loop also visits ends that are added during it.
    for (const end of reached) {
      for (const link of leaving.get(end) ?? []) {
        steps += 1;
        const next = endOf(link, to);
        if (arrivals.has(next)) continue;
        arrivals.set(next, link);
        reached.push(next);
      }
    }
    const cycle: Link[] = [];
    for (let link = arrivals.get(start); link !== undefined; ) {
      cycle.push(link);
      const end = endOf(link, from);
      link = end === start ? undefined : arrivals.get(end);
    }
    if (cycle.length > 0 && (shortest === null || cycle.length < shortest.length)) shortest = cycle.reverse();
    if (steps > maxSteps) break;
  }
  return shortest ?? links;
}

/** Repeatedly removes all links that start at an end where no other link ends. */
function withoutLoose(links: readonly Link[], from: string, to: string): readonly Link[] {
  const remaining = new Set(links);
  const leaving = groupBy(links, (link) => endOf(link, from));
  const arriving = groupBy(links, (link) => endOf(link, to));
  const loose = [...leaving.keys()].filter((end) => !arriving.has(end));
  // The loop also visits ends that are added during it.
  for (const start of loose) {
    for (const link of leaving.get(start) ?? []) {
      remaining.delete(link);
      const end = endOf(link, to);
      arriving.get(end)?.pop();
      if (arriving.get(end)?.length === 0) loose.push(end);
    }
  }
  return [...remaining];
}
