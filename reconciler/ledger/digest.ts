/** Salted, slow digests of secrets: enough to see that one changed, useless for finding it out. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { FieldValues } from '../../resources/kind';

/** The cost of scrypt: 16 MiB and some 50 ms for each digest, in a thread of its own. */
const cost = { N: 16_384, r: 8, p: 1 };
/** An edited ledger must not make us compute for hours. */
const maxMemory = 256 * 1024 * 1024;
const maxParallel = 4;
const hashBytes = 32;

const pattern = /^scrypt:([1-9][0-9]{0,7}):([1-9][0-9]?):([1-9]):[A-Za-z0-9_-]{22}:[A-Za-z0-9_-]{43}$/;

/** True for what `digest` returns, also at another cost that can be computed: `scrypt:N:r:p:salt:hash`, the last two in base64url. */
export function isDigest(text: string): boolean {
  const [N, r, p] = (pattern.exec(text) ?? []).slice(1).map(Number);
  if (N === undefined || r === undefined || p === undefined) return false;
  // What scrypt itself asks for: a power of two, and few enough for the size of a block.
  const isPower = N > 1 && (N & (N - 1)) === 0 && Math.log2(N) < 16 * r;
  return isPower && 128 * N * r < maxMemory / 2 && p <= maxParallel;
}

function derive(secret: string, salt: Uint8Array | string, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, hashBytes, { ...options, maxmem: maxMemory }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/** A digest of a secret with a fresh salt: two digests of one value differ. */
export async function digest(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(secret, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join(':');
}

/** Whether a secret is the one a digest was made of. Rejects when the text is no digest or asks for an absurd cost. */
export async function matches(secret: string, text: string): Promise<boolean> {
  if (!isDigest(text)) throw new Error('This is not a digest: scrypt:N:r:p:salt:hash.');
  const [, N, r, p, salt, hash] = text.split(':');
  const expected = Buffer.from(hash ?? '', 'base64url');
  const actual = await derive(secret, Buffer.from(salt ?? '', 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected);
}

/** One text for equal inputs: members in order, sets without order or repeats. */
function canonical(inputs: FieldValues): string {
  const members = Object.entries(inputs).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? [...new Set<string>(value)].sort() : value,
  ]);
  return JSON.stringify(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Digest of all inputs of a create, secrets included, salted with its nonce: the same inputs and nonce give the same text. */
export async function intentHash(inputs: FieldValues, nonce: string): Promise<string> {
  const hash = await derive(canonical(inputs), `intent:${nonce}`, cost);
  return ['scrypt', cost.N, cost.r, cost.p, hash.toString('base64url')].join(':');
}
