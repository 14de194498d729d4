/** One HTTP exchange through axios: nothing of axios leaves this file, neither its errors nor its objects. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { AxiosInstance, AxiosResponse, AxiosStatic } from 'axios';
import type { Method } from './api';
import { ReadOnly } from './errors';
import type { Settings } from './options';

/** What one attempt sends; `body` is serialised already. */
export interface Outgoing {
  readonly method: Method;
  readonly route: string;
  readonly query: string;
  readonly body: string | null;
  readonly timeoutMs: number;
}

/** What came of one attempt. */
export type Exchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Null when the status arrived but the body cannot be read. */
      readonly body: Uint8Array | null;
      /** Why the body cannot be read. */
      readonly broken: 'too large' | 'cut off' | null;
    }
  | {
      readonly kind: 'none';
      /** False when it is certain that no byte of the request left. */
      readonly sent: boolean;
      /** `timeout`, or the code of a system or TLS error. */
      readonly code: string;
    };

export type Send = (outgoing: Outgoing) => Promise<Exchange>;

const MEDIA_TYPE = 'application/vnd.api+json';

/** A transport for one address and token. A read-only one throws `ReadOnly` for anything but GET, before it connects. */
export function createTransport(settings: Settings, readOnly: boolean): Send {
  let instance: AxiosInstance | undefined;
  const kept = createAgents(true);
  const fresh = createAgents(false);
  return async (outgoing) => {
    if (readOnly && outgoing.method !== 'GET') {
      throw new ReadOnly(
        `${outgoing.method} ${outgoing.route}: refused, this client only reads; nothing was sent`,
        'not-sent',
        { method: outgoing.method, route: outgoing.route, status: null, attempts: 0, details: [] },
      );
    }
    instance ??= createInstance(settings);
    // On a connection that was kept, a reset by a server that had just closed it looks like a lost answer.
    return exchange(instance, outgoing, outgoing.method === 'POST' ? fresh : kept);
  };
}

interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

function createAgents(keepAlive: boolean): Agents {
  // Said here so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
  const httpsAgent = new https.Agent({ keepAlive, rejectUnauthorized: true });
  return { httpAgent: new http.Agent({ keepAlive }), httpsAgent };
}

function createInstance(settings: Settings): AxiosInstance {
  // Loaded at the first request: whoever only validates manifests never pays for it.
  const axios = require('axios') as AxiosStatic;
  const { proxy } = settings;
  return axios.create({
    adapter: 'http',
    baseURL: settings.address,
    allowAbsoluteUrls: false,
    maxRedirects: 0,
    maxContentLength: settings.maxAnswerBytes,
    proxy: proxy === null ? false : proxySettings(proxy),
    responseType: 'arraybuffer',
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    validateStatus: () => true,
    headers: {
      Accept: MEDIA_TYPE,
      Authorization: `Bearer ${settings.token}`,
      'Content-Type': MEDIA_TYPE,
      'User-Agent': 'tether-iac',
    },
  });
}

function proxySettings(proxy: URL) {
  const port = proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port);
  const auth = { username: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
  return {
    protocol: proxy.protocol,
    host: proxy.hostname,
    port,
    ...(proxy.username === '' ? {} : { auth }),
  };
}

async function exchange(axios: AxiosInstance, outgoing: Outgoing, agents: Agents): Promise<Exchange> {
  const abort = new AbortController();
  // Over the whole attempt: the timeouts of sockets start anew with each byte of a dripping answer.
  const timer = setTimeout(() => abort.abort(), outgoing.timeoutMs);
  const progress: Progress = { connected: false, answer: null };
  try {
    const response = await axios.request<Uint8Array>({
      url: outgoing.route + outgoing.query,
      method: outgoing.method,
      ...(outgoing.body === null ? {} : { data: Buffer.from(outgoing.body) }),
      signal: abort.signal,
      transport: observed(progress),
      ...agents,
    });
    return { ...answered(response), body: new Uint8Array(response.data), broken: null };
  } catch (error) {
    if (progress.answer !== null) {
      return { ...progress.answer, body: null, broken: isTooLarge(error) ? 'too large' : 'cut off' };
    }
    const code = abort.signal.aborted ? 'timeout' : codeOf(error);
    return { kind: 'none', sent: progress.connected, code };
  } finally {
    clearTimeout(timer);
  }
}

/** What the socket has shown so far. */
interface Progress {
  connected: boolean;
  answer: { kind: 'answer'; status: number; headers: Record<string, string> } | null;
}

/** Node's own http and https, watched: before the connection stands (with TLS), nothing of the request can have left. */
function observed(progress: Progress) {
  return {
    request(options: https.RequestOptions, callback: (response: http.IncomingMessage) => void) {
      const secure = options.protocol === 'https:';
      const request = (secure ? https : http).request(options, callback);
      request.once('socket', (socket) => {
        const connected = () => {
          progress.connected = true;
        };
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      request.once('response', (response) => {
        progress.answer = {
          kind: 'answer',
          status: response.statusCode ?? 0,
          headers: flatten(response.headers),
        };
      });
      return request;
    },
  };
}

function answered(response: AxiosResponse): {
  kind: 'answer';
  status: number;
  headers: Record<string, string>;
} {
  return { kind: 'answer', status: response.status, headers: flatten(response.headers) };
}

function flatten(headers: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name.toLowerCase(), String(value)]],
    ),
  );
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('maxContentLength');
}

/** The code alone: messages and other members of these errors may hold the request. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
