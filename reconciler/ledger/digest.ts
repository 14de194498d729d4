/** Salted, slow digests of secrets: they show that one changed, and not what it is. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** For scrypt: 16 MiB and some 50 ms for each digest, in a thread of its own. */
export const cost = { N: 16_384, r: 8, p: 1 };
/** An edited ledger must not make us compute for hours. */
const maxMemory = 256 * 1024 * 1024;
const maxParallel = 4;

const pattern = /^scrypt:([1-9][0-9]{0,7}):([1-9][0-9]?):([1-9]):([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$/;

/** Null unless it is a digest at a bearable cost. */
function parse(text: string) {
  const parts = pattern.exec(text)?.slice(1) ?? [];
  const [N = 0, r = 0, p = 0] = parts.map(Number);
  const [salt, hash] = parts.slice(3);
  // As scrypt itself asks: a power of two, and few enough for the size of a block.
  const isPower = N > 1 && (N & (N - 1)) === 0 && Math.log2(N) < 16 * r;
  const isBearable = isPower && 128 * N * r < maxMemory / 2 && p <= maxParallel;
  return salt === undefined || hash === undefined || !isBearable ? null : { salt, hash, cost: { N, r, p } };
}

/** `scrypt:N:r:p:salt:hash`, the last two in base64url, at a bearable cost. */
export function isDigest(text: string) {
  return parse(text) !== null;
}

const inThread = promisify<string, Uint8Array | string, number, ScryptOptions, Buffer>(scrypt);

function derive(secret: string, salt: Uint8Array | string, { N, r, p } = cost) {
  return inThread(secret, salt, 32, { N, r, p, maxmem: maxMemory });
}

function format(...parts: readonly Buffer[]) {
  return ['scrypt', cost.N, cost.r, cost.p, ...parts.map((part) => part.toString('base64url'))].join(':');
}

/** Two digests of one value differ. */
export async function digest(secret: string) {
  const salt = randomBytes(16);
  return format(salt, await derive(secret, salt));
}

/** Does not hold the salt: equal texts and salts give equal hashes. */
export async function saltedHash(text: string, salt: string) {
  return format(await derive(text, salt));
}

/** Rejects for a text that is no digest. */
export async function matches(secret: string, text: string) {
  const parsed = parse(text);
  if (parsed === null) throw new Error('This is not a digest: scrypt:N:r:p:salt:hash.');
  const actual = await derive(secret, Buffer.from(parsed.salt, 'base64url'), parsed.cost);
  return timingSafeEqual(actual, Buffer.from(parsed.hash, 'base64url'));
}
