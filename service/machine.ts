// What the service takes from the machine: time, ids, digests, ports, errors.

import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A mistake in what the service was given. */
export class ServiceError extends Error {
  override readonly name: string = this.constructor.name;
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

/** Now, in ISO 8601 with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Makes one id: the prefix (`oc`), a dash, and 16 letters and digits. */
export type IdSource = (prefix: string) => string;

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

// For many ids at once: a call for each costs more than all the rest of making one.
let chance = Buffer.alloc(0);

export const randomIds: IdSource = (prefix) => {
  if (chance.length === 0) chance = randomBytes(4096);
  const letters = Buffer.from(chance.subarray(0, 16));
  for (let index = 0; index < 16; index += 1) {
    letters[index] = alphabet.charCodeAt((letters[index] ?? 0) % alphabet.length);
  }
  chance = chance.subarray(16);
  return `${prefix}-${letters.toString('latin1')}`;
};

/** The only form in which the service keeps a secret: SHA-256 of the text in lower-case hex. */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws for what is not JSON in UTF-8. The message quotes the bytes, which may hold secrets: do not show it. */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(utf8.decode(bytes));
}

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** Of a failed system call: `EADDRINUSE`; else ''. */
export function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : '';
}

/** Starts listening and returns the port. Rejects with a sentence when it cannot. */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    const code = codeOf(cause);
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} of ${host} is in use. Choose another one, or none for a free one.`,
      EACCES: `Port ${port} of ${host} is not for this user. Choose one above 1023, or none for a free one.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine. Leave it out for the loopback.`,
      ENOTFOUND: `The host name ${host} cannot be resolved. Leave it out for the loopback.`,
    };
    throw reasons[code] === undefined ? cause : new Error(`${reasons[code]} (${code})`, { cause });
  }
  return (server.server.address() as AddressInfo).port;
}

/** For requests under way. */
const graceMs = 1000;

/** Idle connections go at once. */
export async function end(server: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => server.server.closeAllConnections(), graceMs);
  await server.close();
  clearTimeout(impatient);
}
