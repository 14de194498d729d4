/** Checks what links must agree on: single lines, exact sets, and the graph of all. */
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

/** Each pair once, in the order of the files. Reports every contradiction at both places. */
export function agreedLinks(lines: Lines, profile: Profile | null): Link[] {
  const sets = indexSets(lines.sets);
  const links = new Map<string, Link>();
  const singles = new Map<string, Spot>();
  for (const link of lines.links) {
    const { definition, entry, set, spot } = link;
    const pair = [definition.kind, ...definition.pair.map((field) => endOf(entry, field))].join(' ');
    if (!links.has(pair)) links.set(pair, link);
    if (set === null) {
      spot.reportRepeat(singles, pair, 'same-link-twice', `${entry.address} is declared twice`);
    }
    if (sets.size > 0) reportAgainstSets(link, sets);
  }
  const all = [...links.values()];
  for (const [{ edge, section }, own] of groupBy(all, (link) => link.definition)) {
    if (edge === undefined) continue;
    reportCycles(section.name, edge, own);
    reportTooMany(edge, own, profile);
  }
  return all;
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

/** A set around an end of a single line excludes the line. A set around the other end of a member must list it too. */
function reportAgainstSets({ definition, entry, set, spot }: Link, sets: Map<string, LinkSet>): void {
  for (const field of definition.pair) {
    const other = sets.get(setKey(definition, field, endOf(entry, field)));
    if (other === undefined || field === set?.fixedField) continue;
    const member = other.members.get(endOf(entry, other.memberField));
    const { at } = (member ?? other).spot;
    const there = `${other.label} at ${renderPosition(at)}`;
    if (set === null) {
      const message = member
        ? `${entry.address} is declared by a single line and among ${there}: keep one of them`
        : `${entry.address} is not among ${there}, which allow nothing else: list it there, or write single lines only`;
      spot.error('line-beside-set', message, at);
      return;
    }
    if (member !== undefined) continue;
    const message = `${set.label} list ${other.fixed.shown}, but ${there} do not list ${set.fixed.shown}: both must list the pair, or neither`;
    spot.error('exact-sets-disagree', message, at);
  }
}

function reportTooMany({ to, limit }: Edge, links: Link[], profile: Profile | null): void {
  const most = (limit && profile?.limits[limit]) ?? Infinity;
  for (const group of groupBy(links, ({ entry }) => endOf(entry, to)).values()) {
    const beyond = group[most];
    if (beyond === undefined) continue;
    const message = `${shownEnd(beyond, to)} has ${group.length} sources, but profile ${profile?.name} allows ${most}: this is the first too many`;
    beyond.spot.error('too-many-sources', message);
  }
}

const mostNamed = 6;

/** Warns of cycles, which are rarely meant, once for all links that share one. */
function reportCycles(section: string, edge: Edge, links: Link[]): void {
  const start = ({ entry }: Link) => endOf(entry, edge.from);
  const end = ({ entry }: Link) => endOf(entry, edge.to);
  const knots = knotsOf(links, start, end);
  // A link to itself is an error of its own.
  const isOnCycle = (link: Link) =>
    start(link) !== end(link) && knots.get(start(link)) === knots.get(end(link));
  for (const all of groupBy(links.filter(isOnCycle), (link) => knots.get(start(link))).values()) {
    const named = all.slice(0, mostNamed);
    const arrows = named.map((link) => `${shownEnd(link, edge.from)} → ${shownEnd(link, edge.to)}`);
    const more = all.length > named.length ? ` and ${all.length - named.length} more` : '';
    const message = `\`${section}\` ${more === '' ? 'form a cycle' : 'lie on cycles'}: ${arrows.join(', ')}${more}. Runs may repeat forever`;
    const [first, ...others] = named.map(({ spot }) => spot);
    const places = others.map(({ at }) => at);
    if (first) first.source.issues.add('warning', 'trigger-cycle', first, message, places);
  }
}
