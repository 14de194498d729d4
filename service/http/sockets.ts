// The sockets of a server: opening, closing, and answering what never becomes a request.

import type { AddressInfo, Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '../failure';
import { errorDocument } from '../rules/refusal';
import { mediaType } from './api';

const graceMilliseconds = 1000;

const refusals: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use. Choose another one, or none for a free one.`,
  EACCES: (host, port) =>
    `Port ${port} of ${host} is not for this user. Choose one above 1023, or none for a free one.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine. Leave it out for the loopback.`,
  ENOTFOUND: (host) => `The host name ${host} cannot be resolved. Leave it out for the loopback.`,
};

/** Starts listening and tells the port. Rejects with a sentence when it cannot. */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = codeOf(error);
    const why = refusals[String(code)]?.(host, port);
    throw why === undefined ? error : new Error(`${why} (${String(code)})`, { cause: error });
  }
  return (server.server.address() as AddressInfo).port;
}

/** Ends a server: requests under way may finish for a second, idle connections go at once. */
export async function end(server: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => server.server.closeAllConnections(), graceMilliseconds);
  await server.close();
  clearTimeout(impatient);
}

/** Answers a URL that the router cannot read. */
export function answerBrokenUrl({ code }: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  // The other code is that of a path part too long to be an id, which is an id that nothing has.
  const broken = code === 'FST_ERR_BAD_URL';
  const detail = broken ? 'the URL is not well percent-encoded' : 'there is no such resource';
  const status = broken ? 400 : 404;
  const document = errorDocument(status, [{ detail }]);
  reply
    .code(status)
    .header('content-type', mediaType)
    .send(Buffer.from(JSON.stringify(document)));
}

const reasons = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
} as const;

function statusOf(code: string): keyof typeof reasons {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** Answers bytes that are not an HTTP request, and hangs up. */
export function answerBrokenHttp({ code }: Error & { code: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statusOf(code);
  const body = JSON.stringify(errorDocument(status, [{ detail: `this is not an HTTP request (${code})` }]));
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
