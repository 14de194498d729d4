/** Checks that single lines and exact sets do not contradict each other. */
import { groupBy } from '../resources/groups';
import { type Edge, isReference, type ResourceDefinition } from '../resources/kind';
import { counted } from '../resources/names';
import { maxLinks, tooManySources } from '../resources/violations';
import { findCycles } from './cycles';
import type { DesiredEntry } from './desired';
import type { Node } from './node';
import { plainValue, type Scope, type Target } from './scope';

export interface Link {
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** It is null for a single line. */
  readonly set: LinkSet | null;
  readonly node: Node;
}

export interface LinkSet {
  readonly definition: ResourceDefinition;
  /** The end that all its links have in common, and its field. */
  readonly fixed: Target;
  readonly fixedField: string;
  /** The field of the other end, of which the manifest lists the members. */
  readonly memberField: string;
  /** A name for messages, such as `the sources of app`. */
  readonly label: string;
  readonly node: Node;
  readonly links: readonly Link[];
}

/** The links of single lines and of sets. A pair may have several. */
export interface DeclaredLinks {
  readonly links: readonly Link[];
  readonly sets: readonly LinkSet[];
}

/** Returns each pair once, and reports contradictions that are certain. */
export function agreedLinks({ links, sets }: DeclaredLinks, scope: Scope): readonly Link[] {
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
  // Beside a single line, no set around an end is allowed. Without one, each of them must list the pair.
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

/** True if some ends are ids, and others names without an id. Such a name may mean the same object as one of the ids. */
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
  const arrows = links.map((link) => ({ link, from: readEnd(link, edge.from), to: readEnd(link, edge.to) }));
  // A link to itself is an error of its own.
  const { shortest, cyclic } = findCycles(arrows.filter(({ from, to }) => from !== to));
  const [first, ...more] = shortest.slice(0, maxShown).map(({ link }) => link);
  if (first === undefined) return;
  const names = [first, ...more].map(({ entry }) => entry.address);
  if (shortest.length > maxShown) names.push(`and ${shortest.length - maxShown} more`);
  const count = cyclic.length - shortest.length;
  const others = count === 0 ? '' : `. ${counted(count, 'other trigger')} form or connect more cycles`;
  const message = `\`${section}\` form a cycle: ${names.join(', ')}. Runs may repeat forever${others}`;
  const places = more.map(({ node }) => node.at);
  first.node.source.issues.add('warning', 'trigger-cycle', first.node, message, places);
}
