/** Reads the credentials of ledgers from the environment. */
import * as querystring from 'node:querystring';
import type { StoreContext } from './store';

/** Returns the login of each URL `https://user:token@host` in a text. Blanks separate them. */
export function parseLogins(credentials: string) {
  return credentials.split(/\s+/).flatMap((part) => {
    if (!isLogin(part)) return [];
    const { origin, username, password } = new URL(part);
    return [{ origin, user: querystring.unescape(username), token: querystring.unescape(password) }];
  });
}

function isLogin(text: string): boolean {
  return /^https?:/i.test(text) && URL.canParse(text);
}

/** Returns the secrets in the variables that the homes read. No message may show them. */
export function ledgerSecrets(env: NonNullable<StoreContext['env']>): readonly string[] {
  const { TETHER_LEDGER_CREDENTIALS: credentials = '', AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  const tokens = parseLogins(credentials).map(({ user, token }) => token || user);
  const unreadable = credentials.split(/\s+/).filter((part) => !isLogin(part));
  return [...tokens, ...unreadable, AWS_SECRET_ACCESS_KEY ?? '', AWS_SESSION_TOKEN ?? ''];
}
