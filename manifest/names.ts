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
  nameOrId,
  nameProblem,
  slips,
  suggestion,
  withArticle,
} from '../resources/names';
import type { Profile } from '../resources/profile';
import { characterViolation } from '../resources/violations';
import { type Lookup, nameInAddress } from './desired';
import { renderPosition } from './issues';
import type { Node, Spot } from './node';

/** An entry that is not read yet. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
  /** Of an address that is declared twice the first one counts. */
  readonly isFirst: boolean;
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
  /** Of entries, where the first of each stands. */
  readonly addresses: ReadonlyMap<string, Spot>;
  /** By id: the entry that says `id:`, and where. */
  readonly adopted: ReadonlyMap<string, { address: string; at: Position }>;
  /** Null before a run has looked names up. */
  readonly lookups: ReadonlyMap<string, Lookup> | null;
  /** Grow while references are read. */
  readonly named: Map<string, Lookup & { readonly at: Position }>;
  readonly written: Map<
    string,
    { readonly id: string; readonly alias?: string; readonly as: string; readonly at: Position }
  >;
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
  base: Pick<Scope, 'kinds' | 'roots' | 'root' | 'organization' | 'profile' | 'lookups'>,
): Scope {
  const { kinds, roots, lookups } = base;
  const none = () => new Map<string, Alias>();
  const aliases = { workspaces: none(), projects: none(), agentPools: none() };
  const written: Scope['written'] = new Map();
  const entries: EntryNode[] = [];
  const addresses = new Map<string, Spot>();
  const adopted = new Map<string, { address: string; at: Position }>();
  for (const root of roots) {
    for (const [kind, { aliases: section, noun }] of Object.entries(externalKinds)) {
      for (const [name, node] of root.get('aliases')?.get(section)?.members ?? []) {
        const said = node.id(kind, kinds);
        const id = isName(name, node, kinds) ? said : undefined;
        const first = aliases[section].get(name);
        if (first?.id === undefined) {
          aliases[section].set(name, { id, at: node.key.at });
          const { alias: known = name } = written.get(id ?? '') ?? {};
          if (id !== undefined && name <= known) {
            written.set(id, { id, alias: name, as: `alias \`${name}\``, at: node.key.at });
          }
          const other = lookups?.get(`${kind}/${name}`)?.id ?? id;
          if (id !== other) {
            const message = `alias \`${name}\` is ${id} here, but ${other} is the ${noun} with this name: choose another alias, or name ${other} here`;
            node.key.error('alias-of-another', message);
          }
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
        isName(name, node, kinds);
        const sentence = `${address} is declared twice`;
        const isFirst = node.key.reportRepeat(addresses, address, 'same-address-twice', sentence);
        entries.push({ definition, address, node, isFirst });
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
  return { ...base, entries, aliases, addresses, adopted, named: new Map(), written };
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

/** What an alias, an id or an address stands for; undefined after an error. `inAddress`: where no `{ name: … }` can stand. */
export function resolveName(
  scope: Scope,
  refersTo: string,
  text: string,
  spot: Spot,
  inAddress = false,
): Target | undefined {
  const external = externalKinds[refersTo];
  if (external === undefined) return resolveAddress(scope, refersTo, text, spot);
  const { aliases: section, prefix, noun } = external;
  const known = scope.aliases[section];
  const alias = known.get(text);
  const id = isId(text, prefix) ? text : alias?.id;
  const canLookUp = scope.profile?.capabilities.lookupByName;
  if (id !== undefined) {
    const address = `${refersTo}/${text}`;
    // Remembered with the names: it may become one.
    const isNew = canLookUp && alias !== undefined && !scope.named.has(address);
    if (isNew) scope.named.set(address, { id, why: '', others: [], at: spot.at });
    return targetOfId(scope, id, text, spot);
  }
  if (alias !== undefined) return undefined;
  const wanted = `${withArticle(noun)} (\`${prefix}-…\`, or an alias)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  if (canLookUp) {
    const near = [...known.keys()].find((one) => slips(text, one) <= 1);
    if (near === undefined) return resolveExactName(scope, refersTo, text, spot);
    const exact = inAddress ? `its id (\`${prefix}-…\`) in its place` : `\`{ name: ${text} }\``;
    const message = `\`${text}\` is not declared, and nearly alias \`${near}\`: did you mean \`${near}\`? If ${withArticle(noun)} has this name, write ${exact}`;
    return spot.error('near-alias', message);
  }
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

/** `{ id: ws-1 }` or `{ name: app }`. Undefined after an error; an unknown key was told. */
export function readExact(scope: Scope, refersTo: string, node: Node): Target | undefined {
  const [[form, content] = [], ...more] = node.members ?? [];
  if (content === undefined || more.length > 0) {
    const message = `\`${node.path}\` takes one of \`{ id: … }\` and \`{ name: … }\``;
    return node.error('exact-name', message);
  }
  const text = form === 'id' ? content.id(refersTo, scope.kinds) : content.text();
  if (text === undefined) return undefined;
  if (form === 'id') return targetOfId(scope, text, text, content);
  return form === 'name' ? resolveExactName(scope, refersTo, text, content) : undefined;
}

/** `text`: its name, or the id itself. */
function targetOfId({ written }: Scope, id: string, text: string, spot: Spot): Target {
  let first = written.get(id);
  if (first === undefined) {
    first = { id, as: `\`${text}\``, at: spot.at };
    written.set(id, first);
  }
  // One string for all that mean it: there may be many.
  const shown = first.alias ?? (text === id ? first.id : nameOrId(text, id));
  return { value: first.id, shown, spot };
}

/** What has this name there, whatever aliases there are: a reference to nothing while nobody can tell. */
function resolveExactName(scope: Scope, kind: string, name: string, spot: Spot): Target | undefined {
  const { lookups, named, profile } = scope;
  if (name === '') return spot.error('empty-value', `\`${spot.path}\` is empty: give a name or an id`);
  if (profile !== null && !profile.capabilities.lookupByName) {
    const message = `profile \`${profile.name}\` cannot look up names: use an id, or an alias declared under \`aliases\``;
    return spot.error('no-lookup', message);
  }
  const address = `${kind}/${name}`;
  const lookup = lookups?.get(address) ?? { id: null, why: 'it was not looked up', others: [] };
  const { id, why } = lookup;
  if (id === null || !named.has(address)) {
    named.set(address, { ...lookup, at: named.get(address)?.at ?? spot.at });
    if (id !== null && why !== '') spot.warning('renamed-there', why);
  }
  if (id !== null) return targetOfId(scope, id, name, spot);
  return { value: { address }, shown: nameOrId(name, `{ name: ${name} }`), spot };
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
