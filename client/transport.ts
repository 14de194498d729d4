/** Executes one HTTP exchange with axios. No error of axios or Node, and no request header, leaves this file. */
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { join } from 'node:path';
import type { AxiosError, AxiosStatic } from 'axios';
import type { Method, Request } from './api';
import { ReadOnly, refused, systemCode } from './errors';
import type { Settings } from './options';
import { ProxyFailure, tunnelAgent } from './proxy';

export interface Outgoing {
  readonly method: Method;
  readonly route: string;
  readonly query?: Request<unknown>['query'] | undefined;
  readonly body: string | null;
  readonly timeoutMs: number;
}

const namedHeaders = ['date', 'location', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-reset'] as const;

/** The headers of a response that matter here. */
export type ResponseHeaders = Readonly<Partial<Record<(typeof namedHeaders)[number], string>>>;

export interface HttpResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** It is null if it cannot be read. `broken` then says why. */
  readonly body: Uint8Array | null;
  readonly broken: 'too large' | 'not complete in time' | 'cut off' | null;
}

export interface NoResponse {
  readonly kind: 'none';
  /** False when the request certainly did not reach the service. */
  readonly sent: boolean;
  /** It is `timeout`, or the code of a system or TLS error. */
  readonly code: string;
  /** The proxy made no tunnel. `status` is that of its response to CONNECT, if there was one. */
  readonly proxy?: { readonly status: number | null };
}

export type Exchange = HttpResponse | NoResponse;

export type Send = (outgoing: Outgoing) => Promise<Exchange>;

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;
/**
 * Servers keep an idle connection for longer than this. A request on a connection that its server has just closed would look like a lost
 * answer. Node obeys a shorter `Keep-Alive` of the server only if a time is set here.
 */
export const idleMs = 2000;

type TransportSettings = Pick<
  Settings,
  'address' | 'authorization' | 'mediaType' | 'proxy' | 'maxAnswerBytes' | 'timeoutMs'
>;

/** The transport of a read-only client throws `ReadOnly` for all methods but GET, before it connects. */
export function createTransport(settings: TransportSettings, readOnly = false): Send {
  const { address, authorization, mediaType, proxy, maxAnswerBytes, timeoutMs: tunnelTimeoutMs } = settings;
  // Commands that send nothing do not wait for axios to load.
  const axios = require('axios') as AxiosStatic;
  // Node's global agents would ask the proxies of the environment under NODE_USE_ENV_PROXY.
  const agentOptions = { keepAlive: true, timeout: idleMs };
  // NODE_TLS_REJECT_UNAUTHORIZED=0 must not switch the verification off.
  const direct = new https.Agent({ ...agentOptions, rejectUnauthorized: true });
  const service = axios.create({
    adapter: 'http',
    baseURL: address,
    allowAbsoluteUrls: false,
    // A redirect would send the body and the token to any place that it names.
    maxRedirects: 0,
    // Otherwise axios would give the token to a proxy from the environment.
    proxy: false,
    httpAgent: new http.Agent(agentOptions),
    httpsAgent: proxy === null ? direct : tunnelAgent(proxy, tunnelTimeoutMs, idleMs),
    // This limits the decompressed bytes.
    maxContentLength: maxAnswerBytes,
    responseType: 'arraybuffer',
    transformRequest: [],
    transformResponse: [],
    validateStatus: null,
    headers: {
      Accept: mediaType,
      'Accept-Encoding': 'gzip',
      Authorization: authorization,
      'User-Agent': `tether-iac/${packageVersion()}`,
    },
  });
  return async (outgoing) => {
    const { method, route, query, body, timeoutMs } = outgoing;
    if (readOnly && method !== 'GET') throw refused(outgoing, 'refused, this client only reads', ReadOnly);
    const search = new URLSearchParams(query).toString();
    const limit = new AbortController();
    // The timeouts of axios and of sockets start anew with each byte of a dripping answer.
    const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, maxTimerMs));
    try {
      const { status, headers, data } = await service.request<Uint8Array>({
        method,
        url: search === '' ? route : `${route}?${search}`,
        // A text would be sent as a form.
        data: body === null ? undefined : Buffer.from(body),
        headers: { 'Content-Type': mediaType },
        signal: limit.signal,
      });
      return { kind: 'response', status, headers: pickHeaders(headers), body: data, broken: null };
    } catch (error) {
      return explain(error as AxiosError, proxy !== null);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The request and its headers are part of this error, so only facts are taken from it. */
function explain({ code = '', cause, request, response }: Partial<AxiosError>, hasProxy: boolean): Exchange {
  const isTimeout = code === 'ERR_CANCELED';
  const { res: head, socket } = Object(request) as { res?: unknown; socket?: unknown };
  if (head instanceof http.IncomingMessage && Number(head.statusCode) >= 200) {
    const headers = pickHeaders(head.headers);
    // axios has one code for both errors. It omits the response if that is too large.
    const isTooLarge = code === 'ERR_BAD_RESPONSE' && response === undefined;
    const end = isTimeout ? 'not complete in time' : 'cut off';
    const broken = isTooLarge ? 'too large' : end;
    return { kind: 'response', status: Number(head.statusCode), headers, body: null, broken };
  }
  if (cause instanceof ProxyFailure) {
    return { kind: 'none', sent: false, code: cause.code, proxy: { status: cause.status } };
  }
  // A request gets its socket when the proxy has made the tunnel.
  if (isTimeout && hasProxy && !socket) {
    return { kind: 'none', sent: false, code: 'timeout', proxy: { status: null } };
  }
  const { syscall } = Object(cause) as { syscall?: unknown };
  // An open connection may end with the same codes if a router drops it.
  const isNotSent = neverSent.test(code) && syscall !== 'read' && syscall !== 'write';
  return { kind: 'none', sent: !isNotSent, code: isTimeout ? 'timeout' : systemCode({ code }) };
}

/** These codes mean no connection or a refused certificate. Any other failure may come after the request was sent. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_\w+|ERR_TLS_CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;

export function packageVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function pickHeaders(headers: Readonly<Record<string, unknown>>): ResponseHeaders {
  return Object.fromEntries(
    namedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
