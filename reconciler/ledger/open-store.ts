/** Picks the home of a ledger by its place in the manifest. */
import { FileStore } from './file-store';
import { LedgerError, type LockHolder, type StoreContext } from './store';

export type { StoreContext };

/** `place` is the value of `ledger:`; undefined is the file in the folder. Throws `LedgerError`. */
export function openStore(place: string | undefined, context: StoreContext): FileStore {
  if (place === undefined) return new FileStore(context);
  const scheme = place.slice(0, place.indexOf('://') + 3);
  throw new LedgerError(
    `a ledger at ${scheme} is not available yet: leave \`ledger:\` out to keep it in a file`,
  );
}

/** For a person who knows that the run with this lock is dead. Returns whose lock it was. */
export async function unlockDead(
  place: string | undefined,
  context: StoreContext,
  id: string,
): Promise<LockHolder> {
  return openStore(place, context).unlockDead(id);
}
