/** The admin port shows requests and takes seeds and faults, for tests and demos in another process. */
import fastify from 'fastify';
import { end, listen, loopbackUrl, ServiceError } from '../machine';
import { applySeed } from '../seed';
import { readSource } from '../source-document';
import type { World } from '../world';
import { armFaults } from './faults';

/** Listens on a free port of the loopback. It checks no token, so every local program may use it. */
export async function startAdmin(world: World) {
  const { requests, faults, warn, clock, behaviours, closing } = world;
  const server = fastify({ forceCloseConnections: 'idle', bodyLimit: 256 * 1024 * 1024 });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.addHook('onRequest', async ({ host, headers }, reply) => {
    // A web page can reach the loopback through a browser, with a form or with a name that resolves to it.
    const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);
    if (isLoopback && (headers.origin ?? `http://${host}`) === `http://${host}`) return;
    return reply.code(403).send({ errors: [{ detail: 'The admin port is for programs of this machine.' }] });
  });
  server.setErrorHandler((error: Error, { method, url }, reply) => {
    const status = error instanceof ServiceError ? 422 : 500;
    if (status === 500) warn(`admin: ${method} ${url} was answered with 500: ${error.message}`);
    return reply.code(status).send({ errors: error.message.split('\n').map((detail) => ({ detail })) });
  });
  server.get('/requests', async () => requests);
  const route = (method: 'DELETE' | 'PUT' | 'PATCH' | 'POST', url: string, act: (body: string) => unknown) =>
    server.route({
      method,
      url,
      handler: async ({ body }, reply) => {
        act(String(body ?? ''));
        // Until then, lists do not show all records of a seed.
        if (url === '/seed') await clock.wait(behaviours['create-hidden-ms'], closing);
        return reply.code(204).send();
      },
    });
  route('DELETE', '/requests', () => requests.splice(0));
  route('PUT', '/seed', (body) => applySeed(world, readSource(body, 'seed'), true));
  route('PATCH', '/seed', (body) => applySeed(world, readSource(body, 'seed'), false));
  route('POST', '/faults', (body) => faults.push(...armFaults(readSource(body, 'faults').value)));
  route('DELETE', '/faults', () => faults.splice(0));
  const port = await listen(server);
  return { url: loopbackUrl(port), close: () => end(server) };
}
