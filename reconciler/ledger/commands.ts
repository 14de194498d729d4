/** Removing a lock that was left behind. */
import { rm } from 'node:fs/promises';
import { systemClock } from '../../client/clock';
import type { LedgerPlace } from './find';
import { LedgerError } from './ledger-error';
import { removeLock } from './lock';
import { describeHolder, type LockHolder, lockOf, readLock, stateOf } from './lock-file';

/** What `unlockLedger` found: whose lock it removed; `unreadable` when the file did not say; null when there was none. */
export type Unlocked = { readonly holder: LockHolder | 'unreadable' | null; readonly said: string };

/** Removes a lock that was left behind. Throws `LedgerError` when its holder is running on this host, unless forced. */
export async function unlockLedger(
  place: LedgerPlace,
  options: { readonly force: boolean },
): Promise<Unlocked> {
  const file = lockOf(place.file);
  let holder: LockHolder | null;
  try {
    holder = await readLock(file);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'corrupt') throw error;
    await rm(file, { force: true });
    return { holder: 'unreadable', said: 'Removed a lock that did not say who held it.' };
  }
  if (holder === null) return { holder, said: 'The ledger is not locked.' };
  if (stateOf(holder) === 'alive' && !options.force) {
    throw new LedgerError(
      'locked',
      file,
      `The lock is in use: ${describeHolder(holder)}.`,
      'That process is running: wait for it or stop it. With --force the lock goes all the same, and two runs may then change the same things.',
    );
  }
  await removeLock(file, holder, {
    command: 'tether ledger unlock',
    timeout: 0,
    clock: systemClock,
    onNote: () => {},
  });
  return { holder, said: `Removed the lock of ${describeHolder(holder)}.` };
}
