/** Salted, slow digests of secrets: they show that one changed, and neither what it is nor where it stands again. */
import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** For scrypt: 16 MiB and some 50 ms for each digest, in a thread of its own. */
export const cost = { N: 16_384, r: 8, p: 1 };
/** An edited ledger must not make us compute for hours. */
const maxMemory = 256 * 1024 * 1024;
const maxParallel = 4;

const pattern =
  /^scrypt:([1-9][0-9]{0,7}):([1-9][0-9]?):([1-9]):([A-Za-z0-9_-]{22}):(?:([A-Za-z0-9_-]{22}):)?([A-Za-z0-9_-]{43})$/;

/** Null unless it is a digest at a bearable cost. */
function parse(text: string) {
  const parts = pattern.exec(text)?.slice(1) ?? [];
  const [N = 0, r = 0, p = 0] = parts.map(Number);
  const [salt, nonce, hash] = parts.slice(3);
  // As scrypt itself asks: a power of two, and few enough for the size of a block.
  const isPower = N > 1 && (N & (N - 1)) === 0 && Math.log2(N) < 16 * r;
  const isBearable = isPower && 128 * N * r < maxMemory / 2 && p <= maxParallel;
  return salt === undefined || hash === undefined || !isBearable
    ? null
    : { salt, nonce, hash, cost: { N, r, p } };
}

/** `scrypt:N:r:p:salt:nonce:hash`, the last three in base64url, at a bearable cost; from an earlier version without the nonce. */
export function isDigest(text: string) {
  return parse(text) !== null;
}

const inThread = promisify<string, Uint8Array | string, number, ScryptOptions, Buffer>(scrypt);

/** Two at once: each holds its memory, and a thread that files and names of hosts wait for too. */
let running: readonly [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];

function derive(secret: string, salt: Uint8Array | string, { N, r, p } = cost) {
  const [first, second] = running;
  const derived = first.then(() => inThread(secret, salt, 32, { N, r, p, maxmem: maxMemory }));
  running = [second, derived.catch(() => {})];
  return derived;
}

function format(...parts: readonly Buffer[]) {
  return ['scrypt', cost.N, cost.r, cost.p, ...parts.map((part) => part.toString('base64url'))].join(':');
}

/** Does not hold the salt: equal texts and salts give equal hashes. */
export async function saltedHash(text: string, salt: string) {
  return format(await derive(text, salt));
}

/** A ledger. */
interface Held {
  readonly objects: Readonly<Record<string, { readonly digests: Readonly<Record<string, string>> }>>;
}

/** The digests of one ledger. They share a salt, so a value costs one scrypt, and each has a nonce, so that equal values do not show. */
export class Digests {
  readonly #salt: Buffer;
  readonly #keys = new Map<string, Promise<Buffer>>();
  /** Values of those of an earlier version. */
  readonly #old = new Map<string, string>();

  constructor({ objects }: Held) {
    const parsed = Object.values(objects).flatMap(({ digests }) => Object.values(digests).map(parse));
    const salt = parsed.find((one) => one?.nonce !== undefined)?.salt;
    this.#salt = salt === undefined ? randomBytes(16) : Buffer.from(salt, 'base64url');
  }

  /** Two digests of one value differ. */
  async create(secret: string) {
    const nonce = randomBytes(16);
    return format(this.#salt, nonce, keyed(await this.#keyOf(secret, this.#salt, cost), nonce));
  }

  /** Rejects for a text that is no digest. */
  async match(secret: string, text: string) {
    const parsed = parse(text);
    if (parsed === null) throw new Error('This is not a digest: scrypt:N:r:p:salt:nonce:hash.');
    const { nonce, hash } = parsed;
    const key = await this.#keyOf(secret, Buffer.from(parsed.salt, 'base64url'), parsed.cost);
    const actual = nonce === undefined ? key : keyed(key, Buffer.from(nonce, 'base64url'));
    const isSame = timingSafeEqual(actual, Buffer.from(hash, 'base64url'));
    if (isSame && nonce === undefined) this.#old.set(text, secret);
    return isSame;
  }

  /** As this version writes it, where it is of an earlier one and its value was found to match. */
  async renew(text: string) {
    const secret = this.#old.get(text);
    return secret === undefined ? text : this.create(secret);
  }

  #keyOf(secret: string, salt: Buffer, { N, r, p }: typeof cost) {
    const name = [N, r, p, salt.toString('base64url'), secret].join(':');
    const key = this.#keys.get(name) ?? derive(secret, salt, { N, r, p });
    this.#keys.set(name, key);
    return key;
  }
}

function keyed(key: Buffer, nonce: Buffer) {
  return createHmac('sha256', key).update(nonce).digest();
}

const known = new WeakMap<Held, Digests>();

/** The same for the same ledger: what its plan computed, its apply has. */
export function digestsFor(ledger: Held) {
  const digests = known.get(ledger) ?? new Digests(ledger);
  known.set(ledger, digests);
  return digests;
}
