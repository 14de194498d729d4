/** One order for everything in a ledger, so that its diffs show changes and nothing else. */
import type { FieldValue } from '../../resources/kind';
import type { Ledger, LedgerObject, PendingIntent, Tombstone } from './ledger';

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function sorted<Value>(map: Readonly<Record<string, Value>>, each: (value: Value) => Value) {
  return Object.fromEntries(
    Object.entries(map)
      .sort(([left], [right]) => byText(left, right))
      .map(([name, value]): [string, Value] => [name, each(value)]),
  );
}

function orderValue(value: FieldValue): FieldValue {
  return Array.isArray(value) ? [...new Set<string>(value)].sort(byText) : value;
}

function orderObject(object: LedgerObject): LedgerObject {
  return {
    kind: object.kind,
    id: object.id,
    file: object.file,
    values: sorted(object.values, orderValue),
    digests: sorted(object.digests, (digest) => digest),
    ...(object.unverified === undefined ? {} : { unverified: [...object.unverified].sort(byText) }),
    protect: object.protect,
    ...(object.replaces === undefined ? {} : { replaces: object.replaces }),
    ...(object.replaced === undefined ? {} : { replaced: object.replaced }),
  };
}

function orderIntent(intent: PendingIntent): PendingIntent {
  return {
    kind: intent.kind,
    nonce: intent.nonce,
    hash: intent.hash,
  };
}

function orderTombstones(tombstones: readonly Tombstone[]): Tombstone[] {
  return tombstones
    .map(({ kind, address, nonce, since }) => ({ kind, address, nonce, since }))
    .sort((left, right) => byText(left.address, right.address) || byText(left.nonce, right.nonce));
}

/** The same ledger with every member in its place. */
export function orderLedger(ledger: Ledger): Ledger {
  return {
    version: 1,
    organization: ledger.organization,
    lineage: ledger.lineage,
    serial: ledger.serial,
    ...(ledger.journal === undefined ? {} : { journal: ledger.journal }),
    objects: sorted(ledger.objects, orderObject),
    pending: sorted(ledger.pending, orderIntent),
    tombstones: orderTombstones(ledger.tombstones),
  };
}
