/** Picks the home of a ledger by its place in the manifest. */
import { type FilePlace, FileStore } from './file-store';
import { LedgerError, type LedgerStore, type LockHolder } from './store';

export interface StoreContext extends FilePlace {
  /** Where homes other than files find their credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `place` is the value of `ledger:`; undefined is the file in the folder. Throws `LedgerError`. */
export function openStore(place: string | undefined, context: StoreContext): LedgerStore {
  return homeOf(place, context);
}

/** `tether ledger unlock ID`. Returns whose lock it was. */
export async function unlockDead(
  place: string | undefined,
  context: StoreContext,
  id: string,
): Promise<LockHolder> {
  return homeOf(place, context).unlockDead(id);
}

function homeOf(place: string | undefined, context: StoreContext): FileStore {
  if (place === undefined) return new FileStore(context);
  const scheme = place.slice(0, place.indexOf('://') + 3);
  throw new LedgerError(
    `a ledger at ${scheme} is not available yet: leave \`ledger:\` out to keep it in a file`,
  );
}
