/** Which entries of manifests and ledger are one object: after moves, renames, and links by id. */
import { type DesiredEntry, endOfMoves, type Manifests, nameInAddress } from '../../manifest/desired';
import { grouped } from '../../resources/groups';
import {
  addressesIn,
  type DesiredValues,
  definitionOf,
  type FieldValues,
  type Issue,
  isReference,
  type Position,
  type Registry,
  sameValue,
} from '../../resources/kind';
import { ledgerFileName } from '../ledger/disk';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { byAddresses } from './around';
import { type Findings, problem, warning } from './steps';

/** The ledger's object of one wanted address. */
export interface Binding {
  readonly object: LedgerObject;
  /** The ledger key it has today, when that is another address. */
  readonly movedFrom?: string;
}

export interface Bindings {
  readonly byAddress: ReadonlyMap<string, Binding>;
  readonly boundKeys: ReadonlySet<string>;
  /** By address to which `moved` lines would bring several objects: why none moves there, and where the first line stands. */
  readonly clashes: ReadonlyMap<string, { readonly message: string; readonly at: Position }>;
  /** By the ledger keys of objects that are left alone: such an address, or that of an entry whose `id:` line names the object. */
  readonly contested: ReadonlyMap<string, string>;
  /** By new address the abandoned ledger key that may be the same object, renamed and changed at once. */
  readonly similar: ReadonlyMap<string, string>;
}

