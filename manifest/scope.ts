/** The second pass collects aliases, addresses and adopted ids. The third asks it what a reference means. */
import {
  type FieldValue,
  isReference,
  type Position,
  type Reference,
  type ResourceDefinition,
} from '../resources/kind';
import {
  externalKinds,
  isId,
  type NameLookup,
  nameProblem,
  suggestion,
  toAddress,
  visible,
} from '../resources/names';
import { findDefinition, registry } from '../resources/registry';
import { characterViolation, idViolation } from '../resources/violations';
import { type Manifests, nameInAddress } from './desired';
import type { Node } from './node';

/** An entry whose fields are not read yet. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
}

/** The object that a reference means. */
export interface Target {
  /** Its id. An entry has an address, and an unknown name the key of its name. */
  readonly value: string | Reference;
  /** Its alias or name in an address, else its id. */
  readonly addressPart: string;
  readonly node: Node;
}

/** Returns the address of an entry or a name in place of a reference. */
export function plainValue(value: FieldValue | Reference): FieldValue {
  return isReference(value) ? value.address : value;
}

interface ScopeBase extends Pick<Manifests, 'folder' | 'organization' | 'profile' | 'lookups'> {
  readonly roots: readonly Node[];
}

/** The names of a folder. It reports each name that means two objects, or none. */
export class Scope {
  /** The first entry of each address. */
  readonly entries = new Map<string, EntryNode>();
  /** The entries with an `id:` line. The keys are those ids. */
  readonly adopted = new Map<string, { readonly address: string; readonly at: Position }>();
  /** The first alias of each name. The keys are kinds such as `workspace`. */
  readonly #aliases = new Map(Object.keys(externalKinds).map((kind) => [kind, new Map<string, Node>()]));
  readonly #nameReferences = new Map<string, NameLookup & { readonly at: Position }>();
  readonly #namesById = new Map<string, { readonly id: string; readonly name: string }>();

  constructor(readonly base: ScopeBase) {
    for (const root of base.roots) {
      for (const [kind, aliases] of this.#aliases) {
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
    // Addresses show the name also where a line has the id, if the list of names was read.
    for (const [reference, { id }] of base.lookups?.names ?? []) {
      const name = nameInAddress(reference);
      const isNew = id !== undefined && !this.#namesById.has(id);
      if (isNew && !name.includes('/')) this.#namesById.set(id, { id, name });
    }
  }

  /** The names in place of ids that references had until now. The keys look like `workspace/app`. */
  get nameReferences(): Manifests['nameReferences'] {
    return this.#nameReferences;
  }

  /** The alias or name of each id that aliases and references had until now. */
  get namesById(): Manifests['namesById'] {
    return this.#namesById;
  }

  #addAlias(kind: string, aliases: Map<string, Node>, node: Node): void {
    const name = String(node.name);
    const first = aliases.get(name);
    if (first === undefined) aliases.set(name, node);
    const id = node.id(kind);
    if (!checkName(name, node) || id === undefined) return;
    if (first !== undefined && first.value !== id) {
      const message = `\`${name}\` is ${id} here, but ${first.value} elsewhere: aliases must be unique`;
      node.key.errorBeside(first.key, 'alias-clash', message);
    }
    const earlier = this.#namesById.get(id);
    if (earlier === undefined || name <= earlier.name) this.#namesById.set(id, { id, name });
  }

  #addEntry(definition: ResourceDefinition, node: Node): void {
    const name = String(node.name);
    const address = toAddress(definition, name);
    checkName(name, node);
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

  /** Returns undefined after an error. */
  readReference(refersTo: string, node: Node): Target | undefined {
    const text = node.text();
    return text === undefined ? undefined : this.resolve(refersTo, text, node);
  }

  /** Returns undefined after an error. */
  resolve(refersTo: string, text: string, node: Node): Target | undefined {
    const violation = idViolation(refersTo, text);
    if (violation?.rule === 'wrong-id-kind') return node.reportViolation(violation, text);
    const aliases = this.#aliases.get(refersTo);
    // Only kinds that Tether does not manage have aliases.
    if (aliases === undefined) return this.#resolveAddress(refersTo, text, node);
    const alias = aliases.get(text);
    const id = violation === undefined ? text : alias?.value;
    if (typeof id === 'string') return this.#toTarget(id, text, node);
    // The alias itself was reported.
    if (alias !== undefined) return undefined;
    if (this.base.profile.capabilities.lookupByName) return this.#resolveName(refersTo, text, node);
    const near = suggestion(text, aliases.keys(), 'the aliases');
    const hint = aliases.size === 0 ? '. Add it, or set a profile that can look up names' : near;
    const section = externalKinds[refersTo]?.aliases;
    const message = `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`;
    return node.error('unknown-alias', message);
  }

  /** `text` is the reference as the manifest writes it. It becomes the name of an id that has none. */
  #toTarget(id: string, text: string, node: Node): Target {
    let namedId = this.#namesById.get(id);
    if (namedId === undefined) {
      // An address has no name with a slash.
      namedId = { id, name: text.includes('/') ? id : text };
      this.#namesById.set(id, namedId);
    }
    // A hundred thousand links share these strings.
    return { value: namedId.id, addressPart: namedId.name, node };
  }

  #resolveName(kind: string, name: string, node: Node): Target | undefined {
    if (name === '') {
      return node.error('empty-value', `\`${node.path}\` is empty: give a name or an id`);
    }
    if (name.trim() !== name) {
      const message = `the name ${visible(name)} begins or ends with a blank: remove it, or write the id`;
      return node.error('blank-end', message);
    }
    const address = `${kind}/${name}`;
    const lookup = this.base.lookups?.names.get(address) ?? { why: 'it was not looked up' };
    if (!this.#nameReferences.has(address)) this.#nameReferences.set(address, { at: node.at, ...lookup });
    if (lookup.id !== undefined) return this.#toTarget(lookup.id, name, node);
    return { value: { address }, addressPart: name, node };
  }

  #resolveAddress(kind: string, text: string, node: Node): Target | undefined {
    const { section, idPrefix = '' } = findDefinition(kind);
    const start = toAddress({ kind }, '');
    const full = text.includes('/') ? text : start + text;
    const address = this.adopted.get(text)?.address ?? full;
    if (this.entries.has(address)) return { value: { address }, addressPart: nameInAddress(address), node };
    if (isId(text, idPrefix)) return { value: text, addressPart: text, node };
    const addresses = [...this.entries.keys()].filter((entry) => entry.startsWith(start));
    const noun = `${section.name} of these manifests`;
    const near = suggestion(nameInAddress(text), addresses.map(nameInAddress), noun);
    return node.error('dangling-address', `no manifest declares \`${text}\`${near}`);
  }
}

/** Reports a text that cannot be a name. Returns true for one that can, which frames may show. */
function checkName(name: string, { key }: Node): boolean {
  const problem = nameProblem(name);
  const violation = characterViolation(name);
  if (problem === undefined) key.source.issues.publicWords.add(name);
  else if (violation) key.reportViolation(violation, name);
  else key.error('bad-name', `\`${name}\` ${problem}`);
  return problem === undefined;
}
