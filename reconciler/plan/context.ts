/** Everything that planning and drift look at, and the lookups that all parts share. Pure. */
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { foundAll, type Observation, type Observed, observationOf } from '../../observation/evidence';
import {
  definitionOf,
  type FieldValues,
  type Found,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { type Bindings, bindLedger, type NamedById, withAddresses } from './bindings';
import type { PlanInputs, PlanOptions, SecretStates } from './plan';

export interface Context {
  readonly organization: string;
  /** As written: its links may say an id where `linkEntries` have the address. */
  readonly desired: Manifests;
  /** The wanted objects with an id of their own, and the wanted links, each in manifest order. */
  readonly objectEntries: readonly DesiredEntry[];
  readonly linkEntries: readonly DesiredEntry[];
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
  /** The ledger key of each id that it holds or still has to destroy. */
  readonly keyOfId: ReadonlyMap<string, string>;
  /** Temporary names that the ledger or its journal knows. */
  readonly temporaryNames: ReadonlySet<string>;
  /** By kind, for `allObjects`. */
  readonly seenObjects: ReadonlyMap<string, readonly Found[] | null>;
}

export function contextOf(inputs: PlanInputs, options: PlanOptions, registry: Registry): Context {
  const { manifests, ledger, observed, secrets } = inputs;
  const { organization } = manifests;
  // `destroy`: nothing is wanted any more, what is unmanaged is not touched, and what is to be let go is let go.
  const desired = options.destroy ? { ...manifests, entries: [], sets: [], moved: [] } : manifests;
  const objectKinds = registry.filter((one) => one.pair.length === 0);
  const isObject = ({ kind }: DesiredEntry): boolean => definitionOf(kind, registry).pair.length === 0;
  const bindings = bindLedger(desired, ledger, registry);
  const { links, byId } = withAddresses(desired, bindings, registry);
  const held = Object.entries(ledger.objects);
  return {
    organization,
    desired,
    objectEntries: desired.entries.filter(isObject),
    linkEntries: links,
    ledger,
    observed,
    secrets,
    options,
    registry,
    bindings,
    shown: shownNames(desired, held, bindings),
    byId,
    // The first key of an id counts, and that of what is there before that of what was replaced.
    keyOfId: new Map(
      [
        ...held.map(([key, { id }]) => [id, key] as const),
        ...held.map(([key, { id, replaces = id }]) => [replaces, key] as const),
      ].reverse(),
    ),
    temporaryNames: new Set(
      [...Object.values(ledger.pending), ...ledger.tombstones].map(({ nonce }) => nonce),
    ),
    seenObjects: new Map(objectKinds.map((one) => [one.kind, foundAll(observed, one, { organization })])),
  };
}

/** How ids are shown: by the alias that manifests use, or the name in the address of the object. */
function shownNames(
  { aliases }: Manifests,
  held: readonly (readonly [string, LedgerObject])[],
  { byAddress }: Bindings,
): Context['shown'] {
  const named = Object.values(aliases)
    .flatMap((section) => Object.entries(section))
    .sort(([one], [two]) => (one < two ? 1 : -1))
    .map(([name, id]) => [id, name] as const);
  const bound = [...byAddress].map(([address, { object }]) => [address, object] as const);
  const objects = [...held, ...bound].map(([key, { id }]) => [id, key.slice(key.indexOf('/') + 1)] as const);
  return new Map([...objects, ...named]);
}

export function definitionFor(
  { registry }: Context,
  { kind }: { readonly kind: string },
): ResourceDefinition {
  return definitionOf(kind, registry);
}

/** What is known of one object. */
export function observationIn(
  { observed, organization }: Context,
  definition: ResourceDefinition,
  ids: Key,
  id?: string,
): Observation {
  const key = { ...ids, organization };
  return observationOf(observed, { definition, key, ...(id === undefined ? {} : { id }) });
}

/** All objects of a kind that are seen, oldest first; null when no list of them could be read. */
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

/** The address of a link given by ids: aliases and names where there are any. */
export function linkAddress(
  { shown }: Context,
  { kind, pair }: ResourceDefinition,
  ids: FieldValues,
): string {
  return [kind, ...pair.map((field) => shown.get(String(ids[field])) ?? String(ids[field]))].join('/');
}

/** The address with ids in place of aliases and names, so that all spellings meet; for a link its key in the ledger. */
export function canonicalAddress({ registry, desired, bindings, ledger }: Context, address: string): string {
  const [kind = '', ...parts] = address.split('/');
  const definition = registry.find((one) => one.kind === kind);
  if (definition === undefined || definition.pair.length === 0) return address;
  const { workspaces, projects } = desired.aliases;
  const ids = definition.pair.map((field, index) => {
    const part = parts[index] ?? '';
    const refersTo = definition.fields[field]?.refersTo;
    if (refersTo === 'workspace') return workspaces[part] ?? part;
    if (refersTo === 'project') return projects[part] ?? part;
    const owner = `${refersTo}/${part}`;
    return (bindings.byAddress.get(owner)?.object ?? ledger.objects[owner])?.id ?? part;
  });
  return [kind, ...ids].join('/');
}

/** True when a create of ours whose answer was lost may have made a second link under that ledger key. */
export function isLateArrival({ ledger }: Context, kind: string, key: string): boolean {
  return ledger.tombstones.some((one) => one.kind === kind && one.nonce === key);
}
