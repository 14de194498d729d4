/** Temporary names of clients whose create is not finished, so that an interrupted one can be told from all others. */
import { createHash } from 'node:crypto';

/** Every temporary name of this address begins with it: `tether-pending-<digest of organization and address>-`. */
export function noncePrefix(organization: string, address: string): string {
  const digest = createHash('sha256').update(`${organization}\n${address}`).digest('hex').slice(0, 12);
  return `tether-pending-${digest}-`;
}

/** One temporary name; `random` is lower-case hex that was never used before. */
export function nonceName(organization: string, address: string, random: string): string {
  return `${noncePrefix(organization, address)}${random}`;
}

/** True for a name that only an unfinished create gives. */
export function isNonce(name: unknown): name is string {
  return typeof name === 'string' && /^tether-pending-[0-9a-f]{12}-/u.test(name);
}
