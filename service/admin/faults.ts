/** Logs and delays requests to the API, and injects faults into them. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Behaviours } from '../behaviours';
import { type Clock, timestamp } from '../machine';
import { Refusal } from '../rules/refusal';
import { boolean, choice, integer, list, map, matching, object, string, type TypeOf } from '../schema';
import { SourceDocument } from '../source-document';

const schema = object(
  { how: choice('reset-before', 'reset-after', 'delay-apply', 'truncate', 'garbage', 'status', 'slow') },
  {
    method: choice<string>('GET', 'HEAD', 'POST', 'PATCH', 'DELETE'),
    /** A path template such as `/oauth-clients/:id`. */
    route: matching('^/'),
    /** Hits only the nth request that matches, counted from 1. */
    nth: integer({ minimum: 1 }),
    /** The chance of a hit, from 0 to 1. */
    probability: { ...integer({ minimum: 0, maximum: 1 }), type: 'number' },
    /** A seed that makes the choices of `probability` repeatable. The default is 1. */
    seed: integer(),
    times: integer({ minimum: 1 }),
    /** The milliseconds for which `delay-apply` and `slow` wait. The default is 100. */
    ms: integer({ minimum: 0, maximum: 3_600_000 }),
    /** Status, headers, body and `applied` are for the fault `status`. The default is 500. */
    status: integer({ minimum: 200, maximum: 599 }),
    headers: map(string),
    body: string,
    /** When true, the request is executed nevertheless. */
    applied: boolean,
  },
);

const faultSchema: typeof schema = { ...schema, additionalProperties: false };

/** A fault to inject. Without `nth` and `probability` it hits every request that matches. */
export interface FaultSpec extends TypeOf<typeof faultSchema> {}

export interface ArmedFault {
  spec: FaultSpec;
  matched: number;
  hits: number;
}

/** Takes one or several faults. Throws a ServiceError with every mistake. */
export function armFaults(faults: unknown): ArmedFault[] {
  const specs = new SourceDocument('faults', [faults].flat()).checkedBy(list(faultSchema));
  return specs.map((spec) => ({ spec, matched: 0, hits: 0 }));
}

/** Returns the first fault that hits the request. Every fault counts the request. */
function takeFault(
  faults: readonly ArmedFault[],
  method: string,
  route: string | null,
): FaultSpec | undefined {
  const [first] = faults.filter((fault) => countAndTest(fault, method, route));
  if (first) first.hits += 1;
  return first?.spec;
}

function countAndTest(armed: ArmedFault, method: string, route: string | null) {
  const { spec, hits } = armed;
  if ((spec.method ?? method) !== method || (spec.route ?? route) !== route) return false;
  armed.matched += 1;
  const { probability = 1, seed = 1, nth = armed.matched, times = Number.POSITIVE_INFINITY } = spec;
  const chance = createHash('sha256').update(`${seed} ${armed.matched}`).digest().readUInt32BE() / 2 ** 32;
  return chance < probability && armed.matched === nth && hits < times;
}

/** The record has no header and no body. */
export interface RequestRecord {
  method: string;
  /** The path template below `/api/v2`, such as `/oauth-clients/:id`. It is null for unknown paths. */
  route: string | null;
  url: string;
  time: string;
  /** It is null while there is no response, and if the connection was reset before one. */
  status: number | null;
  fault: string | null;
}

const maxRequests = 100_000;

/** The parts of a world that faults need. */
interface FaultWorld {
  clock: Clock;
  closing: AbortSignal;
  behaviours: Behaviours;
  requests: RequestRecord[];
  faults: ArmedFault[];
}

export function addFaults(server: FastifyInstance, world: FaultWorld) {
  const { clock, closing, behaviours, requests, faults } = world;
  const wait = ({ ms = 100 }: FaultSpec) => clock.wait(ms, closing);
  const faultedRequests = new WeakMap<
    FastifyRequest,
    { record: RequestRecord; fault: FaultSpec | undefined }
  >();
  server.addHook('onRequest', (request, reply, done) => {
    const { method, url, is404, routeOptions, raw } = request;
    const route = is404 || !routeOptions.url ? null : routeOptions.url.slice(server.prefix.length);
    const record: RequestRecord = { method, route, url, time: timestamp(clock), status: null, fault: null };
    requests.push(record);
    if (requests.length > maxRequests) requests.shift();
    const proceed = () => {
      const fault = takeFault(faults, method, route);
      faultedRequests.set(request, { record, fault });
      if (!fault) return done();
      record.fault = fault.how;
      if (fault.how === 'reset-before') {
        reply.hijack();
        return raw.socket.resetAndDestroy();
      }
      // A later hook writes the response itself.
      if (fault.how === 'status' && fault.applied !== true) return reply.send();
      done();
    };
    const latency = behaviours['latency-ms'];
    if (latency > 0) void clock.wait(latency, closing).then(proceed);
    else proceed();
  });
  server.addHook('preHandler', (request, reply, done) => {
    const fault = faultedRequests.get(request)?.fault;
    if (fault?.how !== 'delay-apply') return done();
    request.raw.socket.resetAndDestroy();
    void wait(fault).then(() => {
      // A service that closes never executes a waiting request, like one that was killed.
      if (closing.aborted) reply.hijack();
      else done();
    });
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const { record, fault } = faultedRequests.get(request) ?? {};
    const send = () => {
      // Clients compare this date with `created-at`, so both must come from the same clock.
      reply.header('date', new Date(clock.now()).toUTCString());
      const newPayload = fault ? breakPayload(fault, request, reply, payload) : payload;
      if (record) record.status = reply.statusCode;
      done(null, newPayload);
    };
    if (fault?.how === 'slow') void wait(fault).then(send);
    else send();
  });
}

/** Returns the text that replaces the payload. */
function breakPayload(fault: FaultSpec, request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const { how, status = 500, headers, body } = fault;
  if (how === 'garbage') return replace(reply, 200, 'text/html', '<html><body>\u0000not what you asked for');
  if (how === 'truncate' && typeof payload === 'string') return truncate(reply, Buffer.from(payload));
  if (how === 'truncate' || how === 'reset-after') request.raw.socket.resetAndDestroy();
  if (how !== 'status') return payload;
  const text = status === 204 ? '' : (body ?? JSON.stringify(new Refusal(status, 'injected fault').document));
  return replace(reply, status, 'application/vnd.api+json', text, headers);
}

function replace(reply: FastifyReply, status: number, type: string, text: string, headers = {}) {
  const bytes = Buffer.from(text);
  reply.code(status).header('content-type', type).headers(headers).header('content-length', bytes.length);
  return bytes;
}

// Announces the whole length and sends half of it, like a proxy that dies in the middle.
function truncate(reply: FastifyReply, whole: Buffer) {
  reply.header('content-length', whole.length);
  return Readable.from(
    (function* () {
      yield whole.subarray(0, Math.floor(whole.length / 2));
      throw new Error('cut off by an injected fault');
    })(),
  );
}
