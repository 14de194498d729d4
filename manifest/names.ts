/** What names mean in a folder: aliases, addresses and the ids that entries claim. */
import {
  externalKind,
  externalKinds,
  type Position,
  type Reference,
  type ResourceDefinition,
} from '../resources/kind';
import { addressOf, isId, kindOfId, nameProblem, suggestion, withArticle } from '../resources/names';
import type { Profile } from '../resources/profile';
import type { Registry } from '../resources/registry';
import type { AliasSection, Header } from './header';
import { type IssueList, place, type Spot } from './issues';
import { type Node, readText } from './yaml';

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
  readonly aliases: Readonly<Record<AliasSection, ReadonlyMap<string, string>>>;
  /** `workspaces app`: aliases that were told to be wrong where they stand. */
  readonly wrongAliases: ReadonlySet<string>;
  /** Id → its alias, for showing. */
  readonly aliasOf: ReadonlyMap<string, string>;
  /** Addresses of all entries with an id of their own. */
  readonly addresses: ReadonlyMap<string, Position>;
  /** Id → address of the entry that says `id:`. */
  readonly adopted: ReadonlyMap<string, string>;
}

/** What a text refers to. */
export interface Target {
  readonly value: string | Reference;
  /** The part it has in an address: an alias where one exists, else an id; the key of an entry. */
  readonly shown: string;
}

/** The names of all headers; what means two things is told. */
export function buildScope(
  headers: readonly Header[],
  base: Pick<Scope, 'issues' | 'kinds' | 'root' | 'organization' | 'profile'>,
): Scope {
  const { issues } = base;
  const aliases = { workspaces: new Map(), projects: new Map(), agentPools: new Map() } satisfies Record<
    AliasSection,
    Map<string, string>
  >;
  const aliasPlaces = new Map<string, Position>();
  const wrongAliases = new Set<string>();
  const aliasOf = new Map<string, string>();
  for (const { section, name, id, at } of headers.flatMap((one) => one.aliases)) {
    const key = `${section} ${name}`;
    const earlier = aliases[section].get(name);
    const first = aliasPlaces.get(key);
    if (id === null) wrongAliases.add(key);
    else if (first === undefined) {
      aliases[section].set(name, id);
      aliasPlaces.set(key, at);
      const other = aliasOf.get(id);
      if (other === undefined || name < other) aliasOf.set(id, name);
    } else if (earlier !== id) {
      const message = `\`${name}\` is ${id} here, but ${earlier} at ${place(first)}: aliases must be unique`;
      issues.error('alias-clash', { at, path: `aliases.${section}.${name}` }, message, first);
    }
  }
  const addresses = new Map<string, Position>();
  const adopted = new Map<string, string>();
  for (const { definition, name, node } of headers.flatMap((one) => one.entries)) {
    const address = addressOf(definition, name);
    const earlier = addresses.get(address);
    if (earlier === undefined) addresses.set(address, node.key.at);
    else {
      const message = `${address} is declared twice (first at ${place(earlier)})`;
      issues.error('same-address-twice', node.key, message, earlier);
    }
    const id = node.members?.get('id')?.value;
    if (typeof id === 'string' && !adopted.has(id)) adopted.set(id, address);
  }
  return { ...base, aliases, wrongAliases, aliasOf, addresses, adopted };
}

/** Resolves an alias, an id or an address to what it stands for; undefined and an error, told once, when it stands for nothing. */
export function resolveName(scope: Scope, refersTo: string, text: string, spot: Spot): Target | undefined {
  const external = externalKind(refersTo);
  if (external === undefined) return resolveAddress(scope, refersTo, text, spot);
  if (isId(text, external.prefix)) return { value: text, shown: scope.aliasOf.get(text) ?? text };
  const known = scope.aliases[external.aliases];
  const id = known.get(text);
  if (id !== undefined) return { value: id, shown: scope.aliasOf.get(id) ?? text };
  if (scope.wrongAliases.has(`${external.aliases} ${text}`)) return undefined;
  const wanted = `${withArticle(external.noun)} (\`${external.prefix}-…\`, or an alias)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const other = Object.values(externalKinds).find((one) => scope.aliases[one.aliases].has(text));
  const hint =
    known.size === 0
      ? '. Add it, or pass the file that declares it'
      : suggestion(text, known.keys(), 'the aliases');
  const message =
    other === undefined
      ? `alias \`${text}\` is not declared under \`aliases.${external.aliases}\`${hint}`
      : `\`${text}\` is an alias of ${withArticle(other.noun)}; ${wanted} belongs here`;
  scope.issues.error('unknown-alias', spot, message);
  return undefined;
}

