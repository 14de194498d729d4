/** Digests of secrets: they match their own value only, show nothing of it, and cost no more than they may. */
import assert from 'node:assert/strict';
import { digestOf, digestPattern, matchesDigest } from '../../../reconciler/ledger/digest';
import { withRealDigests } from '../../support/cheap-digests';

describe('a digest of a secret', () => {
  it('matches its value only, and differs each time', async () => {
    const values = ['a', 'secret', ' secret', 'sécret', 'x'.repeat(10_000)];
    const digests = await Promise.all([...values, 'secret'].map(digestOf));
    assert.equal(new Set(digests).size, values.length + 1);
    for (const [at, digest] of digests.entries()) {
      assert.match(digest, new RegExp(digestPattern));
      const value = values[at] ?? 'secret';
      for (const other of values) assert.equal(await matchesDigest(other, digest), other === value);
    }
  });

  const [salt, hash] = ['A'.repeat(22), 'B'.repeat(43)];
  const rows: [what: string, text: string][] = [
    ['another algorithm', `sha256:16384:8:1:${salt}:${hash}`],
    ['the secret itself', 'secret'],
    ['a cost of no power of two', `scrypt:16383:8:1:${salt}:${hash}`],
    ['a cost of gigabytes', `scrypt:8388608:8:1:${salt}:${hash}`],
    ['hours of computing', `scrypt:16384:8:9999:${salt}:${hash}`],
    ['no hash', `scrypt:16384:8:1:${salt}:`],
    ['more behind it', `scrypt:16384:8:1:${salt}:${hash}:x`],
  ];
  for (const [what, text] of rows) {
    it(`is not a text with ${what}, which matches nothing`, async () => {
      assert.equal(await matchesDigest('secret', text), false);
    });
  }

  describe('of a user', () => {
    withRealDigests();

    it('takes scrypt at its real cost', async () => {
      const digest = await digestOf('secret');
      assert.match(digest, /^scrypt:16384:8:1:[\w-]{22}:[\w-]{43}$/);
      assert.ok(await matchesDigest('secret', digest));
    });
  });
});
