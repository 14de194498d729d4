/** Which ledger entry belongs to which wanted object, after `moved` lines and plain renames. Pure. */
import { type DesiredEntry, endOfMoves, type Manifests } from '../../manifest/desired';
import { sameValue } from '../../resources/diff';
import {
  type DesiredValues,
  type FieldValues,
  isReference,
  type ResourceDefinition,
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
  /** `moved` lines, as `from to`, whose both addresses are in the ledger. */
  readonly clashingMoves: ReadonlySet<string>;
}

/** Bindings for the kinds that are known by an address; links are known by their pair. */
export function bindLedger(
  desired: Manifests,
  { objects }: Ledger,
  objectKinds: readonly ResourceDefinition[],
): Bindings {
  const kinds = new Set(objectKinds.map((one) => one.kind));
  const entries = desired.entries.filter((entry) => kinds.has(entry.kind));
  const byAddress = new Map<string, Binding>();
  const boundKeys = new Set<string>();
  const bind = (address: string, key: string, object: LedgerObject): void => {
    byAddress.set(address, key === address ? { object } : { object, movedFrom: key });
    boundKeys.add(key);
  };
  for (const { address } of entries) {
    const object = objects[address];
    if (object !== undefined) bind(address, address, object);
  }
  const obsoleteMoves = new Set<string>();
  const clashingMoves = new Set<string>();
  const inUse = new Set(
    desired.moved.flatMap(({ from, to }) =>
      objects[from] === undefined ? [] : [endOfMoves(desired.moved, to)],
    ),
  );
  for (const { from, to } of desired.moved) {
    const object = objects[from];
    const end = endOfMoves(desired.moved, to);
    if (object === undefined) {
      // The line is one link of a chain that another line still needs: `a` to `b`, and `b` to `c`.
      if (!inUse.has(end)) obsoleteMoves.add(`${from} ${to}`);
    } else if (byAddress.has(end)) clashingMoves.add(`${from} ${to}`);
    else bind(end, from, object);
  }
  for (const { entry, key, object } of renames(desired, objects, entries, byAddress, boundKeys)) {
    bind(entry.address, key, object);
  }
  return { byAddress, boundKeys, obsoleteMoves, clashingMoves };
}

interface Rename {
  readonly entry: DesiredEntry;
  readonly key: string;
  readonly object: LedgerObject;
}

/** Wanted addresses that the ledger lacks, each with an abandoned one of equal content, when both are the only such. */
function renames(
  desired: Manifests,
  objects: Ledger['objects'],
  entries: readonly DesiredEntry[],
  byAddress: ReadonlyMap<string, Binding>,
  boundKeys: ReadonlySet<string>,
): readonly Rename[] {
  const forgotten = new Set(desired.forget.map((one) => one.address));
  const kinds = new Set(entries.map((entry) => entry.kind));
  const abandoned = Object.entries(objects).filter(
    ([key, object]) => kinds.has(object.kind) && !boundKeys.has(key) && !forgotten.has(key),
  );
  const pairs = entries
    .filter((entry) => !byAddress.has(entry.address))
    .flatMap((entry) =>
      abandoned.flatMap(([key, object]) => (isEqual(entry, object) ? [{ entry, key, object }] : [])),
    );
  return pairs.filter(({ entry, key }) =>
    pairs.every((other) => (other.entry === entry) === (other.key === key)),
  );
}

function isEqual(entry: DesiredEntry, object: LedgerObject): boolean {
  if (entry.kind !== object.kind || (entry.id !== undefined && entry.id !== object.id)) return false;
  const secrets = new Set([...Object.keys(object.digests), ...(object.unverified ?? [])]);
  const hasSameSecrets =
    secrets.size === Object.keys(entry.secrets).length &&
    Object.keys(entry.secrets).every((field) => secrets.has(field));
  return hasSameSecrets && sameFields(entry.inputs, object.values);
}

/** Whether the same fields are managed with the same values; a reference is equal to none. */
export function sameFields(wanted: DesiredValues, last: FieldValues): boolean {
  const fields = Object.entries(wanted);
  return (
    fields.length === Object.keys(last).length &&
    fields.every(([field, value]) => !isReference(value) && field in last && sameValue(value, last[field]))
  );
}
