/** Chooses the home of a ledger, in one place for all commands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFileName } from '../../manifest/ledger-place';
import { FileStore } from './file-store';
import { HttpStore } from './http-store';
import { MovingStore } from './moving-store';
import { S3Store } from './s3-store';
import type { LedgerStore, StoreContext } from './store';

/** Throws `LedgerError` if this home cannot be used. */
export function openStore(context: StoreContext): LedgerStore {
  const { ledger: place, folder } = context;
  if (!place) return new FileStore(context);
  const home = place.home === 's3' ? new S3Store(place, context) : new HttpStore(place, context);
  const isFilePresent = existsSync(join(folder, ledgerFileName));
  return isFilePresent ? new MovingStore(new FileStore(context), home) : home;
}
