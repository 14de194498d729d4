// Opens and closes the sockets of a server.

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../failure';

const graceMilliseconds = 1000;

const refusals: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use. Choose another one, or none for a free one.`,
  EACCES: (host, port) =>
    `Port ${port} of ${host} is not for this user. Choose one above 1023, or none for a free one.`,
  EADDRNOTAVAIL: (host) => `${host} is no address of this machine. Leave it out for the loopback.`,
  ENOTFOUND: (host) => `The host name ${host} cannot be resolved. Leave it out for the loopback.`,
};

/** Starts listening and tells the port. Rejects with a sentence when it cannot. */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = codeOf(error);
    const why = refusals[String(code)]?.(host, port);
    throw why === undefined ? error : new Error(`${why} (${String(code)})`, { cause: error });
  }
  return (server.server.address() as AddressInfo).port;
}

/** Ends a server: requests under way may finish for a second, idle connections go at once. */
export async function end(server: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => server.server.closeAllConnections(), graceMilliseconds);
  await server.close();
  clearTimeout(impatient);
}
