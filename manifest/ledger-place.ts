/** The home of a ledger: a file in the folder, or the place that a manifest names with `ledger:`. */
import { isLoopback } from '../client/address';

export const ledgerFileName = 'tether.ledger.json';

/** The place of a ledger. A `url` has no query, and ends in the name of the document. */
export type LedgerPlace =
  | { readonly home: 's3'; readonly bucket: string; readonly key: string }
  | { readonly home: 'http'; readonly url: string };

export const ledgerPlacePattern = '^(s3|https?)://';

/** Returns what is wrong as the rest of a sentence that does not show the text, which may hold a password. */
export function parseLedgerPlace(text: string): LedgerPlace | string {
  const [, bucket = '', key = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w!.*'()/-]+)$/.exec(text) ?? [];
  if (key.endsWith('.lock')) return 'must not end in `.lock`, the ending of the lock of another ledger';
  if (key !== '' && !key.endsWith('/')) return { home: 's3', bucket, key };
  if (!/^https?:\/\/[^/\s]\S*$/.test(text) || !URL.canParse(text)) {
    return 'must be `s3://bucket/key` or `https://host/…/terraform/state/NAME`, without blanks';
  }
  const { origin, protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    return 'must hold no user name or password: they come from TETHER_LEDGER_CREDENTIALS';
  }
  if (search !== '' || hash !== '' || !/\/terraform\/state\/[^/]+$/.test(pathname)) {
    return 'must end in `/terraform/state/NAME`, without `/`, `?` or `#` behind it';
  }
  const isPlain = protocol === 'http:' && !isLoopback(hostname);
  return isPlain
    ? 'must begin with https:// (http is for this machine only)'
    : { home: 'http', url: origin + pathname };
}
