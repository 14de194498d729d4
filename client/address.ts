/** Checks an address of the service, so that the token goes only where it should. */
import { BadOption } from './errors';

/** Returns the address without a trailing slash. Throws one `BadOption` with everything that is wrong with it. */
export function parseAddress(text: string): string {
  const example = 'it should look like https://host/api/v2';
  if (!URL.canParse(text)) throw new BadOption(`the address is not a URL: ${example}`);
  const { protocol, host, hostname, username, password, search, hash, origin, pathname } = new URL(text);
  const mistakes: string[] = [];
  if (username !== '' || password !== '') {
    mistakes.push('the address holds a user name or password: leave it out, the token is all that is needed');
  }
  if (search !== '' || hash !== '') mistakes.push(`the address holds a ? or #: ${example}`);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const advice = 'the token would travel in the clear; use https (http is for loopback only)';
    mistakes.push(`the address http://${host} is http: ${advice}`);
  } else if (protocol !== 'http:' && protocol !== 'https:') {
    mistakes.push(`the address starts with ${protocol}//: it should start with https://`);
  }
  if (mistakes.length > 0) throw new BadOption(mistakes.join('; '));
  return origin + pathname.replace(/\/+$/, '');
}

export function endsInApiPath(address: string): boolean {
  return address.endsWith('/api/v2');
}

/** Returns the end of a message about an address, or an empty string. */
export function pathHint(address: string): string {
  return endsInApiPath(address) ? '' : ' (it does not end in /api/v2)';
}

/**
 * True for a loopback host as `URL` writes it, with IPv4 inside IPv6 in hexadecimal. Such a host may be called without TLS, also one of a ledger,
 * and is reached without a proxy.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}
