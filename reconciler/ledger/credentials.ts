/** Reads the credentials of ledgers from the environment. */
import * as querystring from 'node:querystring';
import type { StoreContext } from './store';

/** Returns null unless the text looks like `https://user:token@host`. */
export function parseLogin(credentials: string) {
  if (!URL.canParse(credentials)) return null;
  const { origin, username, password } = new URL(credentials);
  return { origin, user: querystring.unescape(username), token: querystring.unescape(password) };
}

/** Returns the secrets in the variables that the homes read. No message may show them. */
export function ledgerSecrets(env: NonNullable<StoreContext['env']>): readonly string[] {
  const { TETHER_LEDGER_CREDENTIALS: credentials = '', AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  const { user = '', token = '' } = parseLogin(credentials) ?? { token: credentials };
  return [token || user, AWS_SECRET_ACCESS_KEY ?? '', AWS_SESSION_TOKEN ?? ''];
}
