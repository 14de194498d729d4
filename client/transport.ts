/** One HTTP exchange through axios. Neither its errors nor its objects leave this file. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AxiosInstance, AxiosStatic } from 'axios';
import type { Method, Request } from './api';
import { ReadOnly, refused, systemCode } from './errors';
import type { Settings } from './options';
import { tunnelAgent } from './proxy';

export interface Outgoing {
  method: Method;
  route: string;
  query?: Request<unknown>['query'] | undefined;
  body: string | null;
  timeoutMs: number;
}

interface Answer {
  kind: 'answer';
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Null when it cannot be read. */
  body: Uint8Array | null;
  /** Why not. */
  broken: 'too large' | 'cut off' | null;
}

export type Exchange =
  | Answer
  | {
      kind: 'none';
      /** False when certainly no byte of the request left. */
      sent: boolean;
      /** `timeout`, or the code of a system or TLS error. */
      code: string;
      /** The status with which a proxy answered CONNECT. */
      tunnel?: number | undefined;
    };

export type Send = (outgoing: Outgoing) => Promise<Exchange>;

const mediaType = 'application/vnd.api+json';
/** Node fires a longer one immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** A read-only one throws `ReadOnly` for all but GET, before it connects. */
export function createTransport(settings: Settings, readOnly: boolean): Send {
  let instance: AxiosInstance | undefined;
  const agents = createAgents(settings.proxy);
  return async (outgoing) => {
    const { method } = outgoing;
    if (readOnly && method !== 'GET') throw refused(outgoing, 'refused, this client only reads', ReadOnly);
    instance ??= createInstance(settings);
    for (const agent of Object.values(agents)) closeDoubtful(agent);
    return exchange(instance, outgoing, agents);
  };
}

function createAgents(proxy: URL | null) {
  const keepAlive = true;
  const httpsAgent = proxy === null ? new https.Agent({ keepAlive }) : tunnelAgent(proxy);
  return { httpAgent: new http.Agent({ keepAlive }), httpsAgent };
}

/** Where a server does not say how long it keeps a connection: less than any that is known keeps one. */
const keptMs = 2000;
/** Before the server's own end of it, for what is on the way; and what lies between may forget one sooner than its ends. */
const marginMs = 1000;
const mostKeptMs = 15_000;

/** Until when a kept connection is known to be alive, in milliseconds of `performance.now()`. */
const aliveUntil = new WeakMap<Duplex, number>();

function noteAlive(connection: Duplex, { 'keep-alive': asked = '' }: http.IncomingHttpHeaders) {
  const [, seconds] = /\btimeout=(\d+)/i.exec(String(asked)) ?? [];
  const ms = seconds === undefined ? keptMs : Number(seconds) * 1000 - marginMs;
  aliveUntil.set(connection, performance.now() + Math.min(ms, mostKeptMs));
}

/** A reset of one that its server had just closed would look like a lost answer, and a create that is lost costs a look. */
function closeDoubtful({ freeSockets }: http.Agent) {
  const idle = Object.values(freeSockets).flatMap((connections) => connections ?? []);
  const now = performance.now();
  for (const connection of idle) {
    if ((aliveUntil.get(connection) ?? 0) <= now) connection.destroy();
  }
}

function createInstance(settings: Settings): AxiosInstance {
  // Loaded at the first request: commands without network access start faster.
  const axios = require('axios') as AxiosStatic;
  return axios.create({
    adapter: 'http',
    baseURL: settings.address,
    allowAbsoluteUrls: false,
    maxRedirects: 0,
    maxContentLength: settings.maxAnswerBytes,
    proxy: false,
    responseType: 'arraybuffer',
    validateStatus: () => true,
    headers: {
      Accept: mediaType,
      Authorization: `Bearer ${settings.token}`,
      'Content-Type': mediaType,
      'User-Agent': 'tether-iac',
    },
  });
}

async function exchange(
  axios: AxiosInstance,
  { route, query, method, body: requestBody, timeoutMs }: Outgoing,
  agents: ReturnType<typeof createAgents>,
): Promise<Exchange> {
  // Timeouts of sockets would start anew with each byte of a dripping answer.
  const signal = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  const progress: Progress = { connected: false, head: null };
  let body: Answer['body'] = null;
  let broken: Answer['broken'] = null;
  let code = '';
  try {
    const { data } = await axios.request<Uint8Array>({
      url: route,
      params: new URLSearchParams(query),
      method,
      ...(requestBody === null ? {} : { data: Buffer.from(requestBody) }),
      signal,
      transport: observed(progress, signal),
      ...agents,
    });
    body = new Uint8Array(data);
  } catch (error) {
    broken = isTooLarge(error) ? 'too large' : 'cut off';
    // The code alone: the rest of these errors may hold the request.
    code = signal.aborted ? 'timeout' : systemCode(error);
  }
  const { head, connected, tunnel } = progress;
  return head === null ? { kind: 'none', sent: connected, code, tunnel } : { ...head, body, broken };
}

interface Progress {
  connected: boolean;
  tunnel?: number;
  head: Pick<Answer, 'kind' | 'status' | 'headers'> | null;
}

/** Node's http and https, watched: before the connection stands (with TLS), nothing can have left. */
function observed(progress: Progress, signal: AbortSignal) {
  return {
    request(options: https.RequestOptions, callback: (response: http.IncomingMessage) => void) {
      const secure = options.protocol === 'https:';
      // Said here so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
      const safe = { ...options, rejectUnauthorized: true, requestSignal: signal };
      const request = (secure ? https : http).request(safe, callback);
      request.once('proxyConnect', ({ statusCode }: { statusCode: number }) => {
        progress.tunnel = statusCode;
      });
      request.once('socket', (socket) => {
        const connected = () => {
          progress.connected = true;
        };
        // In a tunnel the socket stands before TLS does.
        const isReady = secure ? (socket as TLSSocket).authorized : !socket.connecting;
        if (isReady) connected();
        else socket.once(secure ? 'secureConnect' : 'connect', connected);
      });
      request.once('response', ({ statusCode = 0, headers }) => {
        // A tunnel that was refused: the answer is the proxy's own.
        if ((progress.tunnel ?? 200) !== 200) return;
        if (request.socket !== null) noteAlive(request.socket, headers);
        progress.head = { kind: 'answer', status: statusCode, headers: flatten(headers) };
      });
      return request;
    },
  };
}

function flatten(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('maxContentLength');
}
