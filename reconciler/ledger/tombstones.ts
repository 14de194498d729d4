/** How long a lost request is remembered. */
import type { Ledger } from './ledger';

const week = 7 * 24 * 60 * 60 * 1000;

/** The ledger without tombstones older than seven days: by then nothing arrives late. The serial grows by one against `before`, the ledger when the run began, and only once; the very same ledger when none is old. */
export function dropOldTombstones(ledger: Ledger, before: Ledger, now: number): Ledger {
  const tombstones = ledger.tombstones.filter((one) => Date.parse(one.since) >= now - week);
  if (tombstones.length === ledger.tombstones.length) return ledger;
  const grown = ledger.serial !== before.serial;
  return { ...ledger, tombstones, serial: ledger.serial + (grown ? 0 : 1) };
}
