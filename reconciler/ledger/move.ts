/** Moves a ledger file to the home that the manifests name. */
import { randomUUID } from 'node:crypto';
import { renderLedger } from './document';
import type { FileStore } from './file-store';
import type { Ledger } from './ledger';
import { LedgerError, type LedgerStore, type LockHolder } from './store';

/** Locks both, and leaves it to the caller to unlock them. Rejects with `LedgerError` if the home holds another document. */
export async function moveLedger(
  file: FileStore,
  home: LedgerStore,
  { who }: Pick<LockHolder, 'who'>,
): Promise<Ledger> {
  const holder = { id: randomUUID(), who };
  await file.lock(holder, 0);
  await home.lock(holder, 0);
  const ledger = await file.read();
  if (ledger === null) throw new LedgerError(`there is no ${file.place} to move`);
  await copyLedger(ledger, file, home);
  await file.remove(home.place);
  return ledger;
}

/** The home may hold this very document, if an earlier move was killed. */
async function copyLedger(ledger: Ledger, file: FileStore, home: LedgerStore): Promise<void> {
  // Two copies of a ledger that were both changed may have the same lineage and serial.
  const isSame = (stored: Ledger | null) => stored !== null && renderLedger(stored) === renderLedger(ledger);
  const before = await home.read();
  if (isSame(before)) return;
  if (before !== null) {
    const isNewer = before.lineage === ledger.lineage && before.serial > ledger.serial;
    const advice = isNewer
      ? `The home has the higher serial. Compare the objects of both: if the home has all of them, delete ${file.place}, in version control too`
      : 'They are two documents: delete the one that is out of date, or take the `ledger:` line out';
    throw new LedgerError(`there is a ledger in ${file.place} and one at ${home.place}. ${advice}`);
  }
  await home.save(ledger, null);
  if (isSame(await home.read())) return;
  throw new LedgerError(`${home.place} does not hold what was just saved there`);
}
