/** Everything planning looks at, with the lookups all parts share. Pure. */
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { foundAll, type Observation, type Observed, observationOf } from '../../observation/evidence';

import {
  type DesiredValues,
  definitionOf,
  type FieldValues,
  type Found,
  isReference,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import type { Ledger } from '../ledger/ledger';
import type { Bindings } from './bindings';
import type { PlanOptions, SecretStates } from './plan';

export interface Context {
  readonly organization: string;
  readonly desired: Manifests;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
  readonly options: PlanOptions;
  readonly registry: Registry;
  readonly bindings: Bindings;
  /** The alias or name of each id that has one. */
  readonly shown: ReadonlyMap<string, string>;
  /** Wanted links that name by its id what has an address here, as only the ledger shows. */
  readonly byId: ReadonlyMap<DesiredEntry, NamedById>;
  /** The ledger key of each id that it holds. */
  readonly keyOfId: ReadonlyMap<string, string>;
  /** Ids that some ledger entry holds or still has to destroy. */
  readonly heldIds: ReadonlySet<string>;
  /** Temporary names that the ledger or its journal knows. */
  readonly temporaryNames: ReadonlySet<string>;
  /** See `allObjects`: looked up once for each kind. */
  readonly seenObjects: ReadonlyMap<string, readonly Found[] | null>;
}

/** What to say of a link that names an object by its id although it has an address. */
export interface NamedById {
  /** True where another line or an exact set contradicts it, so that nothing can be done for it. */
  readonly contradicted: boolean;
  readonly message: string;
}

/** The definition of an entry or ledger object. */
export function definitionFor(context: Context, one: { readonly kind: string }): ResourceDefinition {
  return definitionOf(one.kind, context.registry);
}

/** What is known of one object. */
export function observationIn(
  context: Context,
  definition: ResourceDefinition,
  ids: Key,
  id?: string,
): Observation {
  const key = { ...ids, organization: context.organization };
  return observationOf(context.observed, { definition, key, ...(id === undefined ? {} : { id }) });
}

/** All objects of a kind with an id of its own that are seen, oldest first; null when no list of them could be read. */
export function allObjects({ seenObjects }: Context, { kind }: ResourceDefinition): readonly Found[] | null {
  return seenObjects.get(kind) ?? null;
}

/** All links with these ends that are seen, oldest first; null when no list of them could be read. */
export function allLinks(
  { observed, organization }: Context,
  definition: ResourceDefinition,
  ids: Key,
): readonly Found[] | null {
  return foundAll(observed, definition, { ...ids, organization });
}

/** The address people read for a link given by ids: aliases and addresses where there are any. */
export function linkAddress(
  context: Context,
  definition: ResourceDefinition,
  values: FieldValues | Key,
): string {
  const parts = definition.pair.map((field) => {
    const id = String(values[field]);
    return context.shown.get(id) ?? id;
  });
  return [definition.kind, ...parts].join('/');
}

/** An address with ids in place of aliases and of names of objects, so that all spellings meet; for a link its key in the ledger. */
export function canonicalAddress(context: Context, address: string): string {
  const [kind = '', ...parts] = address.split('/');
  const definition = context.registry.find((one) => one.kind === kind);
  if (definition === undefined || definition.pair.length === 0) return address;
  const { workspaces, projects } = context.desired.aliases;
  const ids = definition.pair.map((field, index) => {
    const part = parts[index] ?? '';
    const refersTo = definition.fields[field]?.refersTo;
    if (refersTo === 'workspace') return workspaces[part] ?? part;
    if (refersTo === 'project') return projects[part] ?? part;
    const owner = `${refersTo}/${part}`;
    return context.bindings.byAddress.get(owner)?.object.id ?? context.ledger.objects[owner]?.id ?? part;
  });
  return [kind, ...ids].join('/');
}

/** The fields of a desired link's pair that are known as ids; a reference to an object without an id is left out. */
export function knownIds(
  definition: ResourceDefinition,
  inputs: DesiredValues,
  idOf: (address: string) => string | null,
): Key {
  const known = definition.pair.flatMap((field): [string, string][] => {
    const value = inputs[field];
    const id = isReference(value) ? idOf(value.address) : value;
    return typeof id === 'string' ? [[field, id]] : [];
  });
  return Object.fromEntries(known);
}

/** The ids of a link of the ledger or of the service. */
export function pairOf({ pair }: ResourceDefinition, values: FieldValues): Key {
  return Object.fromEntries(pair.map((field) => [field, String(values[field])]));
}

/** One end of a link as text: an id, or the address of what has it. */
export function endText(value: DesiredValues[string] | undefined): string {
  return isReference(value) ? value.address : String(value);
}

/** Entries of kinds that are known by an address, in manifest order. */
export function objectEntries(context: Context): readonly DesiredEntry[] {
  return context.desired.entries.filter((entry) => definitionFor(context, entry).pair.length === 0);
}

/** Entries of kinds that are known by a pair, in manifest order. */
export function linkEntries(context: Context): readonly DesiredEntry[] {
  return context.desired.entries.filter((entry) => definitionFor(context, entry).pair.length > 0);
}
