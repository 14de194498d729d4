/** Serves the API over HTTP. */
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { addFaults } from '../admin/faults';
import { digestSecret, loopbackUrl } from '../machine';
import { type Access, createAccess } from '../rules/access';
import { rateLimit } from '../rules/rate-limit';
import { inBody, notFound, Refusal, refuseErrors } from '../rules/refusal';
import { compile } from '../schema';
import type { World } from '../world';
import { clientOperations } from './client-operations';
import { openApi } from './openapi';
import { type Call, mediaType, type Operation, type ResponseBody, successStatus } from './operation';
import { lookupOperations } from './places';
import { triggerOperations } from './trigger-operations';

const prefix = '/api/v2';

export function buildServer(world: World) {
  const server = fastify({
    bodyLimit: 1024 * 1024,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // This is more than Node accepts as headers, so the token is always checked before a long id is refused.
    routerOptions: { maxParamLength: 64 * 1024 },
    frameworkErrors: (_error, _request, reply) => {
      refuse(reply, notFound());
    },
  });
  const operations = [...clientOperations(world), ...triggerOperations(world), ...lookupOperations(world)];
  // Bodies are parsed as JSON API documents on every path.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(mediaType, { parseAs: 'buffer' }, parseBody);
  server.setErrorHandler((error: FastifyError, request, reply) =>
    refuse(reply, refusalFor(error, request, world)),
  );
  const refuseUnknownPath = () => {
    throw notFound();
  };
  server.setNotFoundHandler(refuseUnknownPath);
  // The API is a plugin, so that log, faults and checks see a path as the router understands it.
  server.register(
    (api, _options, done) => {
      addFaults(api, world);
      addApi(api, world, operations);
      // With this handler, an unknown path under the prefix also passes the hooks.
      api.setNotFoundHandler(refuseUnknownPath);
      done();
    },
    { prefix },
  );
  server.get('/openapi.json', async () => openApi(operations));
  server.get('/healthz', async () => ({ status: 'ok' }));
  return server;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseBody(_request: unknown, bytes: Buffer, done: (error: null, body?: unknown) => void) {
  let body: unknown;
  try {
    if (bytes.length > 0) body = JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's message quotes the body, which may hold secrets.
    throw new Refusal(422, [inBody('', 'the body is not JSON')]);
  }
  done(null, body);
}

function addApi(server: FastifyInstance, world: World, operations: Operation[]) {
  const limit = rateLimit(world);
  const callers = new WeakMap<FastifyRequest, Access>();
  server.addHook('onRequest', (request, reply, done) => {
    const token = authenticate(request, world);
    callers.set(request, createAccess(world.store, token));
    reply.headers(limit(token.digest));
    if (request.is404) refuseUndeclared(request, operations);
    else requireMediaType(request);
    done();
  });
  for (const operation of operations) {
    const readAccepted = createReader(operation);
    server.route({
      method: operation.method,
      url: operation.path,
      handler: async (request, reply) => {
        const access = callers.get(request);
        if (access === undefined) throw new Refusal(401);
        const [parameter = ''] = Object.values(request.params as Record<string, string>);
        const subject = operation.find(access, parameter);
        // Links contain the host that the caller used, so that they work through a forwarded port.
        const url = () => `http://${request.host}${readPath(request.url)}`;
        const ownOrigin = loopbackUrl(request.socket.localPort);
        const call = { access, ...readAccepted(request), url, ownOrigin };
        return send(reply, successStatus(operation), await operation.run(subject, call));
      },
    });
  }
}

function createReader({ query: properties = {}, requiredQuery = [], body: bodySchema = {} }: Operation) {
  const checkQuery = compile({ type: 'object', properties, required: requiredQuery });
  const checkBody = compile(bodySchema);
  return ({ query: texts, body }: FastifyRequest) => {
    const query: Call['query'] = { ...Object(texts) };
    for (const [name, { type }] of Object.entries(properties)) {
      const value = query[name];
      const isNumber = type === 'integer' && typeof value === 'string' && /^\d+$/.test(value);
      if (isNumber) query[name] = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    }
    refuseErrors(checkQuery(query), 'query');
    refuseErrors(checkBody(body), 'body');
    return { body, query };
  };
}

// The request line may contain a whole URL.
function readPath(url: string) {
  return new URL(url, 'http://host').pathname;
}

/** Returns the record of the caller's token. Throws 401. */
function authenticate({ headers: { authorization = '' } }: FastifyRequest, { store }: World) {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const record = token && store.read('tokens', digestSecret(token));
  if (!record) throw new Refusal(401, undefined, { 'www-authenticate': 'Bearer' });
  return record;
}

function requireMediaType({ method, headers }: FastifyRequest) {
  const sentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (sentType === mediaType || !['POST', 'PATCH', 'DELETE'].includes(method)) return;
  throw new Refusal(415, `${method} needs the header Content-Type: ${mediaType}`);
}

function refuseUndeclared(request: FastifyRequest, operations: Operation[]) {
  const path = decodeURI(readPath(request.url)).slice(prefix.length);
  const matching = operations.filter((operation) =>
    new RegExp(`^${operation.path.replace(/:\w+/, '[^/]+')}$`).test(path),
  );
  if (matching.length === 0) return;
  const allow = matching.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
  throw new Refusal(405, `this path allows ${allow}`, { allow });
}

function send(reply: FastifyReply, status: number, document: ResponseBody) {
  reply.code(status);
  if (document === undefined) return reply.send();
  // JSON API allows no charset in the media type, and fastify adds one if there is no serializer.
  return reply.header('content-type', mediaType).serializer(JSON.stringify).send(document);
}

function refuse(reply: FastifyReply, { status, document, headers }: Refusal) {
  return send(reply.headers(headers), status, document);
}

function refusalFor(error: FastifyError, { method, url }: FastifyRequest, { warn }: World) {
  if (error instanceof Refusal) return error;
  const { statusCode = 500, message } = error;
  if (statusCode < 500) return new Refusal(statusCode === 413 ? 413 : 400, message);
  warn(`${method} ${readPath(url)} was answered with 500: ${message}`);
  return new Refusal(500);
}
