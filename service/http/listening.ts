// Opens and closes the sockets of a server.

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../failure';

const graceMilliseconds = 1000;

/** Starts listening and tells the port. Rejects with a sentence when the port is taken. */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} of ${host} is in use. Choose another one, or none for a free one.`);
  }
  return (server.server.address() as AddressInfo).port;
}

/** Ends a server: requests under way may finish for a second, idle connections go at once. */
export async function end(server: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => server.server.closeAllConnections(), graceMilliseconds);
  await server.close();
  clearTimeout(impatient);
}
