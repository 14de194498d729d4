/** One HTTP exchange through Node's own http and https. Of what fails, only a code leaves this file. */
import { constants } from 'node:buffer';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
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

type Content = Pick<Answer, 'body' | 'broken'>;

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
  const service = wayTo(settings);
  return async (outgoing) => {
    const { method } = outgoing;
    if (readOnly && method !== 'GET') throw refused(outgoing, 'refused, this client only reads', ReadOnly);
    closeDoubtful(service.options.agent);
    return exchange(service, outgoing);
  };
}

type Service = ReturnType<typeof wayTo>;

/** What all requests to a service share. Host and port are its own, whatever a route holds. */
function wayTo({ address, token, proxy, maxAnswerBytes }: Settings) {
  const { protocol, hostname, port } = urlToHttpOptions(new URL(address));
  const module = protocol === 'https:' ? https : http;
  const options = {
    protocol,
    hostname,
    port,
    // Never the global one: under NODE_USE_ENV_PROXY that asks the proxies of the environment.
    agent: proxy === null ? new module.Agent({ keepAlive: true }) : tunnelAgent(proxy),
    // Said here so that NODE_TLS_REJECT_UNAUTHORIZED=0 and --insecure-http-parser switch nothing off.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
  };
  const headers = {
    Accept: mediaType,
    'Accept-Encoding': 'gzip',
    Authorization: `Bearer ${token}`,
    'Content-Type': mediaType,
    'User-Agent': 'tether-iac',
  };
  return {
    module,
    options,
    headers,
    basePath: address.slice(new URL(address).origin.length),
    maxAnswerBytes,
  };
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
    if ((aliveUntil.get(connection) ?? 0) > now) continue;
    connection.destroy();
    // At once: else the agent may hand out one that is destroyed, until it hears of it.
    connection.emit('agentRemove');
  }
}

const cutOff: Content = { body: null, broken: 'cut off' };
const tooLarge: Content = { body: null, broken: 'too large' };

function exchange(service: Service, outgoing: Outgoing): Promise<Exchange> {
  return new Promise((resolve) => {
    const timeout = new AbortController();
    const request = open(service, outgoing, timeout.signal);
    const progress = watch(request);
    let head: Pick<Answer, 'kind' | 'status' | 'headers'> | null = null;
    /** Only the first call counts. */
    const end = (code: string, content = cutOff) => {
      clearTimeout(timer);
      const { connected: sent, tunnel } = progress;
      resolve(head === null ? { kind: 'none', sent, code, tunnel } : { ...head, ...content });
    };
    // Timeouts of sockets would start anew with each byte of a dripping answer.
    const timer = setTimeout(
      () => {
        end('timeout');
        timeout.abort();
        request.destroy();
      },
      Math.min(outgoing.timeoutMs, longestTimerMs),
    );
    // The code alone: the rest of these errors may hold the request.
    const fail = (error?: unknown) => end(systemCode(error));
    request.on('error', fail);
    // Without an answer, as after 101, there may be no error.
    request.once('close', () => head === null && fail());
    request.once('response', (response) => {
      // A tunnel that was refused: the answer is the proxy's own.
      if ((progress.tunnel ?? 200) !== 200) {
        request.destroy();
        return;
      }
      const { statusCode = 0, headers } = response;
      if (request.socket !== null) noteAlive(request.socket, headers);
      head = { kind: 'answer', status: statusCode, headers: flatten(headers) };
      void contentOf(response, service.maxAnswerBytes).then((content) => end('', content));
    });
  });
}

function open(
  { module, options, headers, basePath }: Service,
  outgoing: Outgoing,
  requestSignal: AbortSignal,
) {
  const { route, query, method, body } = outgoing;
  const search = new URLSearchParams(query).toString();
  // Said, because Node sends the body of a DELETE without it.
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const own = {
    method,
    path: basePath + route + (search === '' ? '' : `?${search}`),
    headers: { ...headers, ...length },
    requestSignal,
  };
  return module.request({ ...options, ...own }).end(body ?? '');
}

interface Progress {
  connected: boolean;
  tunnel?: number;
}

/** Before the connection stands (with TLS), nothing can have left. */
function watch(request: http.ClientRequest): Progress {
  const progress: Progress = { connected: false };
  request.once('proxyConnect', ({ statusCode }: { statusCode: number }) => {
    progress.tunnel = statusCode;
  });
  request.once('socket', (socket) => {
    const connected = () => {
      progress.connected = true;
    };
    const isSecure = request.protocol === 'https:';
    // In a tunnel the socket stands before TLS does.
    const isReady = isSecure ? (socket as TLSSocket).authorized : !socket.connecting;
    if (isReady) connected();
    else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
  });
  return progress;
}

/** The limit is for the bytes that come and for what they are unpacked to. */
function contentOf(response: http.IncomingMessage, most: number): Promise<Content> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else {
        resolve(tooLarge);
        response.destroy();
      }
    });
    response.once('error', () => resolve(cutOff));
    response.once('end', () => {
      const [first = Buffer.alloc(0), ...others] = chunks;
      const body = others.length === 0 ? first : Buffer.concat(chunks);
      resolve(unpack(body, response.headers['content-encoding'], most));
    });
  });
}

const unzip = promisify(gunzip);

/** A bomb is unpacked no further than the limit. Other encodings were not asked for, and stay as they are. */
async function unpack(packed: Buffer, encoding: string | undefined, most: number): Promise<Content> {
  if (packed.length === 0 || !/^(x-)?gzip$/i.test(encoding ?? '')) return { body: packed, broken: null };
  try {
    return {
      body: await unzip(packed, { maxOutputLength: Math.min(most, constants.MAX_LENGTH) }),
      broken: null,
    };
  } catch (error) {
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : cutOff;
  }
}

function flatten(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
