/** Salted, slow digests of secrets. They show that a secret changed, but not its value. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Scrypt's N. With r = 8 and p = 1, a digest takes 16 MiB and about 50 ms of one processor. The token of a service is safe at any cost.
 * A password that a person chose is not: a reader of the repository can try many, and pays this cost for each.
 */
export const cost = { N: 16_384 };
/** An edited ledger must not make Tether compute for hours. */
const highestN = 16_384;

/** The form of a digest: `scrypt:N:8:1:salt:hash`. Salt and hash are in base64url. */
export const digestPattern = '^scrypt:(\\d{1,5}):8:1:([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$';

/** Returns null unless the text is a digest with an acceptable cost. */
function parse(text: string) {
  const [, digits, salt = '', hash = ''] = new RegExp(digestPattern).exec(text) ?? [];
  const N = Number(digits);
  const isPowerOfTwo = N > 1 && N <= highestN && (N & (N - 1)) === 0;
  if (!isPowerOfTwo) return null;
  return { N, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}

const inThread = promisify<string, Uint8Array, number, { N: number; r: 8; p: 1 }, Buffer>(scrypt);

function derive(value: string, salt: Uint8Array, N: number): Promise<Buffer> {
  return inThread(value, salt, 32, { N, r: 8, p: 1 });
}

/** Two digests of one value differ, so that a ledger does not show which clients share a secret. */
export async function digestOf(value: string): Promise<string> {
  const { N } = cost;
  const salt = randomBytes(16);
  const hash = await derive(value, salt, N);
  return `scrypt:${N}:8:1:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Returns false also for a text that is not a digest. */
export async function matchesDigest(value: string, digest: string): Promise<boolean> {
  const parsed = parse(digest);
  return parsed !== null && timingSafeEqual(await derive(value, parsed.salt, parsed.N), parsed.hash);
}
