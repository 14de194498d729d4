/** Chooses the home of a ledger, in one place for all commands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFileName } from '../../manifest/ledger-place';
import { FileStore } from './file-store';
import { HttpStore, parseLogin } from './http-store';
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

/** Returns the secrets in the variables that the homes read. No message may show them. */
export function ledgerSecrets(env: NonNullable<StoreContext['env']>): readonly string[] {
  const { TETHER_LEDGER_CREDENTIALS: credentials = '', AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  const { user = '', token = '' } = parseLogin(credentials) ?? { token: credentials };
  return [token || user, AWS_SECRET_ACCESS_KEY ?? '', AWS_SESSION_TOKEN ?? ''];
}
