/** How long a lost request is remembered. */
import type { Ledger, LedgerOrganization } from './ledger';

const week = 7 * 24 * 60 * 60 * 1000;

/** The ledger without tombstones older than seven days: by then nothing arrives late. A serial grows by one against `before`, the ledger when the run began, and only once; the very same ledger when none is old. */
export function dropOldTombstones(ledger: Ledger, before: Ledger, now: number): Ledger {
  const changed = Object.entries(ledger.organizations).flatMap(
    ([name, organization]): [string, LedgerOrganization][] => {
      const tombstones = organization.tombstones.filter((one) => Date.parse(one.since) >= now - week);
      if (tombstones.length === organization.tombstones.length) return [];
      const grown = organization.serial !== before.organizations[name]?.serial;
      return [[name, { ...organization, tombstones, serial: organization.serial + (grown ? 0 : 1) }]];
    },
  );
  if (changed.length === 0) return ledger;
  return {
    ...ledger,
    organizations: Object.fromEntries([...Object.entries(ledger.organizations), ...changed]),
  };
}
