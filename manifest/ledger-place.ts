/** The home of a ledger: a file in the folder, or the place that a manifest names with `ledger:`. */

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
  if (key !== '' && !key.endsWith('/')) return { home: 's3', bucket, key };
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) {
    return 'must be `s3://bucket/key` or `https://host/…/terraform/state/NAME`';
  }
  const { origin, protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    return 'must hold no user name or password: they come from TETHER_LEDGER_CREDENTIALS';
  }
  if (search !== '' || hash !== '' || pathname.endsWith('/')) {
    return 'must end in the name of the state, without `/`, `?` or `#` behind it';
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol === 'http:' && !isHere) return 'must begin with https:// (http is for this machine only)';
  return { home: 'http', url: origin + pathname };
}
