/** Reads the declared links: single ones, and exact sets around one end. */
import type { ResourceDefinition } from '../resources/kind';
import { toAddress } from '../resources/names';
import { findDefinition, registry, setFields } from '../resources/registry';
import { type DesiredEntry, nameInAddress } from './desired';
import { entryOf } from './entries';
import type { EntryNode, Scope } from './names';
import type { Node } from './node';
import { readReference, type Target } from './references';

export interface Link {
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** It is null for a single line. */
  readonly set: LinkSet | null;
  readonly spot: Node;
}

export interface LinkSet {
  readonly definition: ResourceDefinition;
  readonly fixed: Target;
  readonly end: string;
  readonly far: string;
  /** A name for messages, such as `the sources of app`. */
  readonly label: string;
  readonly spot: Node;
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
  #addOwnedSets({ definition: own, address, node }: EntryNode): void {
    for (const { owner, field, kind, end, far } of setFields) {
      const name = own.fields[field]?.manifestName ?? field;
      const list = node.get(name);
      if (own.kind !== owner || list === undefined) continue;
      const fixed = { value: { address }, shown: nameInAddress(address), spot: node.key };
      const label = `the ${name} of ${fixed.shown}`;
      const definition = findDefinition(kind);
      this.#addSet({ definition, fixed, end, far, label, spot: list.key, links: [] }, list);
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
    // There is one other end, unless that is wrong.
    for (const [end, fixed] of targets) {
      const label = `the ${many.plural} of ${fixed.shown}`;
      this.#addSet({ definition, fixed, end, far: many.field, label, spot: line, links: [] }, list);
    }
  }

  #readEnd({ fields }: ResourceDefinition, field: string, node: Node): Target | undefined {
    return readReference(this.scope, fields[field]?.refersTo ?? '', node);
  }

  /** Wrong members were reported, and are left out. */
  #addSet(set: LinkSet, { items = [] }: Node): void {
    const { definition, fixed, end, far } = set;
    this.sets.push(set);
    for (const item of items) {
      const member = this.#readEnd(definition, far, item);
      const targets = new Map([[end, fixed]]);
      if (member) this.#addLink(definition, targets.set(far, member), set, member.spot);
    }
  }

  /** Adds a link, unless one of its ends is wrong and was reported. */
  #addLink(
    definition: ResourceDefinition,
    targets: ReadonlyMap<string, Target>,
    set: LinkSet | null,
    spot: Node,
  ): void {
    const shown = definition.pair.flatMap((field) => targets.get(field)?.shown ?? []);
    if (shown.length < definition.pair.length) return;
    const address = toAddress(definition, shown.join('/'));
    const entry = entryOf(this.scope, definition, address, spot, targets);
    const link = { definition, entry, set, spot };
    this.links.push(link);
    set?.links.push(link);
  }
}
