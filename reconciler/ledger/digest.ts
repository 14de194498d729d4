/** Salted, slow digests of secrets. They show that a secret changed, but not its value. */
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Ledger, newSalt } from './ledger';

/**
 * Scrypt's N. With r = 8 and p = 1, a key takes 16 MiB and about 50 ms of one processor. The token of a service is safe at any cost.
 * A password that a person chose is not: a reader of the ledger can try many, and pays this cost for each.
 * With another N, no recorded digest matches: a plan shows every secret as changed, and replaces a client whose token cannot be patched.
 * It is a member of an object because `test/support/cheap-digests.ts` sets it.
 */
export const cost = { N: 16_384 };

/** The form of a digest: `scrypt:nonce:hash`, both in base64url. */
export const digestPattern = '^scrypt:([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$';

/** The ledger of a run, as it was read. */
type Salted = Pick<Ledger, 'salt'>;

const inThread = promisify<string, string, number, { N: number; r: 8; p: 1 }, Buffer>(scrypt);
const keysOfRuns = new WeakMap<Salted, Map<string, Promise<Buffer>>>();

/** Derives the key of a value once in a run, because many clients may share one secret. */
function keyFor(value: string, ledger: Salted): Promise<Buffer> {
  const keys = keysOfRuns.get(ledger) ?? new Map<string, Promise<Buffer>>();
  const key = keys.get(value) ?? inThread(value, ledger.salt, 32, { N: cost.N, r: 8, p: 1 });
  keysOfRuns.set(ledger, keys.set(value, key));
  return key;
}

async function computeHash(value: string, nonce: string, ledger: Salted): Promise<Buffer> {
  return createHmac('sha256', await keyFor(value, ledger))
    .update(nonce)
    .digest();
}

/** Two digests of one value differ, so that a ledger does not show which clients share a secret. */
export async function computeDigest(value: string, ledger: Salted): Promise<string> {
  const nonce = newSalt();
  const hash = await computeHash(value, nonce, ledger);
  return `scrypt:${nonce}:${hash.toString('base64url')}`;
}

/** Returns false also for a text that is not a digest. */
export async function matchesDigest(value: string, digest: string, ledger: Salted): Promise<boolean> {
  const [, nonce, hash] = new RegExp(digestPattern).exec(digest) ?? [];
  if (nonce === undefined || hash === undefined) return false;
  return timingSafeEqual(await computeHash(value, nonce, ledger), Buffer.from(hash, 'base64url'));
}
