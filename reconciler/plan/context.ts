/** Everything planning looks at, with the lookups all parts share. Pure. */
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import type { Observation, Observed } from '../../observation/evidence';
import { observationOf } from '../../observation/observe';

import {
  type DesiredValues,
  type FieldValues,
  isReference,
  type Key,
  type ResourceDefinition,
} from '../../resources/kind';
import { definitionOf, type Registry } from '../../resources/registry';

import type { SecretStates } from '../inputs';
import type { Ledger } from '../ledger/ledger';
import { addressEnds, type ById } from './address-ends';
import { type Claims, claimLedger } from './claims';
import type { PlanOptions } from './options';

export interface Context {
  readonly organization: string;
  readonly desired: Manifests;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
  readonly options: PlanOptions;
  readonly registry: Registry;
  readonly claims: Claims;
  readonly shown: Shown;
  /** Wanted links that name by its id what has an address here, as only the ledger shows. */
  readonly byId: ReadonlyMap<DesiredEntry, ById>;
}

/** The alias or name of each id that has one. */
type Shown = ReadonlyMap<string, string>;

/** Collects a context; the claims of ledger entries are settled here once. */
export function createContext(parts: Omit<Context, 'claims' | 'shown' | 'byId'>): Context {
  const objectKinds = parts.registry.filter((one) => one.pair.length === 0);
  const claims = claimLedger(parts.desired, parts.ledger, objectKinds);
  const owned = [...claims.byAddress].map(([address, { object }]) => ({ address, object }));
  // An id that one object had once and another has now is the latter's.
  const addresses = new Map([
    ...owned.flatMap(({ address, object: { replaces, replaced } }) =>
      [replaces, replaced].flatMap((id) => (id === undefined ? [] : [[id, address] as const])),
    ),
    ...owned.map(({ address, object }) => [object.id, address] as const),
  ]);
  const { entries, byId } = addressEnds(parts.desired.entries, parts.desired.sets, addresses, parts.registry);
  const shown = shownNames(parts, claims);
  return { ...parts, desired: { ...parts.desired, entries }, claims, shown, byId };
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

/** How ids are shown: by the alias that manifests use for their addresses, or the name of the object. */
function shownNames({ desired, ledger }: Pick<Context, 'desired' | 'ledger'>, claims: Claims): Shown {
  const aliases = Object.values(desired.aliases).flatMap((section) => Object.entries(section));
  const names = aliases.sort(([one], [two]) => (one < two ? 1 : -1)).map(([name, id]) => [id, name] as const);
  const held = Object.entries(ledger.objects).map(([key, object]) => [object.id, key] as const);
  const owned = [...claims.byAddress].map(([address, { object }]) => [object.id, address] as const);
  const objects = [...held, ...owned].map(([id, key]) => [id, key.slice(key.indexOf('/') + 1)] as const);
  return new Map([...objects, ...names]);
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
    return context.claims.byAddress.get(owner)?.object.id ?? context.ledger.objects[owner]?.id ?? part;
  });
  return [kind, ...ids].join('/');
}

/** The fields of a desired link's pair that are known as ids; a reference to an object without an id is left out. */
export function knownIds(
  definition: ResourceDefinition,
  inputs: DesiredValues,
  idOf: (address: string) => string | null,
): Key {
  const known: [string, string][] = definition.pair.flatMap((field) => {
    const value = inputs[field];
    if (isReference(value)) {
      const id = idOf(value.address);
      return id === null ? [] : [[field, id] as [string, string]];
    }
    return typeof value === 'string' ? [[field, value] as [string, string]] : [];
  });
  return Object.fromEntries(known);
}

/** Entries of kinds that are known by an address, in manifest order. */
export function objectEntries(context: Context): readonly DesiredEntry[] {
  return context.desired.entries.filter((entry) => definitionFor(context, entry).pair.length === 0);
}

/** Entries of kinds that are known by a pair, in manifest order. */
export function linkEntries(context: Context): readonly DesiredEntry[] {
  return context.desired.entries.filter((entry) => definitionFor(context, entry).pair.length > 0);
}
