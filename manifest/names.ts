/** What names mean in a folder: aliases, addresses and the ids that entries claim. */
import {
  definitionOf,
  type Position,
  type Reference,
  type Registry,
  type ResourceDefinition,
} from '../resources/kind';
import {
  addressOf,
  type ExternalKind,
  externalKinds,
  isId,
  kindOfId,
  nameProblem,
  suggestion,
  withArticle,
} from '../resources/names';
import type { Profile } from '../resources/profile';
import { characterViolation } from '../resources/violations';
import { nameInAddress } from './desired';
import { renderPosition } from './issues';
import type { Node, Spot } from './node';

/** An entry that is not read yet. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
}

interface Alias {
  /** Undefined where it is wrong, which was reported. */
  id: string | undefined;
  at: Position;
}

/** What holds for all manifests of a folder. */
export interface Scope {
  readonly kinds: Registry;
  /** Of all files, in their order. */
  readonly roots: readonly Node[];
  readonly entries: readonly EntryNode[];
  /** Absolute. */
  readonly root: string;
  /** Empty while no file says which. */
  readonly organization: string;
  /** Null when it cannot be read, which was reported. */
  readonly profile: Profile | null;
  readonly aliases: Readonly<Record<ExternalKind['aliases'], ReadonlyMap<string, Alias>>>;
  /** By id, for showing. */
  readonly aliasOf: ReadonlyMap<string, string>;
  /** Of entries, where the first of each stands. */
  readonly addresses: ReadonlyMap<string, Position>;
  /** By id: the entry that says `id:`, and where. */
  readonly adopted: ReadonlyMap<string, { address: string; at: Position }>;
}

/** What a string refers to. */
export interface Target {
  readonly value: string | Reference;
  /** Its part of an address: an alias, else an id; the key of an entry. */
  readonly shown: string;
  readonly spot: Spot;
}

/** The names of all files; what means two things is reported. */
export function buildScope(
  base: Pick<Scope, 'kinds' | 'roots' | 'root' | 'organization' | 'profile'>,
): Scope {
  const { kinds, roots } = base;
  const aliases = {
    workspaces: new Map<string, Alias>(),
    projects: new Map<string, Alias>(),
    agentPools: new Map<string, Alias>(),
  };
  const aliasOf = new Map<string, string>();
  const entries: EntryNode[] = [];
  const addresses = new Map<string, Position>();
  const adopted = new Map<string, { address: string; at: Position }>();
  for (const root of roots) {
    for (const [kind, { aliases: section }] of Object.entries(externalKinds)) {
      for (const [name, node] of root.get('aliases')?.get(section)?.members ?? []) {
        const written = node.id(kind, kinds);
        const id = isName(name, node, kinds) ? written : undefined;
        const first = aliases[section].get(name);
        if (first?.id === undefined) {
          aliases[section].set(name, { id, at: node.key.at });
          const other = id && aliasOf.get(id);
          if (id !== undefined && (other === undefined || name < other)) aliasOf.set(id, name);
        } else if (id !== undefined && id !== first.id) {
          const message = `\`${name}\` is ${id} here, but ${first.id} at ${renderPosition(first.at)}: aliases must be unique`;
          node.key.error('alias-clash', message, first.at);
        }
      }
    }
    for (const definition of kinds) {
      const { name: section, form } = definition.section;
      const named = form === 'map' ? root.get(section)?.members : undefined;
      for (const [name, node] of named ?? []) {
        const address = addressOf(definition, name);
        entries.push({ definition, address, node });
        isName(name, node, kinds);
        node.key.reportRepeat(addresses, address, 'same-address-twice', `${address} is declared twice`);
        const id = node.get('id');
        if (typeof id?.value !== 'string') continue;
        const owner = adopted.get(id.value);
        if (owner === undefined) adopted.set(id.value, { address, at: id.at });
        else if (owner.address !== address) {
          const message = `${address} and ${owner.address} (at ${renderPosition(owner.at)}) both adopt ${id.value}: an object has one address`;
          id.error('same-id-twice', message, owner.at);
        }
      }
    }
  }
  return { ...base, entries, aliases, aliasOf, addresses, adopted };
}

/** Whether its key can name an alias or an entry; else reports why. */
function isName(name: string, { key }: Node, kinds: Registry): boolean {
  const problem = nameProblem(name, kinds);
  if (problem === undefined) return true;
  const violation = characterViolation(name);
  if (violation) key.reportViolation(violation, name);
  else key.error('bad-name', `\`${name}\` ${problem}`);
  return false;
}

/** Those that were not refused, to suggest. */
function soundNames({ kinds }: Scope, names: Iterable<string>): string[] {
  return [...names].filter((name) => nameProblem(name, kinds) === undefined);
}

/** What an alias, an id or an address stands for; undefined after an error. */
export function resolveName(scope: Scope, refersTo: string, text: string, spot: Spot): Target | undefined {
  const external = externalKinds[refersTo];
  if (external === undefined) return resolveAddress(scope, refersTo, text, spot);
  const { aliases: section, prefix, noun } = external;
  const known = scope.aliases[section];
  const alias = known.get(text);
  const id = isId(text, prefix) ? text : alias?.id;
  if (id !== undefined) return { value: id, shown: scope.aliasOf.get(id) ?? text, spot };
  if (alias !== undefined) return undefined;
  const wanted = `${withArticle(noun)} (\`${prefix}-…\`, or an alias)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const other = Object.values(externalKinds).find((one) => scope.aliases[one.aliases].get(text)?.id);
  const hint =
    known.size === 0
      ? '. Add it, or pass the file that declares it'
      : suggestion(text, soundNames(scope, known.keys()), 'the aliases');
  return spot.error(
    'unknown-alias',
    other === undefined
      ? `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`
      : `\`${text}\` is an alias of ${withArticle(other.noun)}; ${wanted} belongs here`,
  );
}

function resolveAddress(scope: Scope, kind: string, text: string, spot: Spot): Target | undefined {
  const { section, idPrefix = '' } = definitionOf(kind, scope.kinds);
  const start = addressOf({ kind }, '');
  const address = scope.adopted.get(text)?.address ?? (text.includes('/') ? text : start + text);
  if (scope.addresses.has(address)) return { value: { address }, shown: nameInAddress(address), spot };
  if (isId(text, idPrefix)) return { value: text, shown: text, spot };
  const wanted = `an address (\`${start}NAME\`) or an id (\`${idPrefix}-…\`)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const names = [...scope.addresses.keys()].filter((one) => one.startsWith(start)).map(nameInAddress);
  const near = suggestion(
    nameInAddress(text),
    soundNames(scope, names),
    `${section.name} of these manifests`,
  );
  return spot.error('dangling-address', `no manifest declares \`${text}\`${near}`);
}

function isOtherId({ kinds }: Scope, text: string, spot: Spot, wanted: string): boolean {
  const looks = kindOfId(text, kinds);
  if (looks) spot.error('wrong-id-kind', `\`${text}\` is the id of ${looks}; ${wanted} belongs here`);
  return looks !== undefined;
}

/** An id, or the address of an entry. */
export function textOfTarget({ value }: Target): string {
  return typeof value === 'string' ? value : value.address;
}
