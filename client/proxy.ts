/** The way to the service through a proxy: which one the environment names, and tunnels through it. */
import type { ClientRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP } from 'node:net';
import * as querystring from 'node:querystring';
import * as tls from 'node:tls';
import { domainToASCII } from 'node:url';
import type * as Library from 'https-proxy-agent';
import { type SettingSource, settingOf } from './account';
import { isLoopback, parseProxy } from './options';

/**
 * The proxy for an address, by `HTTPS_PROXY` and `NO_PROXY` or their names in lower case, read as Go's tools do
 * (golang.org/x/net/http/httpproxy). Undefined for none, and for loopback. `HTTP_PROXY` is for http, which only loopback may be.
 * Throws `BadOption` for what is no URL of a proxy.
 */
export function proxyOf(address: string, source: SettingSource): string | undefined {
  const proxy = settingOf(source, 'HTTPS_PROXY', 'https_proxy');
  if (proxy === undefined || !URL.canParse(address)) return undefined;
  const { hostname, port } = new URL(address);
  const excluded = settingOf(source, 'NO_PROXY', 'no_proxy')?.value.split(',') ?? [];
  const isDirect =
    isLoopback(hostname) || excluded.some((entry) => covers(entry.trim(), bare(hostname), port || '443'));
  return isDirect ? undefined : parseProxy(proxy.value, proxy.from).href;
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** `*`; an address or a block of them; `example.com` with what is below it, `.example.com` without itself. All but a block may end in a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, only = ''] = isIP(entry) === 0 ? (/^([^/]*):(\d*)$/.exec(entry) ?? []) : [];
  if (only !== '' && only !== port) return false;
  if (isIP(host) !== 0) return isWithin(host, bare(name));
  const domain = domainToASCII(name).replace(/^\*\./, '.');
  return domain !== '' && (host === domain || host.endsWith(domain.startsWith('.') ? domain : `.${domain}`));
}

/** Whether an IP address is this one, however it is written, or in a block such as `10.0.0.0/8`. */
function isWithin(address: string, block: string): boolean {
  const [, net = block, bits] = /^(.*)\/(\d+)$/.exec(block) ?? [];
  const [own, family] = [address, net].map((ip) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4'));
  const list = new BlockList();
  try {
    if (bits === undefined) list.addAddress(net, family);
    else list.addSubnet(net, Number(bits), family);
  } catch {
    // Not an address, or more bits than it has.
  }
  return list.check(address, own);
}

type ConnectOptions = Parameters<Library.HttpsProxyAgent<string>['connect']>[1];

/** Tunnels by CONNECT: the proxy sees the host name of the service and nothing of the requests. */
export function tunnelAgent(proxy: URL): HttpsAgent {
  // Only who has a proxy pays for loading it.
  const { HttpsProxyAgent } = require('https-proxy-agent') as typeof Library;
  class Tunnel extends HttpsProxyAgent<string> {
    /** A proxy that never answers must not hold a socket, and with it the process, beyond the request's end. */
    override connect(
      request: ClientRequest,
      options: ConnectOptions & { readonly requestSignal?: AbortSignal },
    ) {
      Object.assign(this.connectOpts, { signal: options.requestSignal });
      // For an address that is an IP, TLS would otherwise look for the name of the socket's other end: the proxy's.
      const checkServerIdentity = (_: string, certificate: tls.PeerCertificate) =>
        tls.checkServerIdentity(options.host ?? '', certificate);
      return super.connect(request, Object.assign({}, options, { checkServerIdentity }));
    }
  }
  // A bare % stands for itself.
  const login = `${querystring.unescape(proxy.username)}:${querystring.unescape(proxy.password)}`;
  // Not in the URL: the library prints that with DEBUG.
  const encoded = Buffer.from(login).toString('base64');
  const headers = login === ':' ? {} : { 'Proxy-Authorization': `Basic ${encoded}` };
  return new Tunnel(proxy.origin, { keepAlive: true, rejectUnauthorized: true, headers });
}
