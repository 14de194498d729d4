/** What links must agree on: single lines and exact sets, and the graph of all. */

import { groupBy } from '../resources/groups';
import type { Edge, ResourceDefinition } from '../resources/kind';
import type { Profile } from '../resources/profile';
import type { DesiredEntry } from './desired';
import { endOf, knotsOf, shownEnd } from './graph';
import { renderPosition } from './issues';
import type { Spot } from './node';
import { type Target, textOfTarget } from './references';

export interface Link {
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** Null for a single line. */
  readonly set: LinkSet | null;
  readonly spot: Spot;
}

/** "Exactly these", around one end. */
export interface LinkSet {
  readonly definition: ResourceDefinition;
  readonly fixed: Target;
  readonly fixedField: string;
  readonly memberField: string;
  readonly members: ReadonlyMap<string, Target>;
  /** `the sources of app`. */
  readonly label: string;
  readonly spot: Spot;
}

/** Grows while lines are read. */
export interface Lines {
  readonly links: Link[];
  readonly sets: LinkSet[];
}

/** Each pair once, in the order of the files; reports every contradiction at both places. */
export function agreedLinks(lines: Lines, profile: Profile | null): Link[] {
  const sets = indexSets(lines.sets);
  const unique = new Map<string, Link>();
  /** The first lines of pairs that a set listed before. */
  const single = new Map<string, Link>();
  for (const link of lines.links) {
    const { definition, entry, set, spot } = link;
    let pair = definition.kind;
    for (const field of definition.pair) pair += ` ${endOf(entry, field)}`;
    const first = unique.get(pair);
    if (first === undefined) unique.set(pair, link);
    if (first !== undefined && set === null) {
      const earlier = first.set === null ? first : single.get(pair);
      if (earlier === undefined) single.set(pair, link);
      else spot.errorAfter(earlier.spot.at, 'same-link-twice', `${entry.address} is declared twice`);
    }
    if (sets.size > 0) reportAgainstSets(link, sets);
  }
  const links = [...unique.values()];
  for (const [{ edge, section }, own] of groupBy(links, (link) => link.definition)) {
    if (edge === undefined) continue;
    reportCycles(section.name, edge, own);
    reportTooMany(edge, own, profile);
  }
  return links;
}

function setKey({ kind }: ResourceDefinition, field: string, end: string): string {
  return `${kind} ${field} ${end}`;
}

function indexSets(sets: LinkSet[]) {
  const index = new Map<string, LinkSet>();
  const firsts = new Map<string, Spot>();
  for (const set of sets) {
    const key = setKey(set.definition, set.fixedField, textOfTarget(set.fixed));
    const sentence = `${set.label} are listed twice: list the set once`;
    if (set.spot.reportRepeat(firsts, key, 'same-set-twice', sentence)) index.set(key, set);
  }
  return index;
}

/** No set is around an end of a single line; the set around the other end of a member lists it too. */
function reportAgainstSets({ definition, entry, set, spot }: Link, sets: Map<string, LinkSet>): void {
  for (const field of definition.pair) {
    const other = sets.get(setKey(definition, field, endOf(entry, field)));
    if (other === undefined || field === set?.fixedField) continue;
    const member = other.members.get(endOf(entry, other.memberField));
    const { at } = (member ?? other).spot;
    if (set === null) {
      const message = member
        ? `${entry.address} is declared by a single line and among ${other.label} at ${renderPosition(at)}: keep one of them`
        : `${entry.address} is not among ${other.label} at ${renderPosition(at)}, which allow nothing else: list it there, or write single lines only`;
      spot.error('line-beside-set', message, at);
      return;
    }
    if (member !== undefined) continue;
    const message = `${set.label} list ${other.fixed.shown}, but ${other.label} at ${renderPosition(at)} do not list ${set.fixed.shown}: both must list the pair, or neither`;
    spot.error('exact-sets-disagree', message, at);
  }
}

function reportTooMany({ to, limit }: Edge, links: Link[], profile: Profile | null): void {
  const most = limit && profile?.limits[limit];
  if (most == null) return;
  for (const group of groupBy(links, ({ entry }) => endOf(entry, to)).values()) {
    const beyond = group[most];
    if (beyond === undefined) continue;
    const message = `${shownEnd(beyond, to)} has ${group.length} sources, but profile ${profile?.name} allows ${most}: this is the first too many`;
    beyond.spot.error('too-many-sources', message);
  }
}

const mostNamed = 6;

/** Warns of links on cycles, which are rarely meant: of those that share their ends at once. */
function reportCycles(section: string, edge: Edge, links: Link[]): void {
  const start = ({ entry }: Link) => endOf(entry, edge.from);
  const end = ({ entry }: Link) => endOf(entry, edge.to);
  // A link to itself is an error of its own.
  const others = links.filter((link) => start(link) !== end(link));
  const knots = knotsOf(others, start, end);
  const inKnots = others.filter((link) => knots.get(start(link)) === knots.get(end(link)));
  for (const [first, ...rest] of groupBy(inKnots, (link) => knots.get(start(link))).values()) {
    if (!first) continue;
    const named = [first, ...rest.slice(0, mostNamed - 1)];
    const arrows = named.map((link) => `${shownEnd(link, edge.from)} → ${shownEnd(link, edge.to)}`);
    const more = rest.length < mostNamed ? '' : ` and ${rest.length + 1 - mostNamed} more`;
    const message = `\`${section}\` ${more === '' ? 'form a cycle' : 'lie on cycles'}: ${arrows.join(', ')}${more}. Runs may repeat forever`;
    first.spot.warning('trigger-cycle', message, ...named.slice(1).map((link) => link.spot.at));
  }
}
