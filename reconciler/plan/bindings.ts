/** Which entries of the manifests and of the ledger are one object: after moves, renames, and links by id. Pure. */
import { type DesiredEntry, type ExactSet, endOfMoves, type Manifests } from '../../manifest/desired';
import {
  type DesiredValues,
  definitionOf,
  type FieldValues,
  isReference,
  type Position,
  type Registry,
  sameValue,
} from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';

/** The ledger's object of one wanted address. */
export interface Binding {
  readonly object: LedgerObject;
  /** The ledger key it has today, when that is another address. */
  readonly movedFrom?: string;
}

export interface Bindings {
  /** By address of the wanted object. */
  readonly byAddress: ReadonlyMap<string, Binding>;
  /** Ledger keys that some wanted object has. */
  readonly boundKeys: ReadonlySet<string>;
  /** `moved` lines, as `from to`, that have nothing left to do. */
  readonly obsoleteMoves: ReadonlySet<string>;
  /** By the address to which `moved` lines would bring more than one object of the ledger. */
  readonly clashes: ReadonlyMap<string, Clash>;
}

/** None of the objects moves, and all are left alone, until a `forget` line leaves one of them. */
export interface Clash {
  /** The ledger keys of those that would move. */
  readonly from: readonly string[];
  readonly message: string;
  readonly at: Position;
}

/** Bindings for the kinds that are known by an address; links are known by their pair. */
export function bindLedger(desired: Manifests, { objects }: Ledger, registry: Registry): Bindings {
  const isObject = ({ kind }: { readonly kind: string }) => definitionOf(kind, registry).pair.length === 0;
  const entries = desired.entries.filter(isObject);
  const byAddress = new Map<string, Binding>();
  const boundKeys = new Set<string>();
  const bind = (address: string, key: string): void => {
    const object = objects[key];
    if (object === undefined) return;
    byAddress.set(address, key === address ? { object } : { object, movedFrom: key });
    boundKeys.add(key);
  };
  for (const { address } of entries) bind(address, address);
  const forgotten = new Set(desired.forget.map((one) => one.address));
  const moving = movesIn(desired, objects);
  const clashes = new Map<string, Clash>();
  for (const [end, lines] of moving) {
    const isHeld = byAddress.has(end);
    const isAlone = !isHeld && lines.length === 1;
    const [line, second] = isAlone ? lines : lines.filter(({ from }) => !forgotten.has(from));
    if (line === undefined) continue;
    const { from, at } = line;
    if (isHeld || second !== undefined) {
      const both = isHeld ? 'the ledger has both' : `${second?.from} would move there too`;
      const message = `${from} cannot move to ${end}: ${both}. Let one go with \`forget:\` first`;
      clashes.set(end, { from: lines.map((one) => one.from), message, at });
    } else bind(end, from);
  }
  const contested = new Set([...clashes].flatMap(([end, clash]) => [end, ...clash.from]));
  const free = entries.filter(({ address }) => !byAddress.has(address) && !contested.has(address));
  const abandoned = Object.entries(objects).filter(
    ([key, object]) => isObject(object) && !boundKeys.has(key) && !forgotten.has(key) && !contested.has(key),
  );
  for (const [address, key] of renames(free, abandoned)) bind(address, key);
  // A line may be one link of a chain that another line still needs: `a` to `b`, and `b` to `c`.
  const obsolete = desired.moved.filter(
    ({ from, to }) => objects[from] === undefined && !moving.has(endOfMoves(desired.moved, to)),
  );
  const obsoleteMoves = new Set(obsolete.map(({ from, to }) => `${from} ${to}`));
  return { byAddress, boundKeys, obsoleteMoves, clashes };
}

function movesIn({ moved }: Manifests, objects: Ledger['objects']): ReadonlyMap<string, Manifests['moved']> {
  const moving = new Map<string, Manifests['moved']>();
  for (const line of moved) {
    if (objects[line.from] === undefined) continue;
    const end = endOfMoves(moved, line.to);
    moving.set(end, [...(moving.get(end) ?? []), line]);
  }
  return moving;
}

/** New addresses, each with an abandoned key of equal content, where both are the only such. */
function renames(
  free: readonly DesiredEntry[],
  abandoned: readonly (readonly [string, LedgerObject])[],
): readonly (readonly [string, string])[] {
  const pairs = abandoned.flatMap(([key, object]) =>
    free.filter((entry) => isEqual(entry, object)).map(({ address }) => [address, key] as const),
  );
  return pairs.filter(([address, key]) =>
    pairs.every(([other, otherKey]) => (other === address) === (otherKey === key)),
  );
}

