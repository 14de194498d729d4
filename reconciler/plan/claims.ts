/** Which ledger entry belongs to which wanted object, after `moved` lines and plain renames. Pure. */
import { type DesiredEntry, endOfMoves, type Manifests } from '../../manifest/desired';
import { type ResourceDefinition, sameValue } from '../../resources/kind';

import type { Ledger, LedgerObject } from '../ledger/ledger';

export interface Claim {
  readonly object: LedgerObject;
  /** The ledger key it has today, when that is another address. */
  readonly movedFrom?: string;
}

export interface Claims {
  /** By address of the wanted object. */
  readonly byAddress: ReadonlyMap<string, Claim>;
  /** Ledger keys that some wanted object owns. */
  readonly claimedKeys: ReadonlySet<string>;
  /** `moved` lines that have nothing left to do. */
  readonly spentMoves: ReadonlySet<string>;
  /** `moved` lines whose both addresses are in the ledger. */
  readonly clashingMoves: ReadonlySet<string>;
}

/** Claims for the kinds that are known by an address; links are known by their pair. */
export function claimLedger(
  desired: Manifests,
  ledger: Ledger,
  objectKinds: readonly ResourceDefinition[],
): Claims {
  const objects = ledger.objects;
  const kinds = new Set(objectKinds.map((one) => one.kind));
  const byAddress = new Map<string, Claim>();
  const claimedKeys = new Set<string>();
  const claim = (address: string, key: string, object: LedgerObject): void => {
    byAddress.set(address, key === address ? { object } : { object, movedFrom: key });
    claimedKeys.add(key);
  };
  const entries = desired.entries.filter((entry) => kinds.has(entry.kind));
  for (const entry of entries) {
    const object = objects[entry.address];
    if (object !== undefined) claim(entry.address, entry.address, object);
  }
  const spentMoves = new Set<string>();
  const clashingMoves = new Set<string>();
  const gone = desired.moved.filter(({ from }) => objects[from] === undefined);
  const inUse = new Set(
    desired.moved.filter((line) => !gone.includes(line)).map(({ to }) => endOfMoves(desired.moved, to)),
  );
  for (const { from, to } of gone) {
    // A line that another one goes on in is still needed.
    if (!inUse.has(endOfMoves(desired.moved, to))) spentMoves.add(`${from} ${to}`);
  }
  for (const { from, to } of desired.moved) {
    const object = objects[from];
    if (object === undefined) continue;
    const end = endOfMoves(desired.moved, to);
    if (byAddress.has(end)) clashingMoves.add(`${from} ${to}`);
    else claim(end, from, object);
  }
  claimRenames(desired, entries, objects, { byAddress, claimedKeys, kinds, claim });
  return { byAddress, claimedKeys, spentMoves, clashingMoves };
}

interface Renames {
  readonly byAddress: ReadonlyMap<string, Claim>;
  readonly claimedKeys: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
  readonly claim: (address: string, key: string, object: LedgerObject) => void;
}

/** A wanted address that the ledger lacks takes over an abandoned one with equal content, when both are the only such. */
function claimRenames(
  desired: Manifests,
  entries: readonly DesiredEntry[],
  objects: Readonly<Record<string, LedgerObject>>,
  { byAddress, claimedKeys, kinds, claim }: Renames,
): void {
  const forgotten = new Set(desired.forget.map((one) => one.address));
  const abandoned = Object.entries(objects).filter(
    ([key, object]) => kinds.has(object.kind) && !claimedKeys.has(key) && !forgotten.has(key),
  );
  const newcomers = entries.filter((entry) => !byAddress.has(entry.address));
  const pairs = newcomers.flatMap((entry) =>
    abandoned.filter(([, object]) => isEqual(entry, object)).map(([key, object]) => ({ entry, key, object })),
  );
  for (const { entry, key, object } of pairs) {
    const onlyOne =
      pairs.filter((other) => other.entry === entry).length === 1 &&
      pairs.filter((other) => other.key === key).length === 1;
    if (onlyOne) claim(entry.address, key, object);
  }
}

function isEqual(entry: DesiredEntry, object: LedgerObject): boolean {
  if (entry.kind !== object.kind || (entry.id !== undefined && entry.id !== object.id)) return false;
  const wanted = Object.entries(entry.inputs);
  return (
    wanted.length === Object.keys(object.values).length &&
    wanted.every(([field, value]) => {
      const last = object.values[field];
      return (
        (typeof value !== 'object' || value === null || Array.isArray(value)) &&
        sameValue(value as never, last)
      );
    }) &&
    Object.keys(object.digests).every((field) => field in entry.secrets)
  );
}
