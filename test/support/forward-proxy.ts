/** A forward proxy on loopback, as stands between a company and the internet: it tunnels by CONNECT and keeps what it was asked. */
import * as http from 'node:http';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import { listen } from './loopback';

export type ForwardProxy = Awaited<ReturnType<typeof startForwardProxy>>;

export interface ProxyRules {
  /** `user:password`; without it nobody is asked for one. */
  readonly login?: string;
  /** Where a tunnel to any host leads: a port on loopback. */
  readonly leadsTo?: number;
  /** What it does in place of a tunnel. */
  readonly respond?: (socket: Duplex) => void;
}

export async function startForwardProxy({ login, leadsTo, respond }: ProxyRules) {
  /** Each CONNECT: the host it names. */
  const tunnels: { readonly host: string }[] = [];
  const bytes: Buffer[] = [];
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex): void => {
    sockets.add(socket.on('error', () => undefined));
  };
  const server = http.createServer((_, response) => response.writeHead(400).end());
  server.on('connection', (socket: Duplex) => {
    keep(socket);
    socket.on('data', (chunk: Buffer) => bytes.push(chunk));
  });
  server.on('connect', ({ url = '', headers }: http.IncomingMessage, socket: Duplex) => {
    tunnels.push({ host: url });
    const expectedLogin = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    if (login !== undefined && headers['proxy-authorization'] !== expectedLogin) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="it"\r\n\r\n',
      );
    } else if (respond !== undefined) respond(socket);
    else {
      const onwards = net.connect(leadsTo ?? 0, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onwards).pipe(socket);
      });
      keep(onwards);
      onwards.on('error', () => socket.destroy());
    }
  });
  const port = await listen(server);
  return {
    port,
    tunnels,
    /** Every byte that came, one character each. */
    received: () => Buffer.concat(bytes).toString('latin1'),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
