/** Reads the declared links: single lines, and exact sets of links that have one end in common. */
import type { ResourceDefinition } from '../resources/kind';
import { toAddress } from '../resources/names';
import { findDefinition, registry, setFields } from '../resources/registry';
import { nameInAddress } from './desired';
import { makeEntry } from './entries';
import type { Node } from './node';
import type { EntryNode, Scope, Target } from './scope';
import type { DeclaredLinks, Link, LinkSet } from './sets';

export function readLinks(scope: Scope): DeclaredLinks {
  const owned = [...scope.entries.values()].flatMap((entry) => readOwnedSets(scope, entry));
  const lines = scope.base.roots.flatMap((root) =>
    registry.flatMap((definition) => {
      const items = root.get(definition.section.name)?.items ?? [];
      return items.flatMap((line) => readLine(scope, definition, line));
    }),
  );
  const declarations = [...owned, ...lines];
  return {
    links: declarations.flatMap((declaration) => ('links' in declaration ? declaration.links : declaration)),
    sets: declarations.flatMap((declaration) => ('links' in declaration ? declaration : [])),
  };
}

/** Reads the lists of links inside an entry, such as `projects`. */
function readOwnedSets(
  scope: Scope,
  { definition: { kind: owner, fields }, address, node }: EntryNode,
): readonly LinkSet[] {
  return setFields.flatMap((set) => {
    const name = fields[set.field]?.manifestName ?? set.field;
    const list = set.owner === owner ? node.get(name) : undefined;
    if (list === undefined) return [];
    const fixed = { value: { address }, addressPart: nameInAddress(address), node: node.key };
    const label = `the ${name} of ${fixed.addressPart}`;
    const ends = { fixed, fixedField: set.end, memberField: set.far };
    return readSet(scope, { definition: findDefinition(set.kind), ...ends, label, node: list.key }, list);
  });
}

function readLine(scope: Scope, definition: ResourceDefinition, line: Node): readonly (Link | LinkSet)[] {
  const { ends } = definition.section;
  const listedEnd = ends.find(({ plural = '' }) => line.get(plural));
  const list = line.get(listedEnd?.plural ?? '');
  // The schema reported a line that lacks an end.
  if (!ends.every(({ singular }) => line.get(singular) ?? list)) return [];
  const targets = new Map<string, Target>();
  for (const { field, singular } of ends.filter((end) => end !== listedEnd)) {
    const node = line.get(singular);
    const target = node && readEnd(scope, definition, field, node);
    if (target) targets.set(field, target);
  }
  if (listedEnd === undefined || list === undefined) {
    return makeLink(scope, definition, targets, null, line);
  }
  // The fixed end is missing here if it was wrong, which was reported.
  return [...targets].map(([fixedField, fixed]) => {
    const label = `the ${listedEnd.plural} of ${fixed.addressPart}`;
    const ends = { fixed, fixedField, memberField: listedEnd.field };
    return readSet(scope, { definition, ...ends, label, node: line }, list);
  });
}

function readEnd(scope: Scope, { fields }: ResourceDefinition, field: string, node: Node) {
  return scope.readReference(fields[field]?.refersTo ?? '', node);
}

/** Wrong members of the list were reported, and are left out. */
function readSet(scope: Scope, head: Omit<LinkSet, 'links'>, { items = [] }: Node): LinkSet {
  const { definition, fixed, fixedField, memberField } = head;
  const links: Link[] = [];
  const set = { ...head, links };
  for (const item of items) {
    const member = readEnd(scope, definition, memberField, item);
    if (member === undefined) continue;
    const targets = new Map([
      [fixedField, fixed],
      [memberField, member],
    ] as const);
    links.push(...makeLink(scope, definition, targets, set, item));
  }
  return set;
}

/** Makes no link if one of its ends is wrong, which was reported. */
function makeLink(
  scope: Scope,
  definition: ResourceDefinition,
  targets: ReadonlyMap<string, Target>,
  set: LinkSet | null,
  node: Node,
): readonly Link[] {
  const parts = definition.pair.flatMap((field) => targets.get(field)?.addressPart ?? []);
  if (parts.length < definition.pair.length) return [];
  const address = toAddress(definition, parts.join('/'));
  return [{ definition, entry: makeEntry(scope, definition, address, node, targets), set, node }];
}
