/** Digests of secrets: salted, comparable with their value alone. */
import assert from 'node:assert/strict';
import { digest, isDigest, matches } from '../../../reconciler/ledger/digest';
import { withRealDigests } from '../../support/cheap-digests';

describe('digests of secrets', () => {
  withRealDigests();
  it('match their value and no other', async () => {
    const text = await digest('hunter2');
    assert.equal(await matches('hunter2', text), true);
    assert.equal(await matches('hunter3', text), false);
    assert.equal(await matches('', text), false);
  });

  it('have the form the ledger accepts, a salt each, and not the value', async () => {
    const [one, two] = [await digest('hunter2'), await digest('hunter2')];
    assert.ok(isDigest(one));
    assert.notEqual(one, two);
    assert.match(one, /^scrypt:16384:8:1:/);
    assert.doesNotMatch(one, /hunter2/);
  });

  it('carry their cost, so that old ones still match after a change of it', async () => {
    // Made elsewhere: node -e "crypto.scryptSync('hunter2', Buffer.alloc(16), 32, { N: 1024, r: 4, p: 2 })"
    const old = 'scrypt:1024:4:2:AAAAAAAAAAAAAAAAAAAAAA:0Utq63FuoXdCQG6SdIoWkGkUf_sZ_XiQGhWNz7MnHfY';
    assert.equal(await matches('hunter2', old), true);
    assert.equal(await matches('hunter3', old), false);
  });

  it('refuse a text that is none, and a cost that would stop us', async () => {
    for (const text of ['', 'hunter2', 'scrypt:1:2:3', `md5:${'a'.repeat(60)}`]) {
      await assert.rejects(matches('hunter2', text), /not a digest/);
    }
    const rest = `${'A'.repeat(22)}:${'B'.repeat(43)}`;
    // Too much memory, too long, no power of two, and too many for the size of a block.
    for (const absurd of ['16777216:8:1', '16384:8:99', '16383:8:1', '1:8:1', '65536:1:1']) {
      await assert.rejects(matches('hunter2', `scrypt:${absurd}:${rest}`), /not a digest/, absurd);
    }
    assert.equal(await matches('hunter2', `scrypt:32768:1:4:${rest}`), false);
  });
});
