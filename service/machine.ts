/** Takes time, ids, digests and ports from the machine. */
import { hash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** An error about the input of the service. The message has a line for each mistake. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

export interface Clock {
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal aborts. Never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
};

export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Makes an id from the prefix (`oc`), a dash, and 16 letters and digits. */
export type IdSource = (prefix: string) => string;

export const randomIds: IdSource = (prefix) => `${prefix}-${randomBytes(8).toString('hex')}`;

/** The only form in which the service keeps a secret: SHA-256 of the text in lower-case hex. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function errorMessage(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** The admin port needs no token, so it must never listen on another address. */
const loopback = '127.0.0.1';

export function loopbackUrl(port: number | undefined): string {
  return `http://${loopback}:${port}`;
}

/** Listens on the loopback and returns the port. The default is a free port. */
export async function listen(server: FastifyInstance, port = 0): Promise<number> {
  try {
    await server.listen({ host: loopback, port });
  } catch (cause) {
    throw new ServiceError(`The service cannot use port ${port}: ${errorMessage(cause)}`, { cause });
  }
  return (server.server.address() as AddressInfo).port;
}

/** Requests in progress have this many milliseconds to finish. */
const graceMs = 1000;

/** Closes the server. Idle connections end at once. */
export async function end(server: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => server.server.closeAllConnections(), graceMs);
  await server.close();
  clearTimeout(impatient);
}
