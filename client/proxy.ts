/** Finds the proxy that the environment names, and makes tunnels through it. */
import type { Agent as HttpsAgent } from 'node:https';
import { isIPv4, isIPv6 } from 'node:net';
import * as querystring from 'node:querystring';
import * as tls from 'node:tls';
import type * as Library from 'https-proxy-agent';
import type { SettingSource } from './account';
import { isLoopback } from './address';
import { systemCode } from './errors';
import { parseProxy } from './options';

/**
 * Returns the proxy for an address from `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. It is undefined for none and for loopback.
 * `HTTP_PROXY` is not read, because only loopback may use http. Throws `BadOption` for a value that is not the URL of a proxy.
 */
export function findProxy(address: string, source: SettingSource): string | undefined {
  const findName = (...names: readonly string[]) => names.find((name) => source.variable(name)) ?? '';
  const from = findName('HTTPS_PROXY', 'https_proxy');
  const proxy = source.variable(from);
  if (!proxy || !URL.canParse(address)) return undefined;
  const { hostname, port } = new URL(address);
  const exclusions = source.variable(findName('NO_PROXY', 'no_proxy'))?.split(',') ?? [];
  const isDirect =
    isLoopback(hostname) || exclusions.some((entry) => covers(entry.trim(), hostname, port || '443'));
  return isDirect ? undefined : parseProxy(proxy, from).href;
}

/** An entry is `*`, an IP address or a domain, and may end in a port. `.example.com` does not include `example.com`. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, onlyPort = ''] = isIPv6(entry) ? [] : (/^(.*):(\d*)$/.exec(entry) ?? []);
  if (onlyPort !== '' && onlyPort !== port) return false;
  // The URL parser has one spelling for each host name and address.
  const domain = name.replace(/^\*?\./, '');
  const url = `http://${isIPv6(domain) ? `[${domain}]` : domain}`;
  if (!URL.canParse(url) || /[/?#@]/.test(domain)) return false;
  const { hostname } = new URL(url);
  const isSame = domain === name && host === hostname;
  return isSame || (isIPv4(host) ? false : host.endsWith(`.${hostname}`));
}

/** The proxy made no tunnel, so no part of a request was sent. */
export class ProxyFailure extends Error {
  constructor(
    readonly code: string,
    /** The status of its response to CONNECT, if there was one. */
    readonly status: number | null,
  ) {
    super(code);
  }
}

/** Makes tunnels with CONNECT. The proxy sees the host name of the service, but not the requests. */
export function tunnelAgent(proxy: URL, timeoutMs: number, idleMs: number): HttpsAgent {
  const { HttpsProxyAgent } = require('https-proxy-agent') as typeof Library;
  type Connect = Parameters<Library.HttpsProxyAgent<string>['connect']>;
  class Tunnel extends HttpsProxyAgent<string> {
    override async connect(request: Connect[0], options: Connect[1]) {
      let status: number | null = null;
      request.once('proxyConnect', (response: { statusCode: number }) => {
        status = response.statusCode;
      });
      // A proxy that never answers must not hold a socket, and with it the process.
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, 2 ** 31 - 1));
      Object.assign(this.connectOpts, { signal: limit.signal });
      // If the address is an IP, TLS would otherwise check the certificate against the name of the proxy.
      const checkServerIdentity = (_: string, certificate: tls.PeerCertificate) =>
        tls.checkServerIdentity(options.host ?? '', certificate);
      let code = 'unknown error';
      try {
        const checks = { checkServerIdentity, rejectUnauthorized: true };
        const socket = await super.connect(request, Object.assign({}, options, checks));
        if (status === 200) return socket;
      } catch (error) {
        code = systemCode(error);
      } finally {
        clearTimeout(timer);
      }
      throw new ProxyFailure(code, status);
    }
  }
  // A bare % stands for itself.
  const login = `${querystring.unescape(proxy.username)}:${querystring.unescape(proxy.password)}`;
  // The login is not part of the URL, because the library prints that with DEBUG.
  const encoded = Buffer.from(login).toString('base64');
  const headers = login === ':' ? {} : { 'Proxy-Authorization': `Basic ${encoded}` };
  const agent = new Tunnel(proxy.origin, { keepAlive: true, rejectUnauthorized: true, headers });
  Object.assign(agent.options, { timeout: idleMs });
  return agent;
}
