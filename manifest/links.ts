/** Reads the declared links: single ones, and exact sets around one end. */
import type { ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { definitionOf, setFields } from '../resources/registry';
import { type DesiredEntry, nameInAddress } from './desired';
import { entryOf, type Fields, readFields, readSet } from './entries';
import type { Scope } from './names';
import type { Node } from './node';
import type { Target } from './references';

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
}

/** Collects the links and sets of a folder. */
export class LinkReader {
  readonly links: Link[] = [];
  readonly sets: LinkSet[] = [];

  constructor(readonly scope: Scope) {}

  addLine(definition: ResourceDefinition, line: Node): void {
    const { ends } = definition.section;
    const fields = readFields(this.scope, definition, line);
    const listed = ends.find(({ plural = '' }) => line.get(plural));
    const { field: far = '', plural = '' } = listed ?? {};
    const list = line.get(plural);
    const end = ends.find((one) => one !== listed)?.field ?? '';
    const fixed = fields.targets.get(end);
    if (list === undefined) this.#addLink(definition, fields, null, line);
    else if (fixed !== undefined) {
      const label = `the ${plural} of ${fixed.shown}`;
      const set = { definition, fixed, end, far, label, spot: line };
      this.#addSet(set, list, fields);
    }
  }

  /** Reads the lists of links inside entries, such as `projects`. */
  addOwnedSets(): void {
    const { entries } = this.scope;
    for (const { owner, field, kind, end, far } of setFields) {
      const definition = definitionOf(kind);
      for (const { definition: own, address, node } of entries.values()) {
        const name = own.fields[field]?.manifestName ?? field;
        const list = node.get(name);
        if (own.kind !== owner || list === undefined) continue;
        const fixed = { value: { address }, shown: nameInAddress(address), spot: node.key };
        const label = `the ${name} of ${fixed.shown}`;
        const set = { definition, fixed, end, far, label, spot: list.key };
        this.#addSet(set, list, { inputs: {}, secrets: {}, spots: new Map(), targets: new Map() });
      }
    }
  }

  #addSet(set: LinkSet, list: Node, { inputs, secrets, spots }: Fields): void {
    const { definition, fixed, end, far } = set;
    const field = definition.fields[far];
    this.sets.push(set);
    for (const member of field ? readSet(this.scope, field, list) : []) {
      const ends = { [end]: fixed.value, [far]: member.value };
      const all = { ...inputs, ...ends };
      const places = new Map(spots).set(far, member.spot);
      const targets = new Map([[end, fixed]]).set(far, member);
      const fields = { inputs: all, secrets, spots: places, targets };
      this.#addLink(definition, fields, set, member.spot);
    }
  }

  /** Adds a link, unless one of its ends is wrong and was reported. */
  #addLink(definition: ResourceDefinition, fields: Fields, set: LinkSet | null, spot: Node): void {
    const shown = definition.pair.flatMap((field) => fields.targets.get(field)?.shown ?? []);
    if (shown.length < definition.pair.length) return;
    const address = addressOf(definition, shown.join('/'));
    const entry = entryOf(this.scope, definition, address, spot, fields);
    this.links.push({ definition, entry, set, spot });
  }
}
