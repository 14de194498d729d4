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
  const index = groupBy(sets, ({ definition: { kind }, fixedField, fixed }) => {
    return `${kind} ${fixedField} ${plainValue(fixed.value)}`;
  });
  for (const [first, ...repeats] of index.values()) {
    const sentence = `${first.label} are listed twice: list the set once`;
    for (const set of repeats) set.node.errorBeside(first.node, 'same-set-twice', sentence);
  }
  const pairs = groupBy(links, (link) => {
    const { kind, pair } = link.definition;
    return [kind, ...pair.map((field) => readEnd(link, field))].join(' ');
  });
  for (const linksOfPair of pairs.values()) checkPair(linksOfPair, index, scope);
  const agreed = [...pairs.values()].map(([first]) => first);
  for (const [{ edge, section }, linksOfKind] of groupBy(agreed, (link) => link.definition)) {
    if (edge === undefined) continue;
    reportCycles(section.name, edge, linksOfKind);
    reportTooMany(edge, linksOfKind, scope);
  }
  return agreed;
}

function readEnd({ entry }: Link, field: string): string {
  return String(plainValue(entry.inputs[field] ?? ''));
}

/** Requires that a pair stands in one line, or in every set around one of its ends. */
function checkPair(
  linksOfPair: readonly [Link, ...Link[]],
  index: ReadonlyMap<string, readonly LinkSet[]>,
  scope: Scope,
): void {
  const [first] = linksOfPair;
  const { kind, pair } = first.definition;
  const { address } = first.entry;
  const keys = pair.map((field) => `${kind} ${field} ${readEnd(first, field)}`);
  const sets = keys.flatMap((key) => index.get(key)?.[0] ?? []);
  const singleLine = linksOfPair.find(({ set }) => set === null);
  const opposed = sets.find((set) => singleLine || !linksOfPair.some((link) => link.set === set));
  const statement = `${opposed?.label} are an exact set`;
  if (singleLine && opposed) {
    const message = `${address} is a single line, but ${statement}: use one of them`;
    singleLine.node.errorBeside(opposed.node, 'line-beside-set', message);
    return;
  }
  for (const [{ set, node }, ...repeats] of groupBy(linksOfPair, (link) => link.set).values()) {
    // After a lookup, a name and an id in one list may mean the same object.
    if (set !== null && scope.base.lookups !== null) continue;
    for (const link of repeats)
      link.node.errorBeside(node, 'same-link-twice', `${address} is declared twice`);
  }
  if (opposed === undefined || isMixed(scope, [first, ...opposed.links], opposed.memberField)) return;
  const message = `${first.set?.label} list ${address}, but ${statement} without it`;
  first.node.errorBeside(opposed.node, 'exact-sets-disagree', message);
}

/** True if only some ends are names that were looked up. A name may mean the same object as the id of another end. */
function isMixed({ nameReferences }: Scope, links: readonly Link[], field: string): boolean {
  if (nameReferences.size === 0) return false;
  const ends = links.map(({ entry }) => entry.inputs[field]);
  return new Set(ends.map((end) => isReference(end) && nameReferences.has(end.address))).size > 1;
}

function reportTooMany(edge: Edge, links: readonly Link[], scope: Scope): void {
  const { profile } = scope.base;
  const max = maxLinks(edge, profile);
  if (max === null) return;
  for (const group of groupBy(links, (link) => readEnd(link, edge.to)).values()) {
    const beyond = group[max];
    if (beyond === undefined || isMixed(scope, group, edge.from)) continue;
    const message = `the target of ${beyond.entry.address} has ${tooManySources(edge, group.length, profile)}`;
    beyond.node.error('too-many-sources', message);
  }
}

const maxShown = 6;

/** Warns once about all cycles, which are rarely intended, and shows a shortest one. */
function reportCycles(section: string, edge: Edge, links: readonly Link[]): void {
  const { from, to } = edge;
  // A link to itself is an error of its own.
  const others = links.filter((link) => readEnd(link, from) !== readEnd(link, to));
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
  const places = rest.map(({ node }) => node.at);
  first.node.source.issues.add('warning', 'trigger-cycle', first.node, message, places);
}

/** The search for the shortest cycle ends after so many links. */
const maxSteps = 1_000_000;

/** Returns the links of a cycle in their order, or all links if the search ends before it finds one. */
function shortestCycle(links: readonly Link[], { from, to }: Edge): readonly Link[] {
  const leaving = groupBy(links, (link) => readEnd(link, from));
  let shortest: readonly Link[] | null = null;
  let steps = 0;
  for (const start of leaving.keys()) {
    const arrivals = new Map<string, Link>();
    const reached = [start];
    // The loop also visits ends that are added during it.
    for (const end of reached) {
      for (const link of leaving.get(end) ?? []) {
        steps += 1;
        const next = readEnd(link, to);
        if (arrivals.has(next)) continue;
        arrivals.set(next, link);
        reached.push(next);
      }
    }
    const cycle: Link[] = [];
    for (let link = arrivals.get(start); link !== undefined; ) {
      cycle.push(link);
      const end = readEnd(link, from);
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
  const leaving = groupBy(links, (link) => readEnd(link, from));
  const arriving = groupBy(links, (link) => readEnd(link, to));
  const loose = [...leaving.keys()].filter((end) => !arriving.has(end));
  // The loop also visits ends that are added during it.
  for (const start of loose) {
    for (const link of leaving.get(start) ?? []) {
      remaining.delete(link);
      const end = readEnd(link, to);
      arriving.get(end)?.pop();
      if (arriving.get(end)?.length === 0) loose.push(end);
    }
  }
  return [...remaining];
}
