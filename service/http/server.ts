// Builds the server of the API out of its operations, the request log and the faults.

import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { addFaults, type FaultPlan } from '../admin/faults';
import type { RequestLog } from '../admin/request-log';
import { timestamp } from '../machine';
import type { World } from '../world';
import { addApi, addProtocol, prefix } from './api';
import { clientOperations } from './client-operations';
import { openApi } from './openapi';
import { lookupOperations } from './places';
import { answerBrokenHttp, answerBrokenUrl } from './sockets';
import { triggerOperations } from './trigger-operations';

const bodyLimit = 1024 * 1024;
const requestTimeout = 60_000;
// More than Node takes as headers, so that no id is refused for its length before its token was looked at.
const maxParamLength = 64 * 1024;

// Every kind of resource; what callers can do with it.
const kinds = [clientOperations, triggerOperations, lookupOperations];

/** The template of the route that a request took, below the prefix; null when there is none. */
function routeOf({ is404, routeOptions }: FastifyRequest): string | null {
  return is404 || !routeOptions.url ? null : routeOptions.url.slice(prefix.length);
}

/** A server of the whole API, not yet listening. */
export function buildServer(world: World, log: RequestLog, faults: FaultPlan): FastifyInstance {
  const server = fastify({
    bodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    requestTimeout,
    frameworkErrors: answerBrokenUrl,
    clientErrorHandler: answerBrokenHttp,
  });
  const operations = kinds.flatMap((operationsOf) => operationsOf(world));
  addProtocol(server, world);
  // A part of its own, so that the router, which knows every spelling of a path, decides whom log, faults and checks see.
  server.register(
    async (api) => {
      addLog(api, world, log, faults);
      addApi(api, world, operations);
    },
    { prefix },
  );
  let document: string | undefined;
  server.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApi(operations));
    return reply.type('application/json').send(document);
  });
  server.get('/healthz', (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  return server;
}

function addLog(api: FastifyInstance, world: World, log: RequestLog, faults: FaultPlan): void {
  const notes = new WeakMap<FastifyRequest, ReturnType<RequestLog['open']>>();
  api.addHook('onRequest', async (request) => {
    const { method, url } = request;
    notes.set(request, log.open({ method, url, route: routeOf(request), time: timestamp(world.clock) }));
    const latency = world.behaviours['latency-ms'];
    if (latency > 0) await world.clock.wait(latency, world.closing);
  });
  addFaults(api, world, faults, routeOf, (request, fault) => notes.get(request)?.({ fault }));
  api.addHook('onSend', async (request, reply, payload) => {
    notes.get(request)?.({ status: reply.statusCode });
    return payload;
  });
}
