// Builds the server of the API out of its operations, the request log and the faults.

import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { addFaults } from '../admin/fault-hooks';
import type { FaultPlan } from '../admin/fault-plan';
import type { RequestLog } from '../admin/request-log';
import { TriggerLock } from '../rules/trigger-lock';
import { timestamp, type World } from '../rules/world';
import { version } from '../version';
import { addApi, isApiPath } from './api';
import { clientOperations } from './client-operations';
import { lookupOperations } from './lookup-operations';
import { openApi } from './openapi';
import { answerBrokenHttp, answerBrokenUrl } from './protocol-errors';
import { triggerOperations } from './trigger-operations';

const bodyLimit = 1024 * 1024;
const requestTimeout = 60_000;

/** The template of the route that a request took, below `/api/v2`; null when there is none. */
function routeOf({ is404, routeOptions }: FastifyRequest): string | null {
  if (is404 || !routeOptions.url) return null;
  return routeOptions.url.replace(/^\/api\/v2/, '');
}

/** A server of the whole API, not yet listening. */
export function buildServer(world: World, log: RequestLog, faults: FaultPlan): FastifyInstance {
  const server = fastify({
    bodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    requestTimeout,
    frameworkErrors: answerBrokenUrl,
    clientErrorHandler: answerBrokenHttp,
  });
  const lock = new TriggerLock(world.behaviours, world.clock, world.closing);
  const operations = [
    ...clientOperations(world),
    ...triggerOperations(world, lock),
    ...lookupOperations(world),
  ];
  const notes = new WeakMap<FastifyRequest, ReturnType<RequestLog['open']>>();
  server.addHook('onRequest', async (request) => {
    const { method, url } = request;
    if (!isApiPath(url)) return;
    notes.set(request, log.open({ method, url, route: routeOf(request), time: timestamp(world.clock) }));
    const latency = world.behaviours['latency-ms'];
    if (latency > 0) await world.clock.wait(latency, world.closing);
  });
  addFaults(server, world, faults, routeOf, (request, fault) => notes.get(request)?.({ fault }));
  server.addHook('onSend', async (request, reply, payload) => {
    notes.get(request)?.({ status: reply.statusCode });
    return payload;
  });
  addApi(server, world, operations);
  const document = JSON.stringify(openApi(operations, version));
  server.get('/openapi.json', (_request, reply) => reply.type('application/json').send(document));
  server.get('/healthz', (_request, reply) => reply.type('application/json').send('{"status":"ok"}'));
  return server;
}
