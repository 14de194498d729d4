// Breaks requests to the API as the fault plan says: on the way in, and on the way out.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { World } from '../rules/world';
import type { FaultSpec } from './fault';
import type { FaultPlan } from './fault-plan';

const defaultMilliseconds = 100;

/** Makes the plan's faults happen to the routes of a server; `note` is told which fault hit a request. */
export function addFaults(
  server: FastifyInstance,
  { clock, closing }: World,
  plan: FaultPlan,
  routeOf: (request: FastifyRequest) => string | null,
  note: (request: FastifyRequest, fault: string) => void,
): void {
  const struck = new WeakMap<FastifyRequest, FaultSpec>();
  server.addHook('onRequest', async (request, reply) => {
    const fault = plan.strike(request.method, routeOf(request));
    if (!fault) return;
    struck.set(request, fault);
    note(request, fault.how);
    if (fault.how === 'reset-before') return reset(request, reply);
    if (fault.how === 'status' && fault.applied !== true) return answerWith(reply, fault);
  });
  server.addHook('preHandler', async (request, reply) => {
    const fault = struck.get(request);
    if (fault?.how !== 'delay-apply') return;
    request.raw.socket.resetAndDestroy();
    await clock.wait(fault.ms ?? defaultMilliseconds, closing);
    // A service that closes while a request waits never gets to it, like one that was killed.
    if (closing.aborted) return reply.hijack();
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const fault = struck.get(request);
    if (!fault) return payload;
    if (fault.how === 'reset-after') request.raw.socket.resetAndDestroy();
    if (fault.how === 'garbage') return garbled(reply);
    if (fault.how === 'truncate' && Buffer.isBuffer(payload)) return cutOff(reply, payload);
    if (fault.how === 'truncate') request.raw.socket.resetAndDestroy();
    if (fault.how === 'slow') await clock.wait(fault.ms ?? defaultMilliseconds, closing);
    if (fault.how === 'status' && fault.applied === true) return replaced(reply, fault);
    return payload;
  });
}

function reset(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

function statusBody({ status = 500, body }: FaultSpec): Buffer {
  const document = { errors: [{ status: String(status), title: 'injected fault' }] };
  return Buffer.from(status === 204 ? '' : (body ?? JSON.stringify(document)));
}

function dress(reply: FastifyReply, { status = 500, headers = {} }: FaultSpec): void {
  reply.code(status).header('content-type', 'application/vnd.api+json').headers(headers);
}

function answerWith(reply: FastifyReply, fault: FaultSpec): FastifyReply {
  dress(reply, fault);
  return reply.send(statusBody(fault));
}

function replaced(reply: FastifyReply, fault: FaultSpec): Buffer {
  dress(reply, fault);
  const body = statusBody(fault);
  reply.header('content-length', body.length);
  return body;
}

function garbled(reply: FastifyReply): string {
  const body = '<html><body>\u0000not what you asked for';
  reply.code(200).header('content-type', 'text/html').header('content-length', Buffer.byteLength(body));
  return body;
}

// The whole length is promised and half of it sent, like a proxy that dies in the middle of an answer.
function cutOff(reply: FastifyReply, whole: Buffer): Readable {
  reply.header('content-length', whole.length);
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  return Readable.from(
    (function* () {
      yield half;
      throw new Error('cut off by an injected fault');
    })(),
  );
}