function isEqual({ kind, id, inputs, secrets }: DesiredEntry, object: LedgerObject): boolean {
  const named = Object.keys(secrets);
  const known = new Set([...Object.keys(object.digests), ...(object.unverified ?? [])]);
  return (
    kind === object.kind &&
    (id === undefined || id === object.id) &&
    named.length === known.size &&
    named.every((field) => known.has(field)) &&
    sameFields(inputs, object.values)
  );
}

/** Whether the same fields are managed with the same values; a reference is equal to none. */
export function sameFields(wanted: DesiredValues, last: FieldValues): boolean {
  const fields = Object.entries(wanted);
  return (
    fields.length === Object.keys(last).length &&
    fields.every(([field, value]) => !isReference(value) && field in last && sameValue(value, last[field]))
  );
}

/** A link that names an object by its id although it has an address. */
export interface NamedById {
  /** Another line or an exact set contradicts it, so that nothing can be done for it. */
  readonly contradicted: boolean;
  readonly message: string;
}

/** The wanted links, with references in place of ids of objects that have an address here, and what to say of those. */
export function withAddresses(
  { entries, sets }: Manifests,
  { byAddress }: Bindings,
  registry: Registry,
): { readonly links: readonly DesiredEntry[]; readonly byId: ReadonlyMap<DesiredEntry, NamedById> } {
  const owned = [...byAddress].map(([address, { object }]) => ({ address, object }));
  // The id of an object counts before the id that another one had.
  const addresses = new Map<string | undefined, string>([
    ...owned.flatMap(({ address, object: { replaces, replaced } }) =>
      [replaces, replaced].map((id) => [id, address] as const),
    ),
    ...owned.map(({ address, object }) => [object.id, address] as const),
  ]);
  const links = entries.filter(({ kind }) => definitionOf(kind, registry).pair.length > 0);
  const pairs = links.map((link) => ({ link, entry: withAddressEnds(link, addresses, registry) }));
  const changed = pairs.filter(({ link, entry }) => entry !== link);
  const first = new Map(
    [...pairs.filter(({ link, entry }) => entry === link), ...changed]
      .reverse()
      .map(({ entry }) => [entry.address, entry]),
  );
  const byId = changed.map(({ link, entry }) => {
    const isRepeated = first.get(entry.address) !== entry;
    return [entry, namedById(link, entry, setAround(entry, sets), isRepeated)] as const;
  });
  return { links: pairs.map(({ entry }) => entry), byId: new Map(byId) };
}

/** The exact set that the line belongs into. */
function setAround({ kind, inputs }: DesiredEntry, sets: readonly ExactSet[]): ExactSet | undefined {
  const owners = Object.values(inputs).flatMap((value) => (isReference(value) ? value.address : []));
  return sets.find(
    (set) => set.kind === kind && Object.values(set.fixed).some((end) => owners.includes(endText(end))),
  );
}

function namedById(
  link: DesiredEntry,
  { address }: DesiredEntry,
  set: ExactSet | undefined,
  isRepeated: boolean,
): NamedById {
  const rest =
    set !== undefined
      ? `and ${set.label} are an exact set: put it in there, or take it out here`
      : isRepeated
        ? 'and that stands in another line already: keep one of them'
        : 'so write it like that: a replacement gives the client another id';
  return {
    contradicted: set !== undefined || isRepeated,
    message: `${link.address} is ${address} here, ${rest}`,
  };
}

function withAddressEnds(
  link: DesiredEntry,
  addresses: ReadonlyMap<string | undefined, string>,
  registry: Registry,
): DesiredEntry {
  const { fields, pair } = definitionOf(link.kind, registry);
  const owners = pair.map((field) => {
    const address = addresses.get(String(link.inputs[field]));
    return address?.startsWith(`${fields[field]?.refersTo}/`) ? address : undefined;
  });
  if (owners.every((one) => one === undefined)) return link;
  const [kind = '', ...shown] = link.address.split('/');
  const parts = shown.map((part, index) => owners[index]?.split('/').slice(1).join('/') ?? part);
  const references = pair.flatMap((field, index) => {
    const address = owners[index];
    return address === undefined ? [] : [[field, { address }] as const];
  });
  return {
    ...link,
    address: [kind, ...parts].join('/'),
    inputs: { ...link.inputs, ...Object.fromEntries(references) },
  };
}

/** An id, or the address of what has it. */
export function endText(value: DesiredValues[string] | undefined): string {
  return isReference(value) ? value.address : String(value);
}
