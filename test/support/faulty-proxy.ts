/** A proxy on loopback before a server: it loses requests and answers, changes answers, and lets a test act at a chosen moment. */
import * as http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { close, listen } from './loopback';

/** A `lost` request never reaches the server. An `unanswered` one is executed. Any other answer is given in place of the server. */
export type Fate =
  | 'passes'
  | 'lost'
  | 'unanswered'
  | { readonly status: number; readonly body?: string; readonly headers?: http.OutgoingHttpHeaders };

export interface ProxiedRequest {
  readonly method: string;
  readonly url: string;
}

export interface FaultyProxy {
  readonly origin: string;
  /** Decides each request, before it is passed on. */
  decide: (seen: ProxiedRequest) => Fate | Promise<Fate>;
  /** Runs when the server has answered, before the answer is passed on. */
  afterResponse: (seen: ProxiedRequest) => void | Promise<void>;
  /** Changes the path of a request. */
  rewrite: (url: string) => string;
  /** Changes the body of an answer. */
  edit: (body: string) => string;
  /** All that came so far. */
  readonly requests: ProxiedRequest[];
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const pass = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    proxy.requests.push({ method, url });
    const fate = await proxy.decide({ method, url });
    if (fate === 'lost') return response.destroy();
    if (typeof fate === 'object') return response.writeHead(fate.status, fate.headers).end(fate.body);
    // The Host header stays, because S3 signs it.
    const passed = http.request({ hostname, port, method, path: proxy.rewrite(url), headers, agent: false });
    passed.end(body);
    const upstream = await new Promise<http.IncomingMessage>((resolve, reject) => {
      passed.on('response', resolve).on('error', reject);
    });
    const bytes = await buffer(upstream);
    await proxy.afterResponse({ method, url });
    if (fate === 'unanswered') return response.destroy();
    const edited = proxy.edit(bytes.toString());
    const changed = edited === bytes.toString() ? bytes : Buffer.from(edited);
    const { 'content-length': length, ...others } = upstream.headers;
    const size = length === undefined ? {} : { 'content-length': changed.length };
    return response.writeHead(upstream.statusCode ?? 502, { ...others, ...size }).end(changed);
  };
  const server = http.createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  const ownAddress = await listen(server);
  const proxy: FaultyProxy = {
    origin: `http://127.0.0.1:${ownAddress}`,
    decide: () => 'passes',
    afterResponse: () => undefined,
    rewrite: (url) => url,
    edit: (body) => body,
    requests: [],
    close: () => close(server),
  };
  return proxy;
}
