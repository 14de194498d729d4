/** Digests of secrets: salted, comparable with their value alone, and equal values do not show. */
import assert from 'node:assert/strict';
import { createHmac, scryptSync } from 'node:crypto';
import { Digests, digestsFor, isDigest } from '../../../reconciler/ledger/digest';
import type { LedgerObject } from '../../../reconciler/ledger/ledger';
import { withRealDigests } from '../../support/cheap-digests';
import { clientInLedger, ledgerWith } from '../../support/pure-world';

/** Made elsewhere: node -e "crypto.scryptSync('hunter2', Buffer.alloc(16), 32, { N: 1024, r: 4, p: 2 })" */
const old = 'scrypt:1024:4:2:AAAAAAAAAAAAAAAAAAAAAA:0Utq63FuoXdCQG6SdIoWkGkUf_sZ_XiQGhWNz7MnHfY';

function holding(...texts: readonly string[]) {
  const held = texts.map((secret, index): [string, LedgerObject] => [
    `OAuthClient/c${index}`,
    clientInLedger(`oc-${index}`, {}, { digests: { secret } }),
  ]);
  return ledgerWith(Object.fromEntries(held));
}

describe('digests of secrets', () => {
  withRealDigests();
  const digests = new Digests(holding());

  it('match their value and no other', async () => {
    const text = await digests.create('hunter2');
    assert.equal(await digests.match('hunter2', text), true);
    assert.equal(await digests.match('hunter3', text), false);
    assert.equal(await digests.match('', text), false);
  });

  it('have the form the ledger accepts, and not the value', async () => {
    const text = await digests.create('hunter2');
    assert.ok(isDigest(text));
    assert.match(text, /^scrypt:16384:8:1:/);
    assert.doesNotMatch(text, /hunter2/);
  });

  it('share their salt and nothing else, whether their values are equal or not', async () => {
    const first = await digests.create('hunter2');
    const again = new Digests(holding(first));
    const parts = [first, await again.create('hunter2'), await again.create('hunter3')].map((text) =>
      text.split(':').slice(4),
    );
    assert.equal(new Set(parts.map(([salt]) => salt)).size, 1);
    assert.equal(new Set(parts.map(([, nonce]) => nonce)).size, 3);
    assert.equal(new Set(parts.map(([, , hash]) => hash)).size, 3);
    // Another ledger has another salt.
    assert.notEqual((await new Digests(holding()).create('hunter2')).split(':')[4], parts[0]?.[0]);
  });

  it('cost whoever guesses one scrypt for each guess: nothing else of a value is in them', async () => {
    const [, , , , salt = '', nonce = '', hash] = (await digests.create('hunter2')).split(':');
    const key = scryptSync('hunter2', Buffer.from(salt, 'base64url'), 32, { N: 16_384, r: 8, p: 1 });
    const keyed = createHmac('sha256', key).update(Buffer.from(nonce, 'base64url')).digest('base64url');
    assert.equal(keyed, hash);
  });

  it('carry their cost, so that old ones still match after a change of it', async () => {
    assert.equal(await digests.match('hunter2', old), true);
    assert.equal(await digests.match('hunter3', old), false);
  });

  it('of an earlier version are renewed where their value was seen, and only there', async () => {
    const ledger = holding(old);
    const renewing = digestsFor(ledger);
    assert.equal(await renewing.renew(old), old);
    assert.equal(await renewing.match('hunter3', old), false);
    assert.equal(await renewing.renew(old), old);
    assert.equal(await renewing.match('hunter2', old), true);
    const renewed = await digestsFor(ledger).renew(old);
    assert.match(renewed, /^scrypt:16384:8:1(:[\w-]+){3}$/);
    assert.equal(await new Digests(holding(renewed)).match('hunter2', renewed), true);
    assert.equal(await renewing.renew(renewed), renewed);
  });

  it('refuse a text that is none, and a cost that would stop us', async () => {
    for (const text of ['', 'hunter2', 'scrypt:1:2:3', `md5:${'a'.repeat(60)}`]) {
      await assert.rejects(digests.match('hunter2', text), /not a digest/);
    }
    const rest = `${'A'.repeat(22)}:${'B'.repeat(43)}`;
    // Too much memory, too long, no power of two, and too many for the size of a block.
    for (const absurd of ['16777216:8:1', '16384:8:99', '16383:8:1', '1:8:1', '65536:1:1']) {
      await assert.rejects(digests.match('hunter2', `scrypt:${absurd}:${rest}`), /not a digest/, absurd);
    }
    assert.equal(await digests.match('hunter2', `scrypt:32768:1:4:${rest}`), false);
  });
});
