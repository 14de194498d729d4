/** Digests of secrets: they match their own value only, show nothing of it, and cost no more than they may. */
import assert from 'node:assert/strict';
import { computeDigest, digestPattern, matchesDigest } from '../../../reconciler/ledger/digest';
import { emptyLedger } from '../../../reconciler/ledger/ledger';
import { withRealDigests } from '../../support/cheap-digests';

describe('a digest of a secret', () => {
  const ledger = emptyLedger('acme');

  it('matches its value only, and differs each time', async () => {
    const values = ['a', 'secret', ' secret', 'sécret', 'x'.repeat(10_000)];
    const digests = await Promise.all([...values, 'secret'].map((value) => computeDigest(value, ledger)));
    assert.equal(new Set(digests).size, values.length + 1);
    for (const [at, digest] of digests.entries()) {
      assert.match(digest, new RegExp(digestPattern));
      const value = values[at] ?? 'secret';
      for (const other of values) assert.equal(await matchesDigest(other, digest, ledger), other === value);
    }
  });

  it('matches nothing with the salt of another ledger, and the same in a later run', async () => {
    const digest = await computeDigest('secret', ledger);
    assert.equal(await matchesDigest('secret', digest, emptyLedger('acme')), false);
    assert.equal(await matchesDigest('secret', digest, { salt: ledger.salt }), true);
  });

  const [nonce, hash] = ['A'.repeat(22), 'B'.repeat(43)];
  const rows: [what: string, text: string][] = [
    ['another algorithm', `sha256:${nonce}:${hash}`],
    ['the secret itself', 'secret'],
    ['a cost', `scrypt:2:8:1:${nonce}:${hash}`],
    ['no hash', `scrypt:${nonce}:`],
    ['more behind it', `scrypt:${nonce}:${hash}:x`],
  ];
  for (const [what, text] of rows) {
    it(`is not a text with ${what}, which matches nothing`, async () => {
      assert.equal(await matchesDigest('secret', text, ledger), false);
    });
  }

  describe('of a user', () => {
    withRealDigests();

    it('takes scrypt at its real cost, once a value in a run', async () => {
      const run = emptyLedger('acme');
      const started = process.cpuUsage();
      const digest = await computeDigest('secret', run);
      const first = process.cpuUsage(started);
      for (let more = 0; more < 20; more += 1) assert.ok(await matchesDigest('secret', digest, run));
      const all = process.cpuUsage(started);
      assert.ok(first.user + first.system > 10_000, 'a key takes more than 10 ms');
      assert.ok(all.user + all.system < 3 * (first.user + first.system));
    });
  });
});
