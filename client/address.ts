/** The base URL of the service: checked once, so that the token can only go where it should. */
import { BadOption } from './errors';

/** Returns the address without a trailing slash; throws `BadOption` unless it is https, or http to loopback. */
export function parseAddress(text: string): string {
  if (!URL.canParse(text)) {
    throw new BadOption('address', `the address is not a URL: it should look like https://host/api/v2`);
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new BadOption(
      'address',
      'the address holds a user name or password: leave it out, use TETHER_TOKEN',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new BadOption('address', 'the address holds a ? or #: it should look like https://host/api/v2');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new BadOption(
      'address',
      `the address ${url.origin} is http: the token would travel in the clear; use https (http is for loopback only)`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BadOption(
      'address',
      `the address starts with ${url.protocol}//: it should start with https://`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** True for a host that never leaves this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
