/** Which ids a link has, and under which key the ledger keeps it. */
import { type Manifests, nameInAddress } from '../manifest/desired';
import {
  type DesiredValues,
  type FieldValues,
  isReference,
  type Key,
  type ResourceDefinition,
} from '../resources/kind';
import { externalKinds, nameOrId } from '../resources/names';
import type { Ledger, LedgerObject } from './ledger/ledger';

/** Kind and ids of the pair, in the order of the definition: `RunTrigger/ws-app/ws-network`. */
export function ledgerKey({ kind, pair }: ResourceDefinition, ids: FieldValues): string {
  return [kind, ...pair.map((field) => String(ids[field]))].join('/');
}

/** The ids of a link's pair, from its key in the ledger. */
export function pairInKey(pair: readonly string[], key: string): Key {
  const ids = key.split('/').slice(1);
  return Object.fromEntries(pair.map((field, index) => [field, ids[index] ?? '']));
}

/** The ids among the fields of a link's pair. A reference to an object for which `idOf` knows none is left out. */
export function pairOf(
  { pair }: ResourceDefinition,
  values: DesiredValues,
  idOf: (address: string) => string | null = () => null,
): Key {
  const ids: Record<string, string> = {};
  for (const field of pair) {
    const value = values[field];
    const id = isReference(value) ? idOf(value.address) : value;
    if (typeof id === 'string') ids[field] = id;
  }
  return ids;
}

/** How an object of the ledger is known: a link by its pair, any other by its id. */
export function heldKey(definition: ResourceDefinition, { id, values }: LedgerObject): Key {
  return definition.pair.length > 0 ? pairOf(definition, values) : { id };
}

/** Ledger keys by id: the first key of each counts, and that of what is there before that of what was replaced. */
export function keysById({ objects }: Ledger): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const held = Object.entries(objects);
  for (const [key, { id }] of held) if (!keys.has(id)) keys.set(id, key);
  for (const [key, { replaces }] of held) {
    if (replaces !== undefined && !keys.has(replaces)) keys.set(replaces, key);
  }
  return keys;
}

/** `meant`: ids by `workspace/app`, as the manifests say, else the last apply. `addressOf`: the address for a ledger key, with aliases, else names. `bound`: clients that have another address. */
export function spellings(
  { objects, names = {} }: Pick<Ledger, 'objects' | 'names'>,
  manifests: Pick<Manifests, 'aliases' | 'named'> | null,
  bound: readonly (readonly [string, LedgerObject])[] = [],
) {
  const aliased = Object.entries(externalKinds).flatMap(([kind, { aliases: section }]) =>
    Object.entries(manifests?.aliases[section] ?? {}).map(([alias, id]) => [`${kind}/${alias}`, id] as const),
  );
  const all = [
    ...Object.entries(names).filter(([key]) => manifests?.named.get(key)?.was === undefined),
    ...[...(manifests?.named ?? [])].flatMap(([key, { id }]) => (id === null ? [] : [[key, id] as const])),
    ...aliased.sort(([one], [two]) => (one < two ? 1 : -1)),
  ];
  const meant: ReadonlyMap<string, string> = new Map(all);
  const spelt = new Map([
    // No part of a key is a link.
    ...[...Object.entries(objects), ...bound]
      .filter(([key]) => key.indexOf('/') === key.lastIndexOf('/'))
      .map(([key, { id }]) => [id, nameInAddress(key)] as const),
    ...all
      .filter(([key, id]) => meant.get(key) === id)
      .map(([key, id]) => [id, nameOrId(nameInAddress(key), id)] as const),
  ]);
  const addressOf = (key: string) =>
    key
      .split('/')
      .map((part) => spelt.get(part) ?? part)
      .join('/');
  return { meant, addressOf };
}
