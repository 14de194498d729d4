// The admin port: requests, seed and faults over HTTP, for tests and demos in another process.

import Ajv from 'ajv/dist/2020';
import fastify from 'fastify';
import { end, listen } from '../http/listening';
import { type ReadSeed, readSeedText, SeedError } from '../seed/read-seed';
import { type FaultSpec, faultListSchema } from './fault';
import type { FaultPlan } from './fault-plan';
import type { RequestLog } from './request-log';

/** What the admin port can reach. */
export interface AdminReach {
  readonly log: RequestLog;
  readonly faults: FaultPlan;
  readonly replace: (seed: ReadSeed) => void;
  readonly merge: (seed: ReadSeed) => void;
}

/** An open admin port. */
export interface Admin {
  readonly url: string;
  close(): Promise<void>;
}

const validateFaults = new Ajv({ allErrors: true, strict: false }).compile<FaultSpec | FaultSpec[]>(
  faultListSchema,
);

/** Opens the admin port on a free port of the loopback. Whoever can reach it may do everything. */
export async function startAdmin({ log, faults, replace, merge }: AdminReach): Promise<Admin> {
  const server = fastify({ forceCloseConnections: 'idle', bodyLimit: 256 * 1024 * 1024 });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error: Error, _request, reply) => {
    const refused = error instanceof SeedError || error instanceof FaultError;
    return reply
      .code(refused ? 422 : 500)
      .send({ errors: error.message.split('\n').map((line) => ({ detail: line })) });
  });
  server.get('/requests', async () => log.list());
  server.delete('/requests', async (_request, reply) => {
    log.clear();
    return reply.code(204).send();
  });
  server.put('/seed', async ({ body }, reply) => {
    replace(readSeedText(String(body ?? ''), 'seed'));
    return reply.code(204).send();
  });
  server.patch('/seed', async ({ body }, reply) => {
    merge(readSeedText(String(body ?? ''), 'seed'));
    return reply.code(204).send();
  });
  server.post('/faults', async ({ body }, reply) => {
    faults.inject(readFaults(String(body ?? '')));
    return reply.code(204).send();
  });
  server.delete('/faults', async (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  const port = await listen(server, '127.0.0.1', 0);
  return { url: `http://127.0.0.1:${port}`, close: () => end(server) };
}

/** Faults that cannot be injected, and why. */
class FaultError extends Error {
  override readonly name = 'FaultError';
}

function readFaults(text: string): FaultSpec[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FaultError('the body is not JSON');
  }
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (validateFaults(list)) return list;
  const complaints = validateFaults.errors ?? [];
  throw new FaultError(
    complaints.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`).join('\n'),
  );
}
