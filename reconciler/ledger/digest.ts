/** Salted, slow digests of secrets: they show that a secret changed, and not what it is. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Scrypt's parameters: a digest takes 16 MiB and some 50 ms, in a thread of its own. */
export const cost = { N: 16_384, r: 8, p: 1 };
/** An edited ledger must not make us compute for hours. */
const maxMemory = 64 * 1024 * 1024;

const pattern = /^scrypt:([1-9]\d{0,7}):([1-9]\d?):([1-4]):([\w-]{22}):([\w-]{43})$/;

/** Null unless it is a digest at a bearable cost. */
function parse(text: string) {
  const [, N, r, p, salt, hash] = pattern.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const used = { N: Number(N), r: Number(r), p: Number(p) };
  // As scrypt demands: N is a power of two, and small enough for the size of a block.
  const isPower = used.N > 1 && (used.N & (used.N - 1)) === 0 && Math.log2(used.N) < 16 * used.r;
  if (!isPower || 128 * used.N * used.r > maxMemory / 2) return null;
  return { cost: used, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}

/** True for `scrypt:N:r:p:salt:hash` at a bearable cost; salt and hash are in base64url. */
export function isDigest(text: string): boolean {
  return parse(text) !== null;
}

const inThread = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Two at once: each holds its memory, and a thread that files and host names wait for too. */
let running: readonly [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];

function derive(value: string, salt: Uint8Array, options: typeof cost): Promise<Buffer> {
  const [first, second] = running;
  const derived = first.then(() => inThread(value, salt, 32, { ...options, maxmem: maxMemory }));
  running = [second, derived.catch(() => {})];
  return derived;
}

/** Two digests of one value differ. */
export async function digestOf(value: string): Promise<string> {
  const { N, r, p } = cost;
  const salt = randomBytes(16);
  const hash = await derive(value, salt, { N, r, p });
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join(':');
}

/** False for a text that is not a digest, too. */
export async function matchesDigest(value: string, digest: string): Promise<boolean> {
  const parsed = parse(digest);
  return parsed !== null && timingSafeEqual(await derive(value, parsed.salt, parsed.cost), parsed.hash);
}
