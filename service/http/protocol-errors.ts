// Answers what never becomes a request: broken URLs, broken HTTP, headers without end.

import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { mediaType } from './api';
import { errorDocument } from './error-document';

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

/** Answers bytes that are no HTTP request, and hangs up. */
export function answerBrokenHttp({ code }: Error & { code: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statusOf(code);
  const body = JSON.stringify(errorDocument(status, [{ detail: `this is no HTTP request (${code})` }]));
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
