/** What names mean in a folder: aliases, addresses and the ids that entries claim. */
import type { Position, Reference, Registry, ResourceDefinition } from '../resources/kind';
import {
  addressOf,
  type ExternalKind,
  externalKind,
  externalKinds,
  isId,
  kindOfId,
  suggestion,
  withArticle,
} from '../resources/names';
import type { Profile } from '../resources/profile';
import { type Manifests, nameInAddress } from './desired';
import { type IssueList, place, type Spot } from './issues';
import type { Node } from './yaml';

export interface AliasLine {
  /** The member of `aliases` it stands in. */
  readonly section: ExternalKind['aliases'];
  readonly name: string;
  /** Null for one that was told to be wrong, which is not told again where it is used. */
  readonly id: string | null;
  readonly at: Position;
}

/** An entry of a map section, not yet read. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
}

/** What holds for all manifests of a folder while their entries and lines are read. */
export interface Scope {
  readonly issues: IssueList;
  readonly kinds: Registry;
  /** Absolute. */
  readonly root: string;
  /** Empty while no file says which. */
  readonly organization: string;
  /** Null when it cannot be read, which is an error of its own. */
  readonly profile: Profile | null;
  /** Alias → id. */
  readonly aliases: Manifests['aliases'];
  /** `workspaces app`: aliases that were told to be wrong where they stand. */
  readonly wrongAliases: ReadonlySet<string>;
  /** Id → its alias, for showing. */
  readonly aliasOf: ReadonlyMap<string, string>;
  /** Addresses of all entries with an id of their own. */
  readonly addresses: ReadonlyMap<string, Position>;
  /** Id → the entry that says `id:`, and where. */
  readonly adopted: ReadonlyMap<string, { readonly address: string; readonly at: Position }>;
}

/** What a text refers to. */
export interface Target {
  readonly value: string | Reference;
  /** The part it has in an address: an alias where one exists, else an id; the key of an entry. */
  readonly shown: string;
}

/** The names of all files; what means two things is told. */
export function buildScope(
  headers: readonly { readonly aliases: readonly AliasLine[]; readonly entries: readonly EntryNode[] }[],
  base: Pick<Scope, 'issues' | 'kinds' | 'root' | 'organization' | 'profile'>,
): Scope {
  const { issues } = base;
  const aliases = {
    workspaces: {} as Record<string, string>,
    projects: {} as Record<string, string>,
    agentPools: {} as Record<string, string>,
  };
  const aliasPlaces = new Map<string, Position>();
  const wrongAliases = new Set<string>();
  const aliasOf = new Map<string, string>();
  for (const { section, name, id, at } of headers.flatMap((one) => one.aliases)) {
    const key = `${section} ${name}`;
    const first = aliasPlaces.get(key);
    if (id === null) wrongAliases.add(key);
    else if (first === undefined) {
      aliases[section][name] = id;
      aliasPlaces.set(key, at);
      const other = aliasOf.get(id);
      if (other === undefined || name < other) aliasOf.set(id, name);
    } else if (aliases[section][name] !== id) {
      const message = `\`${name}\` is ${id} here, but ${aliases[section][name]} at ${place(first)}: aliases must be unique`;
      issues.error('alias-clash', { at, path: `aliases.${section}.${name}` }, message, first);
    }
  }
  const addresses = new Map<string, Position>();
  const adopted = new Map<string, { address: string; at: Position }>();
  for (const { address, node } of headers.flatMap((one) => one.entries)) {
    const earlier = addresses.get(address);
    if (earlier === undefined) addresses.set(address, node.key.at);
    else {
      const message = `${address} is declared twice (first at ${place(earlier)})`;
      issues.error('same-address-twice', node.key, message, earlier);
    }
    const id = node.members?.get('id');
    if (typeof id?.value !== 'string') continue;
    const owner = adopted.get(id.value);
    if (owner === undefined) adopted.set(id.value, { address, at: id.at });
    else if (owner.address !== address) {
      const message = `${address} and ${owner.address} (at ${place(owner.at)}) both adopt ${id.value}: an object has one address`;
      issues.error('same-id-twice', id, message, owner.at);
    }
  }
  return { ...base, aliases, wrongAliases, aliasOf, addresses, adopted };
}

/** Resolves an alias, an id or an address to what it stands for; undefined and an error, told once, when it stands for nothing. */
export function resolveName(scope: Scope, refersTo: string, text: string, spot: Spot): Target | undefined {
  const external = externalKind(refersTo);
  if (external === undefined) return resolveAddress(scope, refersTo, text, spot);
  const { aliases: section, prefix, noun } = external;
  const known = scope.aliases[section];
  const id = isId(text, prefix) ? text : Object.hasOwn(known, text) ? known[text] : undefined;
  if (id !== undefined) return { value: id, shown: scope.aliasOf.get(id) ?? text };
  if (scope.wrongAliases.has(`${section} ${text}`)) return undefined;
  const wanted = `${withArticle(noun)} (\`${prefix}-…\`, or an alias)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const other = Object.values(externalKinds).find((one) => Object.hasOwn(scope.aliases[one.aliases], text));
  const names = Object.keys(known);
  const hint =
    names.length === 0
      ? '. Add it, or pass the file that declares it'
      : suggestion(text, names, 'the aliases');
  const message =
    other === undefined
      ? `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`
      : `\`${text}\` is an alias of ${withArticle(other.noun)}; ${wanted} belongs here`;
  scope.issues.error('unknown-alias', spot, message);
  return undefined;
}

function resolveAddress(scope: Scope, kind: string, text: string, spot: Spot): Target | undefined {
  const definition = scope.kinds.find((one) => one.kind === kind);
  if (definition === undefined) return { value: text, shown: text };
  const prefix = definition.idPrefix ?? '';
  const start = addressOf(definition, '');
  const address = scope.adopted.get(text)?.address ?? (text.includes('/') ? text : start + text);
  if (scope.addresses.has(address)) return { value: { address }, shown: nameInAddress(address) };
  if (prefix !== '' && isId(text, prefix)) return { value: text, shown: text };
  const wanted = `an address (\`${start}NAME\`) or an id (\`${prefix}-…\`)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const names = [...scope.addresses.keys()].filter((one) => one.startsWith(start)).map(nameInAddress);
  const name = text.slice(text.lastIndexOf('/') + 1);
  const near = suggestion(name, names, `${definition.section.name} of these manifests`);
  scope.issues.error('dangling-address', spot, `no manifest declares \`${text}\`${near}`);
  return undefined;
}

function isOtherId({ kinds, issues }: Scope, text: string, spot: Spot, wanted: string): boolean {
  const looks = kindOfId(text, kinds);
  if (looks === undefined) return false;
  issues.error('wrong-id-kind', spot, `\`${text}\` is the id of ${looks}; ${wanted} belongs here`);
  return true;
}

/** A target as one text, for keys: an id, or the address of an entry. */
export function textOfTarget({ value }: Target): string {
  return typeof value === 'string' ? value : value.address;
}
