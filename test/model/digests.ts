/** Digests of secrets: read as the ledger writes them, and made at the lowest cost. */
import { randomBytes, scryptSync } from 'node:crypto';

/** `scrypt:N:r:p:salt:hash` of the value, at its lowest cost: a course writes hundreds. */
export function cheapDigest(value: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(value, salt, 32, { N: 2, r: 1, p: 1 });
  return `scrypt:2:1:1:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Whether the digest was made of the value. */
export function isDigestOf(digest: string, value: string): boolean {
  const [, N, r, p, salt = '', hash] = digest.split(':');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * 1024 * 1024 };
  const made = scryptSync(value, Buffer.from(salt, 'base64url'), 32, options);
  return made.toString('base64url') === hash;
}
