/** Which ledger entry belongs to which wanted object, after `moved` lines and plain renames. Pure. */
import { type DesiredEntry, endOfMoves, type Manifests } from '../../manifest/desired';
import {
  type DesiredValues,
  type FieldValues,
  isReference,
  type Position,
  type ResourceDefinition,
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
  /** By the address to which more than one object of the ledger would come, for `moved` lines lead there. */
  readonly clashes: ReadonlyMap<string, Clash>;
}

/** None of the objects is bound, and all are left alone, until a `forget` line leaves one of them. */
export interface Clash {
  /** The ledger keys of those that would move. */
  readonly from: readonly string[];
  readonly message: string;
  readonly at: Position;
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
  const { moving, obsoleteMoves } = movesIn(desired, objects);
  const forgotten = new Set(desired.forget.map((one) => one.address));
  const clashes = new Map<string, Clash>();
  for (const [end, lines] of moving) {
    const isHeld = byAddress.has(end);
    const isAlone = !isHeld && lines.length === 1;
    const [line, second] = isAlone ? lines : lines.filter(({ from }) => !forgotten.has(from));
    if (line === undefined) continue;
    const { from, at } = line;
    const object = objects[from];
    if (isHeld || second !== undefined) {
      const both = isHeld ? 'the ledger has both' : `${second?.from} would move there too`;
      const message = `${from} cannot move to ${end}: ${both}. Let one go with \`forget:\` first`;
      clashes.set(end, { from: lines.map((one) => one.from), message, at });
    } else if (object !== undefined) bind(end, from, object);
  }
  const contested = new Set([...clashes].flatMap(([end, clash]) => [end, ...clash.from]));
  const free = entries.filter(({ address }) => !byAddress.has(address) && !contested.has(address));
  const abandoned = Object.entries(objects).filter(
    ([key, { kind }]) => kinds.has(kind) && !boundKeys.has(key) && !forgotten.has(key) && !contested.has(key),
  );
  for (const { entry, key, object } of renames(free, abandoned)) bind(entry.address, key, object);
  return { byAddress, boundKeys, obsoleteMoves, clashes };
}

/** The `moved` lines of what the ledger has, by where they end; and those, as `from to`, that have nothing left to do. */
function movesIn({ moved }: Manifests, objects: Ledger['objects']) {
  const moving = new Map<string, Manifests['moved'][number][]>();
  for (const line of moved) {
    if (objects[line.from] === undefined) continue;
    const end = endOfMoves(moved, line.to);
    moving.set(end, [...(moving.get(end) ?? []), line]);
  }
  // A line may be one link of a chain that another line still needs: `a` to `b`, and `b` to `c`.
  const obsolete = moved.filter(
    ({ from, to }) => objects[from] === undefined && !moving.has(endOfMoves(moved, to)),
  );
  return { moving, obsoleteMoves: new Set(obsolete.map(({ from, to }) => `${from} ${to}`)) };
}

interface Rename {
  readonly entry: DesiredEntry;
  readonly key: string;
  readonly object: LedgerObject;
}

/** Wanted addresses that the ledger lacks, each with an abandoned one of equal content, when both are the only such. */
function renames(
  free: readonly DesiredEntry[],
  abandoned: readonly (readonly [string, LedgerObject])[],
): readonly Rename[] {
  const pairs = free.flatMap((entry) =>
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
