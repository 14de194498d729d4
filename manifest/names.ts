/** Collects what is named in a folder: aliases, addresses, and the ids that entries claim. */
import type { Position, Registry, ResourceDefinition } from '../resources/kind';
import { addressOf, type ExternalKind, externalKinds, nameProblem } from '../resources/names';
import type { Profile } from '../resources/profile';
import { characterViolation } from '../resources/violations';
import type { Lookups, Manifests } from './desired';
import { renderPosition } from './issues';
import type { Node, Spot } from './node';

/** An entry that is not read yet. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
  /** False for the second of two entries with one address. */
  readonly isFirst: boolean;
}

interface Alias {
  /** Undefined where the id is wrong, which was reported. */
  readonly id: string | undefined;
  readonly at: Position;
}

interface Written {
  readonly id: string;
  readonly as: string;
  readonly at: Position;
}

/** What the header of a folder says, and what its names meant to the service. */
export interface ScopeBase {
  readonly kinds: Registry;
  /** The documents of all files, in their order. */
  readonly roots: readonly Node[];
  /** The folder, as an absolute path. */
  readonly root: string;
  /** Empty while no file says which. */
  readonly organization: string;
  /** Null when it cannot be read, which was reported. */
  readonly profile: Profile | null;
  /** Null before a run has looked names up. */
  readonly lookups: Lookups | null;
}

/** What holds for all manifests of a folder. */
export interface Scope extends ScopeBase {
  readonly entries: readonly EntryNode[];
  readonly aliases: Readonly<Record<ExternalKind['aliases'], ReadonlyMap<string, Alias>>>;
  /** Where the first entry of each address stands. */
  readonly addresses: ReadonlyMap<string, Spot>;
  /** The entry that says `id:`, by that id. */
  readonly adopted: ReadonlyMap<string, { readonly address: string; readonly at: Position }>;
  /** `names` and `written` grow while references are read. */
  readonly names: Map<string, { readonly at: Position; readonly why?: string }>;
  readonly written: Map<string, Written>;
}

/** Reports every name that means two things. */
export function buildScope(base: ScopeBase): Scope {
  const written = new Map<string, Written>();
  const aliases = readAliases(base, written);
  return { ...base, ...readAddresses(base), aliases, names: new Map(), written };
}

function readAliases({ kinds, roots, lookups }: ScopeBase, written: Map<string, Written>): Scope['aliases'] {
  const none = () => new Map<string, Alias>();
  const aliases = { workspaces: none(), projects: none(), agentPools: none() };
  const add = (kind: string, { aliases: section, noun }: ExternalKind, name: string, node: Node) => {
    const said = node.id(kind, kinds);
    const id = isName(name, node, kinds) ? said : undefined;
    const { at } = node.key;
    const first = aliases[section].get(name);
    if (first?.id !== undefined) {
      if (id === undefined || id === first.id) return;
      const message = `\`${name}\` is ${id} here, but ${first.id} at ${renderPosition(first.at)}: aliases must be unique`;
      node.key.error('alias-clash', message, first.at);
      return;
    }
    aliases[section].set(name, { id, at });
    if (id === undefined) return;
    const { as = name } = written.get(id) ?? {};
    if (name <= as) written.set(id, { id, as: name, at });
    const lookup = lookups?.get(`${kind}/${name}`);
    if (lookup === undefined || !('id' in lookup) || lookup.id === id) return;
    const message = `alias \`${name}\` is ${id} here, but ${lookup.id} is the ${noun} with this name: choose another alias, or name ${lookup.id} here`;
    node.key.error('alias-of-another', message);
  };
  for (const root of roots) {
    for (const [kind, external] of Object.entries(externalKinds)) {
      const members = root.get('aliases')?.get(external.aliases)?.members ?? [];
      for (const [name, node] of members) add(kind, external, name, node);
    }
  }
  return aliases;
}

/** The ids of all aliases that have one. */
export function aliasIds({ aliases: { workspaces, projects, agentPools } }: Scope): Manifests['aliases'] {
  const ids = (section: ReadonlyMap<string, Alias>) =>
    Object.fromEntries([...section].map(([name, { id = '' }]) => [name, id]));
  return { workspaces: ids(workspaces), projects: ids(projects), agentPools: ids(agentPools) };
}

function readAddresses({ kinds, roots }: ScopeBase) {
  const entries: EntryNode[] = [];
  const addresses = new Map<string, Spot>();
  const adopted = new Map<string, { address: string; at: Position }>();
  const add = (definition: ResourceDefinition, name: string, node: Node) => {
    const address = addressOf(definition, name);
    isName(name, node, kinds);
    const sentence = `${address} is declared twice`;
    const isFirst = node.key.reportRepeat(addresses, address, 'same-address-twice', sentence);
    entries.push({ definition, address, node, isFirst });
    const id = node.get('id');
    if (typeof id?.value !== 'string') return;
    const owner = adopted.get(id.value);
    if (owner === undefined) adopted.set(id.value, { address, at: id.at });
    else if (owner.address !== address) {
      const message = `${address} and ${owner.address} (at ${renderPosition(owner.at)}) both adopt ${id.value}: an object has one address`;
      id.error('same-id-twice', message, owner.at);
    }
  };
  for (const root of roots) {
    for (const definition of kinds) {
      const { name: section, form } = definition.section;
      const members = form === 'map' ? root.get(section)?.members : undefined;
      for (const [name, node] of members ?? []) add(definition, name, node);
    }
  }
  return { entries, addresses, adopted };
}

/** Whether a key can name an alias or an entry; if not, it is reported. */
function isName(name: string, { key }: Node, kinds: Registry): boolean {
  const problem = nameProblem(name, kinds);
  if (problem === undefined) return true;
  const violation = characterViolation(name);
  if (violation) key.reportViolation(violation, name);
  else key.error('bad-name', `\`${name}\` ${problem}`);
  return false;
}
