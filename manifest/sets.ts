/** What links must agree on: single lines against each other and against exact sets, sets among themselves, and the graph of all of them. */
import { type Edge, type Position, partOf, type ResourceDefinition } from '../resources/kind';
import type { Profile } from '../resources/profile';
import type { DesiredEntry } from './desired';
import { type IssueList, place, type Spot } from './issues';
import { type Target, textOfTarget } from './names';

/** One wanted link, from a single line or as a member of an exact set. */
export interface Link {
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** Ends by field, as one text each: ids, or addresses of entries. */
  readonly ends: Readonly<Record<string, string>>;
  /** Null for a single line. */
  readonly set: LinkSet | null;
  readonly path: string;
}

/** "Exactly these": a set around one end of a link. */
export interface LinkSet extends Spot {
  readonly definition: ResourceDefinition;
  /** The end that stands fast. */
  readonly fixed: End;
  readonly memberField: string;
  /** For people: `the sources of app`. */
  readonly label: string;
  readonly file: string;
  /** The other ends, by text. */
  readonly members: ReadonlyMap<string, Position>;
}

/** What lines ask for. */
export interface Lines {
  readonly links: readonly Link[];
  readonly sets: readonly LinkSet[];
}

/** One end of a link as it was written. */
export interface End extends Target {
  readonly field: string;
  readonly at: Position;
}

/** Sets by what stands fast in them. */
type SetIndex = ReadonlyMap<string, LinkSet>;

/** Tells every contradiction, at both places, and gives the wanted links: each pair once, in the order of the files. */
export function agreedLinks(lines: Lines, profile: Profile | null, issues: IssueList): readonly Link[] {
  const sets = indexSets(lines.sets, issues);
  const single = new Map<string, Link>();
  for (const link of lines.links) {
    if (link.set !== null) continue;
    const earlier = single.get(pairKey(link));
    if (earlier === undefined) single.set(pairKey(link), link);
    else tellTwice(link, earlier, issues);
    tellBesideSet(link, sets, issues);
  }
  for (const set of sets.values()) tellDisagreement(set, sets, issues);
  const unique = new Map<string, Link>();
  for (const link of lines.links) {
    if (!unique.has(pairKey(link))) unique.set(pairKey(link), link);
  }
  const links = [...unique.values()];
  checkGraph(links, profile, issues);
  return links;
}

function pairKey({ definition, ends }: Link): string {
  return [definition.kind, ...definition.pair.map((field) => ends[field])].join(' ');
}

function setKey(kind: string, field: string, end: string): string {
  return `${kind} ${field} ${end}`;
}

function indexSets(sets: readonly LinkSet[], issues: IssueList): SetIndex {
  const index = new Map<string, LinkSet>();
  for (const set of sets) {
    const key = setKey(set.definition.kind, set.fixed.field, textOfTarget(set.fixed));
    const earlier = index.get(key);
    if (earlier === undefined) {
      index.set(key, set);
      continue;
    }
    const message = `${set.label} are listed twice (first at ${place(earlier.at)}): list the set once`;
    issues.error('same-set-twice', set, message, earlier.at);
  }
  return index;
}

function tellTwice({ entry, path }: Link, earlier: Link, issues: IssueList): void {
  const message = `${entry.address} is declared twice (first at ${place(earlier.entry.at)})`;
  issues.error('same-link-twice', { at: entry.at, path }, message, earlier.entry.at);
}

function tellBesideSet({ definition, ends, entry, path }: Link, sets: SetIndex, issues: IssueList): void {
  for (const field of definition.pair) {
    const set = sets.get(setKey(definition.kind, field, partOf(ends, field)));
    if (set === undefined) continue;
    const member = set.members.get(partOf(ends, set.memberField));
    const where = place(member ?? set.at);
    const message =
      member === undefined
        ? `${entry.address} is not among ${set.label} at ${where}, which allow nothing else: list it there, or write single lines only`
        : `${entry.address} is declared by a single line and among ${set.label} at ${where}: keep one of them`;
    issues.error('line-beside-set', { at: entry.at, path }, message, member ?? set.at);
    return;
  }
}

/** A set that lists a pair meets the set around the pair's other end, which must list it too. */
function tellDisagreement(set: LinkSet, sets: SetIndex, issues: IssueList): void {
  for (const [end, at] of set.members) {
    const other = sets.get(setKey(set.definition.kind, set.memberField, end));
    if (other === undefined || other.members.has(textOfTarget(set.fixed))) continue;
    const message = `${set.label} list ${other.fixed.shown}, but ${other.label} at ${place(other.at)} do not list ${set.fixed.shown}: both must list the pair, or neither`;
    issues.error('exact-sets-disagree', { at, path: set.path }, message, other.at);
  }
}

/** How many cycles are told; where links are dense there are thousands. */
const mostCycles = 10;

/** Warns of cycles, which are legal but rarely meant, and refuses more incoming links than the profile allows. */
function checkGraph(links: readonly Link[], profile: Profile | null, issues: IssueList): void {
  for (const [definition, own] of groupBy(links, (link) => link.definition)) {
    const { edge } = definition;
    if (edge === undefined) continue;
    tellCycles(definition, edge, own, issues);
    const limit = edge.limit === undefined || profile === null ? null : profile.limits[edge.limit];
    if (limit === null) continue;
    for (const group of groupBy(own, (link) => partOf(link.ends, edge.to)).values()) {
      const beyond = group[limit];
      if (beyond === undefined) continue;
      const message = `${shownEnd(beyond, edge.to)} has ${group.length} sources, but profile ${profile?.name} allows ${limit}: this is the first too many`;
      issues.error('too-many-sources', { at: beyond.entry.at, path: beyond.path }, message);
    }
  }
}

/** Groups in the order in which they first appear (`Map.groupBy` needs Node 21). */
function groupBy<Item, Group>(items: readonly Item[], groupOf: (item: Item) => Group): Map<Group, Item[]> {
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function shownEnd({ definition, entry }: Link, field: string): string {
  return entry.address.split('/')[definition.pair.indexOf(field) + 1] ?? entry.address;
}

function tellCycles(
  { section }: ResourceDefinition,
  { from, to }: Edge,
  links: readonly Link[],
  issues: IssueList,
): void {
  // A link to itself is an error of its own.
  const others = links.filter((link) => link.ends[from] !== link.ends[to]);
  for (const cycle of cyclesOf(
    groupBy(others, (link) => partOf(link.ends, from)),
    to,
  )) {
    const [first] = cycle;
    if (first === undefined) continue;
    const names = [...cycle, first].map((link) => shownEnd(link, from)).join(' → ');
    const message = `\`${section.name}\` form a cycle: ${names}. Runs may repeat forever`;
    const related = cycle.slice(1).map((link) => link.entry.at);
    issues.warning('trigger-cycle', { at: first.entry.at, path: first.path }, message, ...related);
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
