/** What links of one organization must agree on: single lines against each other and against exact sets, and sets among themselves. */
import { partOf } from '../resources/kind';
import { type Findings, place } from './findings';
import type { Lines, Link, LinkSet } from './links';

/** Tells every contradiction, at both places. */
export function checkLinks(lines: Lines, findings: Findings): void {
  const sets = indexSets(lines.sets, findings);
  const single = new Map<string, Link>();
  for (const link of lines.links) {
    if (link.set !== null) continue;
    const earlier = single.get(pairKey(link));
    if (earlier === undefined) single.set(pairKey(link), link);
    else tellTwice(link, earlier, findings);
    tellBesideSet(link, sets, findings);
  }
  for (const set of sets.values()) tellDisagreement(set, sets, findings);
}

/** The wanted links, each pair once, in the order of the files. */
export function uniqueLinks(lines: Lines): Link[] {
  const links = new Map<string, Link>();
  for (const link of lines.links) {
    if (!links.has(pairKey(link))) links.set(pairKey(link), link);
  }
  return [...links.values()];
}

function pairKey(link: Link): string {
  return [link.definition.kind, ...link.definition.pair.map((field) => link.ends[field])].join(' ');
}

function setKey(kind: string, field: string, end: string): string {
  return `${kind} ${field} ${end}`;
}

function fixedEnd(set: LinkSet): string {
  return typeof set.fixed.value === 'string' ? set.fixed.value : set.fixed.value.address;
}

function indexSets(sets: readonly LinkSet[], findings: Findings): ReadonlyMap<string, LinkSet> {
  const index = new Map<string, LinkSet>();
  for (const set of sets) {
    const key = setKey(set.definition.kind, set.fixedField, fixedEnd(set));
    const earlier = index.get(key);
    if (earlier === undefined) {
      index.set(key, set);
      continue;
    }
    const message = `${set.label} are listed a second time, first at ${place(earlier.at)}: an exact set stands in one list`;
    findings.error('same-set-twice', set, message, earlier.at);
  }
  return index;
}

function tellTwice(link: Link, earlier: Link, findings: Findings): void {
  const { address, at } = link.entry;
  const message = `${address} stands here a second time, first at ${place(earlier.entry.at)}: keep one of them`;
  findings.error('same-link-twice', { at, path: link.path }, message, earlier.entry.at);
}

function tellBesideSet(link: Link, sets: ReadonlyMap<string, LinkSet>, findings: Findings): void {
  const { kind, pair } = link.definition;
  for (const field of pair) {
    const end = partOf(link.ends, field);
    const set = sets.get(setKey(kind, field, end));
    if (set === undefined) continue;
    const member = set.members.get(partOf(link.ends, set.memberField));
    const where = place(member ?? set.at);
    const message =
      member === undefined
        ? `${link.entry.address} is not among ${set.label} at ${where}, which allow nothing else: put it in there, or write single lines only`
        : `${link.entry.address} stands in a single line and among ${set.label} at ${where}: keep one of them`;
    findings.error('line-beside-set', { at: link.entry.at, path: link.path }, message, member ?? set.at);
    return;
  }
}

/** A set that lists a pair meets the set around the pair's other end, which must list it too. */
function tellDisagreement(set: LinkSet, sets: ReadonlyMap<string, LinkSet>, findings: Findings): void {
  for (const [end, at] of set.members) {
    const other = sets.get(setKey(set.definition.kind, set.memberField, end));
    if (other === undefined || other.members.has(fixedEnd(set))) continue;
    const message =
      `${set.label} list ${other.fixed.shown}, but ${other.label} at ${place(other.at)} do not list ${set.fixed.shown}: ` +
      'both must list the pair, or neither';
    findings.error('exact-sets-disagree', { at, path: set.path }, message, other.at);
  }
}
