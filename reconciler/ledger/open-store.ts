/** Chooses the home of a ledger, in one place for all commands. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ledgerFileName } from '../../manifest/ledger-place';
import { FileStore } from './file-store';
import { HttpStore } from './http-store';
import { S3Store } from './s3-store';
import { LedgerError, type LedgerStore, type StoreContext } from './store';

/** Throws `LedgerError` if this home cannot be used, or if the folder also has a ledger file, which may be a second ledger. */
export function openStore(context: StoreContext): LedgerStore {
  const { ledger: place, folder, cwd } = context;
  const home = openHome(context);
  const file = join(folder, ledgerFileName);
  if (!place || !existsSync(file)) return home;
  const command = ['tether ledger move', relative(cwd, folder)].join(' ').trim();
  throw new LedgerError(
    `${relative(cwd, file)} exists, and the manifests name ${home.place}: move the ledger there with \`${command}\`, or delete the file if it is out of date`,
  );
}

/** Opens the home that the manifests name, whatever is in the folder. */
export function openHome(context: StoreContext): LedgerStore {
  const { ledger: place } = context;
  if (!place) return new FileStore(context);
  return place.home === 's3' ? new S3Store(place, context) : new HttpStore(place, context);
}