/** Of objects known by an address; links are known by their pair. */
export function bindLedger(desired: Manifests, { objects }: Ledger, registry: Registry): Bindings {
  const { moved, forget } = desired;
  const isObject = ({ kind }: { kind: string }) => definitionOf(kind, registry).pair.length === 0;
  const entries = desired.entries.filter(isObject);
  const byAddress = new Map<string, Binding>();
  const boundKeys = new Set<string>();
  const bind = (address: string, key: string) => {
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
  const clashes = new Map<string, { message: string; at: Position }>();
  const contested = new Map<string, string>();
  for (const [end, lines] of moving) {
    const isHeld = byAddress.has(end);
    const kept = lines.filter(({ from }) => !forgotten.has(from));
    // A `forget` line settles which of several gets the address; the only one moves all the same.
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
  for (const [address, key] of renames(free, abandoned, wholeOf, isEqual)) bind(address, key);
  const byId = new Map(entries.map(({ id, address }) => [id, address]));
  for (const [key, { id, replaces = id }] of abandoned) {
    const address = byId.get(id) ?? byId.get(replaces);
    if (address !== undefined && !boundKeys.has(key)) contested.set(key, address);
  }
  const stillFree = free.filter(({ address, id }) => !byAddress.has(address) && id === undefined);
  const stillAbandoned = abandoned.filter(([key]) => !boundKeys.has(key) && !contested.has(key));
  // With the same name, URL or other string.
  const similar = new Map(renames(stillFree, stillAbandoned, stringsOf, () => true));
  return { byAddress, boundKeys, clashes, contested, similar };
}

/** New addresses with an abandoned key that `matches`, where both are the only such. Those that match have one of `traitsOf` in common. */
function renames(
  free: readonly DesiredEntry[],
  abandoned: readonly (readonly [string, LedgerObject])[],
  traitsOf: (kind: string, values: DesiredValues) => readonly string[],
  matches: (entry: DesiredEntry, object: LedgerObject) => boolean,
) {
  const entriesWith = grouped(
    free.flatMap((entry) => traitsOf(entry.kind, entry.inputs).map((trait) => [trait, entry] as const)),
  );
  const objectsWith = grouped(
    abandoned.flatMap((one) => traitsOf(one[1].kind, one[1].values).map((trait) => [trait, one] as const)),
  );
  return free.flatMap((entry) => {
    const traits = traitsOf(entry.kind, entry.inputs);
    const found = onlyOne(traits, objectsWith, ([, object]) => matches(entry, object));
    if (found === undefined) return [];
    const [key, object] = found;
    const back = onlyOne(traitsOf(object.kind, object.values), entriesWith, (one) => matches(one, object));
    return back === entry ? [[entry.address, key] as const] : [];
  });
}

/** The only one with any of these traits that matches; a second one ends the search. */
function onlyOne<Item>(
  traits: readonly string[],
  withTrait: ReadonlyMap<string, readonly Item[]>,
  matches: (item: Item) => boolean,
) {
  let only: Item | undefined;
  for (const trait of traits) {
    for (const item of withTrait.get(trait) ?? []) {
      if (item === only || !matches(item)) continue;
      if (only !== undefined) return undefined;
      only = item;
    }
  }
  return only;
}

/** All fields at once. */
function wholeOf(kind: string, values: DesiredValues) {
  const fields = Object.entries(values).sort(([one], [two]) => (one < two ? -1 : 1));
  const plain = fields.map(([field, value]) => [
    field,
    Array.isArray(value) ? [...new Set(value)].sort() : value,
  ]);
  return [JSON.stringify([kind, plain])];
}

/** Of one organization they are all. */
function stringsOf(kind: string, values: DesiredValues) {
  return Object.entries(values).flatMap(([field, value]) =>
    typeof value === 'string' && field !== 'organization' ? JSON.stringify([kind, field, value]) : [],
  );
}

function isEqual({ kind, id, inputs, secrets }: DesiredEntry, object: LedgerObject) {
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

/** The same fields with the same values; a reference is equal to none. */
export function sameFields(wanted: DesiredValues, last: FieldValues) {
  const fields = Object.entries(wanted);
  return (
    fields.length === Object.keys(last).length &&
    fields.every(([field, value]) => !isReference(value) && field in last && sameValue(value, last[field]))
  );
}

/** The wanted links, with references in place of ids of objects that have an address here, and a remark on each such. */
export function withAddresses({ entries, sets }: Manifests, { byAddress }: Bindings, registry: Registry) {
  // The id that an object has counts before one that another had.
  const addresses = new Map(
    (['replaces', 'replaced', 'id'] as const).flatMap((field) =>
      [...byAddress].map(([address, { object }]) => [object[field], address] as const),
    ),
  );
  const linkRemarks = new Map<DesiredEntry, Findings>();
  const links = entries.filter(({ kind }) => definitionOf(kind, registry).pair.length > 0);
  const linkEntries = links.map((link) => withReferences(link, addresses, registry));
  const isAsWritten = (entry: DesiredEntry, index: number) => entry === links[index];
  if (linkEntries.every(isAsWritten)) return { linkEntries, linkRemarks };
  // What is written by address counts before what only means the same.
  const listed = new Set(linkEntries.filter(isAsWritten).map(({ address }) => address));
  const setsOf = byAddresses(sets, ({ fixed }) => fixed);
  for (const [index, entry] of linkEntries.entries()) {
    const { [index]: link = entry } = links;
    if (link === entry) continue;
    const around = addressesIn(entry.inputs).flatMap((address) => setsOf.get(address) ?? []);
    const set = around.find(({ kind }) => kind === entry.kind);
    linkRemarks.set(entry, remarkOn(link.address, entry, set, listed.has(entry.address)));
    listed.add(entry.address);
  }
  return { linkEntries, linkRemarks };
}

/** A problem where another line contradicts, or an exact set into which this one belongs; else a warning. */
function remarkOn(
  written: string,
  entry: DesiredEntry,
  set: Manifests['sets'][number] | undefined,
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
  addresses: ReadonlyMap<string | undefined, string>,
  registry: Registry,
): DesiredEntry {
  if (addresses.size === 0) return link;
  const { fields, pair } = definitionOf(link.kind, registry);
  const referred = pair.flatMap((field, index) => {
    const address = addresses.get(String(link.inputs[field]));
    return address?.startsWith(`${fields[field]?.refersTo}/`) ? [{ field, index, address }] : [];
  });
  if (referred.length === 0) return link;
  const [kind, ...shown] = link.address.split('/');
  for (const { index, address } of referred) shown[index] = nameInAddress(address);
  const references = Object.fromEntries(referred.map(({ field, address }) => [field, { address }]));
  return { ...link, address: [kind, ...shown].join('/'), inputs: { ...link.inputs, ...references } };
}

/** Null where both are of one organization. */
export function otherLedger({ organization, organizationAt: at }: Manifests, ledger: Ledger): Issue | null {
  if (organization === ledger.organization) return null;
  const name = at ? `the manifests are of \`${organization}\`` : `--organization is \`${organization}\``;
  const renamed = `Renamed at the service: write \`"organization": "${organization}"\` in ${ledgerFileName} too, in the same commit. `;
  const slip = at ? `A slip: correct this line. ${renamed}` : 'A slip: correct the flag. ';
  const message = `${name}, and the ledger of this folder is of \`${ledger.organization}\`: nothing was planned. ${slip}Another organization: give it a folder of its own`;
  return { rule: 'other-ledger', severity: 'error', message, path: 'organization', ...(at && { at }) };
}
