/** Reads the declared links: single lines, and exact sets of links that have one end in common. */
import type { ResourceDefinition } from '../resources/kind';
import { toAddress } from '../resources/names';
import { findDefinition, registry, setFields } from '../resources/registry';
import { type DesiredEntry, nameInAddress } from './desired';
import { makeEntry } from './entries';
import type { EntryNode, Scope } from './names';
import type { Node } from './node';
import { readReference, type Target } from './references';

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
  readonly links: Link[];
}

/** Reads the links and sets of a folder. */
export class LinkReader {
  readonly links: Link[] = [];
  readonly sets: LinkSet[] = [];

  constructor(readonly scope: Scope) {
    for (const entry of scope.entries.values()) this.#addOwnedSets(entry);
    for (const root of scope.base.roots) {
      for (const definition of registry) {
        const lines = root.get(definition.section.name)?.items ?? [];
        for (const line of lines) this.#addLine(definition, line);
      }
    }
  }

  /** Reads the lists of links inside an entry, such as `projects`. */
  #addOwnedSets({ definition: { kind: owner, fields }, address, node }: EntryNode): void {
    for (const set of setFields.filter((field) => field.owner === owner)) {
      const name = fields[set.field]?.manifestName ?? set.field;
      const list = node.get(name);
      if (list === undefined) continue;
      const fixed = { value: { address }, addressPart: nameInAddress(address), node: node.key };
      const label = `the ${name} of ${fixed.addressPart}`;
      const ends = { fixed, fixedField: set.end, memberField: set.far };
      this.#addSet({ definition: findDefinition(set.kind), ...ends, label, node: list.key }, list);
    }
  }

  #addLine(definition: ResourceDefinition, line: Node): void {
    const { ends } = definition.section;
    const many = ends.find(({ plural = '' }) => line.get(plural));
    const list = line.get(many?.plural ?? '');
    // The schema reported a line that lacks an end.
    if (!ends.every(({ singular }) => line.get(singular) ?? list)) return;
    const targets = new Map<string, Target>();
    for (const { field, singular } of ends.filter((end) => end !== many)) {
      const node = line.get(singular);
      const target = node && this.#readEnd(definition, field, node);
      if (target) targets.set(field, target);
    }
    if (many === undefined || list === undefined) {
      this.#addLink(definition, targets, null, line);
      return;
    }
    // The other end of the pair is missing here if it was wrong, which was reported.
    for (const [fixedField, fixed] of targets) {
      const label = `the ${many.plural} of ${fixed.addressPart}`;
      this.#addSet({ definition, fixed, fixedField, memberField: many.field, label, node: line }, list);
    }
  }

  #readEnd({ fields }: ResourceDefinition, field: string, node: Node): Target | undefined {
    return readReference(this.scope, fields[field]?.refersTo ?? '', node);
  }

  /** Wrong members of the list were reported, and are left out. */
  #addSet(shared: Omit<LinkSet, 'links'>, { items = [] }: Node): void {
    const { definition, fixed, fixedField, memberField } = shared;
    const set: LinkSet = { ...shared, links: [] };
    this.sets.push(set);
    for (const item of items) {
      const member = this.#readEnd(definition, memberField, item);
      const targets = new Map([[fixedField, fixed]]);
      if (member) this.#addLink(definition, targets.set(memberField, member), set, item);
    }
  }

  /** Adds a link, unless one of its ends is wrong and was reported. */
  #addLink(
    definition: ResourceDefinition,
    targets: ReadonlyMap<string, Target>,
    set: LinkSet | null,
    node: Node,
  ): void {
    const parts = definition.pair.flatMap((field) => targets.get(field)?.addressPart ?? []);
    if (parts.length < definition.pair.length) return;
    const address = toAddress(definition, parts.join('/'));
    const entry = makeEntry(this.scope, definition, address, node, targets);
    const link = { definition, entry, set, node };
    this.links.push(link);
    set?.links.push(link);
  }
}
