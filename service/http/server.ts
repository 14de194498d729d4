// Builds the server of the API out of its operations, log and faults.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { addFaults, type FaultPlan } from '../admin/faults';
import type { RequestLog } from '../admin/request-log';
import { notFound, Refusal } from '../rules/refusal';
import type { World } from '../world';
import { addApi, addProtocol, prefix, refuse } from './api';
import { clientOperations } from './client-operations';
import { openApi } from './openapi';
import { mediaType } from './operation';
import { lookupOperations } from './places';
import { triggerOperations } from './trigger-operations';

const bodyLimit = 1024 * 1024;
const requestTimeout = 60_000;
// More than Node takes as headers, so that no long id is refused before its token is looked at.
const maxParamLength = 64 * 1024;

// By their headings in the OpenAPI document.
const kinds = {
  'OAuth clients': clientOperations,
  'Run triggers': triggerOperations,
  Lookups: lookupOperations,
};

export function buildServer(world: World, log: RequestLog, faults: FaultPlan) {
  const server = fastify({
    bodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    requestTimeout,
    frameworkErrors: answerBrokenUrl,
    clientErrorHandler: answerBrokenHttp,
  });
  const described = Object.entries(kinds).map(([heading, of]) => [heading, of(world)] as const);
  const operations = described.flatMap(([, ofKind]) => ofKind);
  addProtocol(server, world);
  // A part of its own: the router, which knows every spelling of a path, decides what log, faults and checks see.
  server.register(
    async (api) => {
      addFaults(api, world, log, faults);
      addApi(api, world, operations);
    },
    { prefix },
  );
  let document: string | undefined;
  server.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApi(described));
    return reply.type('application/json').send(document);
  });
  server.get('/healthz', (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  return server;
}

function answerBrokenUrl({ code }: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  // Otherwise a part of the path is too long to be an id.
  const isBroken = code === 'FST_ERR_BAD_URL';
  refuse(reply, isBroken ? new Refusal(400, 'the URL is not well percent-encoded') : notFound());
}

function answerBrokenHttp({ code }: Error & { code: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const otherwise = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : otherwise;
  const { document } = new Refusal(status, `this is not an HTTP request (${code})`);
  const body = JSON.stringify(document);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