function resolveAddress(scope: Scope, kind: string, text: string, spot: Spot): Target | undefined {
  const definition = scope.kinds.find((one) => one.kind === kind);
  if (definition === undefined) return { value: text, shown: text };
  const prefix = definition.idPrefix ?? '';
  const start = addressOf(definition, '');
  const address = scope.adopted.get(text) ?? (text.includes('/') ? text : start + text);
  if (scope.addresses.has(address)) return { value: { address }, shown: address.slice(start.length) };
  if (prefix !== '' && isId(text, prefix)) return { value: text, shown: text };
  if (isOtherId(scope, text, spot, `an address (\`${start}NAME\`) or an id (\`${prefix}-…\`)`))
    return undefined;
  const names = [...scope.addresses.keys()].flatMap((one) =>
    one.startsWith(start) ? [one.slice(start.length)] : [],
  );
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

/** An address as `moved`, `forget` and `approved` write it. */
export interface ReadAddress extends Spot {
  readonly definition: ResourceDefinition;
  /** Links by alias where one exists. */
  readonly address: string;
}

/** The kind that an address begins with; undefined when it is none. */
export function kindInAddress(text: string, kinds: Registry): ResourceDefinition | undefined {
  const [kind] = text.split('/');
  return kinds.find((one) => one.kind === kind);
}

/** Reads an address; undefined after an error. The object itself need not be in a manifest. */
export function readAddress(scope: Scope, node: Node | undefined): ReadAddress | undefined {
  const text = readText(scope.issues, node)?.value;
  if (text === undefined || node === undefined) return undefined;
  const wrong = (message: string) => {
    scope.issues.error('bad-address', node, `\`${text}\` is not a valid address: ${message}`);
    return undefined;
  };
  const [kind = '', ...parts] = text.split('/');
  const definition = kindInAddress(text, scope.kinds);
  if (definition === undefined) {
    const kinds = scope.kinds.map((one) => one.kind);
    return wrong(`there is no kind \`${kind}\`${suggestion(kind, kinds, 'the kinds')}`);
  }
  const { form, ends } = definition.section;
  const shape = form === 'links' ? ends.map((end) => `<${end.singular}>`) : ['<name>'];
  if (parts.length !== shape.length || parts.includes('')) {
    return wrong(`write ${[kind, ...shape].join('/')}`);
  }
  const spot = { at: node.at, path: node.path };
  if (form === 'links') {
    const shown = ends.map((end, index) => {
      const refersTo = definition.fields[end.field]?.refersTo ?? '';
      return readEnd(scope, refersTo, parts[index] ?? '', spot);
    });
    if (shown.includes(undefined)) return undefined;
    return { definition, address: addressOf(definition, shown.join('/')), ...spot };
  }
  const problem = nameProblem(parts[0] ?? '', scope.kinds);
  return problem === undefined ? { definition, address: text, ...spot } : wrong(`\`${parts[0]}\` ${problem}`);
}

/** One part of the address of a link, by alias where one exists. What belongs to an entry need not be declared any more. */
function readEnd(scope: Scope, refersTo: string, part: string, spot: Spot): string | undefined {
  const kind = scope.kinds.find((one) => one.kind === refersTo);
  if (kind === undefined) return resolveName(scope, refersTo, part, spot)?.shown;
  const owner = scope.adopted.get(part);
  if (owner !== undefined) return owner.slice(addressOf(kind, '').length);
  const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, scope.kinds);
  if (problem === undefined) return part;
  scope.issues.error('bad-address', spot, `\`${part}\` ${problem}`);
  return undefined;
}
