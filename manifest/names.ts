/** The second pass collects aliases, addresses and adopted ids. */

import type { Position, ResourceDefinition } from '../resources/kind';
import { externalKinds, nameProblem, toAddress } from '../resources/names';
import { registry } from '../resources/registry';
import { characterViolation } from '../resources/violations';
import { type Manifests, type NameLookup, nameInAddress } from './desired';
import type { Node } from './node';

/** An entry whose fields are not read yet. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
}

export interface ScopeBase extends Pick<Manifests, 'folder' | 'organization' | 'profile' | 'lookups'> {
  readonly roots: readonly Node[];
}

/** The names of a folder. It reports each name that means two objects. */
export class Scope {
  /** The first entry of each address. */
  readonly entries = new Map<string, EntryNode>();
  /** The entries with an `id:` line. The keys are those ids. */
  readonly adopted = new Map<string, { readonly address: string; readonly at: Position }>();
  /** The first alias of each name. The keys are kinds such as `workspace`. */
  readonly aliases = new Map(Object.keys(externalKinds).map((kind) => [kind, new Map<string, Node>()]));
  /** `readReference` adds each name that stands in place of an id. */
  readonly nameReferences = new Map<string, NameLookup & { readonly at: Position }>();
  /** The alias or name of each id. `readReference` adds the ids that have no alias. */
  readonly namesById = new Map<string, { readonly id: string; readonly name: string }>();

  constructor(readonly base: ScopeBase) {
    for (const root of base.roots) {
      for (const [kind, aliases] of this.aliases) {
        const section = externalKinds[kind]?.aliases ?? '';
        const members = root.get('aliases')?.get(section)?.members ?? [];
        for (const node of members) this.#addAlias(kind, aliases, node);
      }
      for (const definition of registry) {
        const { name: section, form } = definition.section;
        const members = form === 'map' ? root.get(section)?.members : undefined;
        for (const node of members ?? []) this.#addEntry(definition, node);
      }
    }
    // An address also has the name of an object whose line says the id.
    for (const [reference, { id }] of base.lookups?.names ?? []) {
      const name = nameInAddress(reference);
      const isNew = id !== undefined && !this.namesById.has(id);
      if (isNew && !name.includes('/')) this.namesById.set(id, { id, name });
    }
  }

  #addAlias(kind: string, aliases: Map<string, Node>, node: Node): void {
    const name = String(node.name);
    const first = aliases.get(name);
    if (first === undefined) aliases.set(name, node);
    const id = node.id(kind);
    if (!this.#isName(name, node) || id === undefined) return;
    if (first !== undefined && first.value !== id) {
      const message = `\`${name}\` is ${id} here, but ${first.value} elsewhere: aliases must be unique`;
      node.key.errorBeside(first.key, 'alias-clash', message);
    }
    const earlier = this.namesById.get(id);
    if (earlier === undefined || name <= earlier.name) this.namesById.set(id, { id, name });
  }

  #addEntry(definition: ResourceDefinition, node: Node): void {
    const name = String(node.name);
    const address = toAddress(definition, name);
    this.#isName(name, node);
    const first = this.entries.get(address);
    if (first !== undefined) {
      node.key.errorBeside(first.node.key, 'same-address-twice', `${address} is declared twice`);
      return;
    }
    this.entries.set(address, { definition, address, node });
    const id = node.get('id');
    if (typeof id?.value !== 'string') return;
    const earlier = this.adopted.get(id.value);
    if (earlier === undefined) this.adopted.set(id.value, { address, at: id.at });
    else {
      const both = `${address} and ${earlier.address} both adopt ${id.value}`;
      id.errorBeside(earlier, 'same-id-twice', `${both}: an object has one address`);
    }
  }

  #isName(name: string, { key }: Node): boolean {
    const problem = nameProblem(name);
    const violation = characterViolation(name);
    if (problem === undefined) key.source.issues.publicWords.add(name);
    else if (violation) key.reportViolation(violation, name);
    else key.error('bad-name', `\`${name}\` ${problem}`);
    return problem === undefined;
  }
}
