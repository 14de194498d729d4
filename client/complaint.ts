/** What people read when a request fails: what happened and what to do. */
import type { Settings } from './options';

/** An answer that is no success; `said` is what the service wrote and `redirectsTo` where it points, both cleaned. */
export interface Refused {
  readonly status: number;
  readonly said: string;
  readonly html: boolean;
  readonly redirectsTo: string;
}

/** What it says, for a client of this address whose token came from there. */
export function describeAnswer(
  { status, said, html, redirectsTo }: Refused,
  { address, tokenFrom }: Pick<Settings, 'address' | 'tokenFrom'>,
): string {
  const quoted = said === '' ? '' : `: ${said}`;
  const advice = html || status === 404 ? adviceOnAddress(html, address) : '';
  if (status >= 300 && status < 400) {
    return `the service redirects (${status}) to ${redirectsTo}: not followed, the token stays here; use its final address`;
  }
  if (status === 401) return `the token was refused (401)${quoted}: check ${tokenFrom}${advice}`;
  if (status === 404) return `not found, or the token may not see it (404)${quoted}${advice}`;
  if (status === 403) return `forbidden (403)${quoted}: the token lacks a permission${advice}`;
  if (status === 429) {
    return `the service limits the rate (429)${quoted}: ask less often (--rate, under Pulumi tether:rate) or try again later`;
  }
  if (status >= 500) return `the service failed (${status})${quoted}: try again later${advice}`;
  if (status < 300) return `(${status})${advice}`;
  return `refused (${status})${quoted}${advice}`;
}

/** For an answer of more bytes than a client takes. */
export function describeTooLarge(maxAnswerBytes: number, address: string): string {
  const most =
    maxAnswerBytes >= mebibyte ? `${Math.floor(maxAnswerBytes / mebibyte)} MiB` : `${maxAnswerBytes} bytes`;
  return `the answer is larger than ${most}, the most this client reads: check that ${address} is the API and no download; createClient takes a higher maxAnswerBytes`;
}

const mebibyte = 1024 * 1024;

/** For an exchange without an answer; `code` is `timeout` or that of a system or TLS error. */
export function describeNone(code: string, sent: boolean, address: string): string {
  const { host } = new URL(address);
  if (sent) {
    if (code === 'timeout') return `no answer from ${host} in time`;
    if (code.startsWith('HPE_')) {
      return `${host} does not speak HTTP as expected (${code}): check the address and its port`;
    }
    return `the connection to ${host} broke before the answer was complete (${code})`;
  }
  if (code === 'timeout') return `no connection to ${host} in time: check the address and the network`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${host} (${code}): check the address`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the host name ${host} cannot be resolved (${code}): check the address`;
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return `${host} does not speak TLS as expected (${code}): check the address and its port`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|HOSTNAME/.test(code)) {
    return `the certificate of ${host} is not trusted (${code}): NODE_EXTRA_CA_CERTS names a file with further authorities`;
  }
  return `no connection to ${host} (${code}): check the address and the network`;
}

function adviceOnAddress(html: boolean, address: string): string {
  const wrongEnd = !address.endsWith('/api/v2');
  if (html) return `; the answer is HTML, not JSON:API: is the address right? It should end in /api/v2`;
  return wrongEnd ? `; is the address right? ${address} does not end in /api/v2` : '';
}

/** Only the origin: the rest of a redirect may carry what is nobody's business. */
export function originOf(location: string | undefined): string {
  if (location === undefined) return 'an unnamed place';
  return URL.canParse(location) ? new URL(location).origin : 'another path of the same host';
}
