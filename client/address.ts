/** The base URL of the service: checked once, so that the token can only go where it should. */
import { BadOption } from './errors';

/** Returns the address without a trailing slash; throws `BadOption` with all that is wrong unless it is https, or http to loopback. */
export function parseAddress(text: string): string {
  if (!URL.canParse(text)) {
    throw new BadOption('address', `the address is not a URL: it should look like https://host/api/v2`);
  }
  const url = new URL(text);
  const wrong = [
    ...(url.username !== '' || url.password !== ''
      ? ['the address holds a user name or password: leave it out, the token is all that is needed']
      : []),
    ...(url.search !== '' || url.hash !== ''
      ? ['the address holds a ? or #: it should look like https://host/api/v2']
      : []),
    ...wrongProtocol(url),
  ];
  if (wrong.length > 0) throw new BadOption('address', wrong.join('; '));
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function wrongProtocol({ protocol, host, hostname }: URL): readonly string[] {
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return [
      `the address http://${host} is http: the token would travel in the clear; use https (http is for loopback only)`,
    ];
  }
  if (protocol === 'http:' || protocol === 'https:') return [];
  return [`the address starts with ${protocol}//: it should start with https://`];
}

/** True for a host that never leaves this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
