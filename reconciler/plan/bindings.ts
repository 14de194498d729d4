/** Which entries of the manifests and of the ledger are one object: after moves, renames, and links by id. Pure. */
import {
  type DesiredEntry,
  type ExactSet,
  endOfMoves,
  type Manifests,
  nameInAddress,
} from '../../manifest/desired';
import {
  type DesiredValues,
  definitionOf,
  type FieldValues,
  type Issue,
  isReference,
  type Reference,
  type Registry,
  sameValue,
} from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { type Findings, grouped, problem, warning } from './steps';

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
  /** Why nothing moves to an address to which `moved` lines would bring several objects, and where the first line stands. */
  readonly clashes: ReadonlyMap<string, Pick<Issue, 'message' | 'at'>>;
  /** The ledger keys of objects that would move to such an address, which is left alone with all of them. */
  readonly contested: ReadonlyMap<string, string>;
}

/** Bindings for the kinds that are known by an address; links are known by their pair. */
export function bindLedger(desired: Manifests, { objects }: Ledger, registry: Registry): Bindings {
  const { moved, forget } = desired;
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
  const forgotten = new Set(forget.map((one) => one.address));
  const moving = grouped(
    moved
      .filter(({ from }) => objects[from] !== undefined)
      .map((line) => [endOfMoves(moved, line.to), line] as const),
  );
  const clashes = new Map<string, Pick<Issue, 'message' | 'at'>>();
  const contested = new Map<string, string>();
  for (const [end, lines] of moving) {
    const isHeld = byAddress.has(end);
    const kept = lines.filter(({ from }) => !forgotten.has(from));
    // A `forget` line settles which of several objects has the address; it does not keep the only one from moving.
    const [first, second] = isHeld || lines.length > 1 ? kept : lines;
    if (first === undefined) continue;
    if (!isHeld && second === undefined) {
      bind(end, first.from);
      continue;
    }
    const both = isHeld ? 'the ledger has both' : `${second?.from} would move there too`;
    const message = `${first.from} cannot move to ${end}: ${both}. Let one go with \`forget:\` first`;
    clashes.set(end, { message, at: first.at });
    for (const { from } of lines) contested.set(from, end);
  }
  const free = entries.filter(({ address }) => !byAddress.has(address) && !clashes.has(address));
  const abandoned = Object.entries(objects).filter(
    ([key, object]) => isObject(object) && !boundKeys.has(key) && !forgotten.has(key) && !contested.has(key),
  );
  for (const [address, key] of renames(free, abandoned)) bind(address, key);
  return { byAddress, boundKeys, clashes, contested };
}

/** New addresses, each with an abandoned key of equal content, where both are the only such. */
function renames(free: readonly DesiredEntry[], abandoned: readonly (readonly [string, LedgerObject])[]) {
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

/** The wanted links, with references in place of ids of objects that have an address here; `byId`: what to say of those. */
export function withAddresses(
  { entries, sets }: Manifests,
  { byAddress }: Bindings,
  registry: Registry,
): { readonly links: readonly DesiredEntry[]; readonly byId: ReadonlyMap<DesiredEntry, Findings> } {
  const addresses = new Map<string, string>();
  // The id that an object has counts before one that another had.
  for (const [address, { object }] of byAddress) {
    for (const id of [object.replaces, object.replaced]) if (id !== undefined) addresses.set(id, address);
  }
  for (const [address, { object }] of byAddress) addresses.set(object.id, address);
  const links = entries
    .filter(({ kind }) => definitionOf(kind, registry).pair.length > 0)
    .map((link) => ({ link, entry: withReferences(link, addresses, registry) }));
  // What is written by address counts before what only means the same.
  const listed = new Set(links.flatMap(({ link, entry }) => (link === entry ? link.address : [])));
  const byId = new Map<DesiredEntry, Findings>();
  for (const { link, entry } of links) {
    if (link === entry) continue;
    byId.set(entry, remarkOn(link.address, entry, setAround(entry, sets), listed.has(entry.address)));
    listed.add(entry.address);
  }
  return { links: links.map(({ entry }) => entry), byId };
}

/** The exact set that the line belongs into. */
function setAround({ kind, inputs }: DesiredEntry, sets: Manifests['sets']) {
  const owners = Object.values(inputs).flatMap((end) => (isReference(end) ? end.address : []));
  return sets.find(
    (set) =>
      set.kind === kind &&
      Object.values(set.fixed).some((end) => isReference(end) && owners.includes(end.address)),
  );
}

/** Nothing can be done for a line that another one or an exact set contradicts. */
function remarkOn(
  written: string,
  entry: DesiredEntry,
  set: ExactSet | undefined,
  isRepeated: boolean,
): Findings {
  const same = `${written} is ${entry.address} here`;
  const contradicted = (rest: string) => problem(entry, 'link-contradicted', `${same}, ${rest}`);
  if (set !== undefined)
    return contradicted(`and ${set.label} are an exact set: put it in there, or take it out here`);
  if (isRepeated) return contradicted('and that stands in another line already: keep one of them');
  const message = `${same}, so write it like that: a replacement gives the client another id`;
  return { warnings: [warning(entry, 'link-by-id', message)] };
}

function withReferences(
  link: DesiredEntry,
  addresses: ReadonlyMap<string, string>,
  registry: Registry,
): DesiredEntry {
  const { fields, pair } = definitionOf(link.kind, registry);
  const [kind, ...shown] = link.address.split('/');
  const references: Record<string, Reference> = {};
  for (const [index, field] of pair.entries()) {
    const address = addresses.get(String(link.inputs[field]));
    if (!address?.startsWith(`${fields[field]?.refersTo}/`)) continue;
    shown[index] = nameInAddress(address);
    references[field] = { address };
  }
  if (Object.keys(references).length === 0) return link;
  return { ...link, address: [kind, ...shown].join('/'), inputs: { ...link.inputs, ...references } };
}
