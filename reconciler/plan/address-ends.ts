/** Links that name an object by its id although it has an address here: they mean the address, and must fit what is said of it. Pure. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import { isReference } from '../../resources/kind';
import { definitionOf, type Registry } from '../../resources/registry';

export interface AddressEnds {
  /** All entries in their order; ends that are ids of objects with an address are references. */
  readonly entries: readonly DesiredEntry[];
  /** What to say of each entry that was written by id. */
  readonly byId: ReadonlyMap<DesiredEntry, ById>;
}

export interface ById {
  /** True where another line or an exact set contradicts it, so that nothing can be done for it. */
  readonly contradicted: boolean;
  readonly message: string;
}

/** `addresses`: by id, present or replaced, for every wanted object whose id the ledger or a flag knows; manifests know those with an `id:` line. */
export function addressEnds(
  entries: readonly DesiredEntry[],
  sets: readonly ExactSet[],
  addresses: ReadonlyMap<string, string>,
  registry: Registry,
): AddressEnds {
  const written = entries.map((entry) => withAddresses(entry, addresses, registry));
  const byId = new Map<DesiredEntry, ById>();
  for (const [index, entry] of written.entries()) {
    const original = entries[index];
    if (original === undefined || entry === original) continue;
    const owners = Object.values(entry.inputs).flatMap((value) => (isReference(value) ? value.address : []));
    const set = sets.find(
      (one) => one.kind === entry.kind && Object.values(one.fixed).some((end) => owners.includes(text(end))),
    );
    const twin = written.some(
      (other, at) => other.address === entry.address && (at < index || (at > index && other === entries[at])),
    );
    const rest =
      set !== undefined
        ? `and ${set.label} are an exact set: put it in there, or take it out here`
        : twin
          ? 'and that stands in another line already: keep one of them'
          : 'so write it like that: a replacement gives the client another id';
    const message = `${original.address} is ${entry.address} here, ${rest}`;
    byId.set(entry, { contradicted: set !== undefined || twin, message });
  }
  return { entries: written, byId };
}

function text(end: ExactSet['fixed'][string]): string {
  return isReference(end) ? end.address : String(end);
}

function withAddresses(
  entry: DesiredEntry,
  addresses: ReadonlyMap<string, string>,
  registry: Registry,
): DesiredEntry {
  const definition = definitionOf(entry.kind, registry);
  const known = definition.pair.map((field) => {
    const address = addresses.get(String(entry.inputs[field]));
    const refersTo = definition.fields[field]?.refersTo;
    return refersTo !== undefined && address?.startsWith(`${refersTo}/`) ? { field, address } : null;
  });
  if (known.every((one) => one === null)) return entry;
  const [kind = '', ...shown] = entry.address.split('/');
  const parts = shown.map((part, index) => known[index]?.address.split('/').slice(1).join('/') ?? part);
  return {
    ...entry,
    address: [kind, ...parts].join('/'),
    inputs: {
      ...entry.inputs,
      ...Object.fromEntries(known.flatMap((one) => (one ? [[one.field, { address: one.address }]] : []))),
    },
  };
}
