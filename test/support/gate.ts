/** A loopback proxy before a service: it stops one request before or after it is applied, for as long as the test wants. */
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The next request of this kind is stopped. */
export interface Stop {
  readonly method: string;
  /** What the path ends with or holds. */
  readonly path: RegExp;
  /** `before`: it never reaches the service. `after`: it is applied, and its answer never arrives. */
  readonly when: 'before' | 'after';
}

export interface Gate {
  /** Base URL of the service behind it, by way of the proxy. */
  readonly address: string;
  /** Resolves once the request stands still; all others pass. */
  stop(what: Stop): Promise<void>;
  /** Lets everything pass again, and drops what stands still. */
  open(): void;
  close(): Promise<void>;
}

/** Stands before the service at this base URL. */
export async function openGate(service: string): Promise<Gate> {
  const { origin, pathname, hostname, port } = new URL(service);
  let waiting: { readonly what: Stop; reached(): void } | undefined;
  let reached = (): void => undefined;
  const still = new Set<http.ServerResponse>();
  /** The stop that this request is, if it is one. */
  const stopOf = (method = '', path = ''): 'before' | 'after' | undefined => {
    if (waiting === undefined || waiting.what.method !== method || !waiting.what.path.test(path)) return;
    const { when } = waiting.what;
    reached = waiting.reached;
    waiting = undefined;
    return when;
  };
  const server = http.createServer((request, response) => {
    const { method, url = '', headers } = request;
    const when = stopOf(method, url);
    const keep = (): void => {
      still.add(response);
      reached();
    };
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (when === 'before') {
      request.resume().on('end', keep);
      return;
    }
    const passed = http.request(
      { hostname, port, method, path: url, headers: { ...headers, host: new URL(origin).host } },
      (answer) => {
        if (when === 'after') {
          answer.resume().on('end', keep);
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  const open = (): void => {
    waiting = undefined;
    for (const response of still) response.destroy();
    still.clear();
  };
  return {
    address: `http://127.0.0.1:${own}${pathname}`,
    stop: (what) =>
      new Promise((resolve) => {
        waiting = { what, reached: resolve };
      }),
    open,
    close: () =>
      new Promise((resolve) => {
        open();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
