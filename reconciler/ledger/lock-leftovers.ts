/** What processes that were killed while they took or gave back a lock have left beside it. */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LedgerError } from './ledger-error';
import { readLock, stateOf } from './lock-file';

/**
 * Removes the claims and temporary files of dead processes of this host beside a lock; only for the one who holds it.
 * A claim beside it is about an earlier lock, so nobody loses anything by it.
 */
export async function removeLockLeftovers(lockFile: string): Promise<void> {
  const folder = dirname(lockFile);
  const names = (await readdir(folder)).filter((name) => isBeside(basename(lockFile), name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if (await isLeftBehind(path)) await rm(path, { force: true });
    }),
  );
}

/** `x.lock.<token>` claims the right to remove that lock, the same with `.tmp` is one being written; claims have claims. */
function isBeside(lock: string, name: string): boolean {
  return name.startsWith(`${lock}.`) && /^(\.[0-9a-f]{16})+(\.tmp)?$/.test(name.slice(lock.length));
}

async function isLeftBehind(path: string): Promise<boolean> {
  try {
    const holder = await readLock(path);
    return holder !== null && stateOf(holder) === 'dead';
  } catch (error) {
    // Cut off while it was written; whoever is still at it writes it again.
    return error instanceof LedgerError && error.code === 'corrupt' && path.endsWith('.tmp');
  }
}
