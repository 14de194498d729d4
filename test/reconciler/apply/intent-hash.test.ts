/** What a create was sent with, as a hash: equal for equal inputs, and showing none of them. */
import assert from 'node:assert/strict';
import { intentHash } from '../../../reconciler/apply/create';
import type { FieldValues } from '../../../resources/kind';
import { withRealDigests } from '../../support/cheap-digests';

describe('the hash of an intent', () => {
  withRealDigests();
  const hashOf = (values: FieldValues, nonce: string) => intentHash(values, nonce);
  const inputs = { name: 'GitHub', oauthTokenString: 'hunter2', projectIds: ['b', 'a'] };

  it('is the same for the same inputs, in whatever order', async () => {
    const turned = { projectIds: ['a', 'b', 'a'], oauthTokenString: 'hunter2', name: 'GitHub' };
    assert.equal(await hashOf(inputs, 'nonce'), await hashOf(turned, 'nonce'));
  });

  const others: [string, Record<string, string | string[] | null>, string][] = [
    ['another secret', { ...inputs, oauthTokenString: 'hunter3' }, 'nonce'],
    ['another nonce', inputs, 'other'],
    ['a member more', { ...inputs, key: null }, 'nonce'],
    ['a member of a set more', { ...inputs, projectIds: ['a', 'b', 'c'] }, 'nonce'],
    [
      'the value under another name',
      { name: 'hunter2', oauthTokenString: 'GitHub', projectIds: ['a', 'b'] },
      'nonce',
    ],
  ];
  for (const [what, other, nonce] of others) {
    it(`differs for ${what}`, async () => {
      assert.notEqual(await hashOf(inputs, 'nonce'), await hashOf(other, nonce));
    });
  }

  it('is the one that ledgers hold already', async () => {
    // Made elsewhere, by scryptSync of the members as JSON.
    const known = 'scrypt:16384:8:1:Ik5O87bRr_6pVCSuleEjOSjTMY3hQCv9t3qq4S30VSY';
    assert.equal(await hashOf(inputs, 'nonce'), known);
  });

  it('shows no input', async () => {
    assert.match(await hashOf(inputs, 'nonce'), /^scrypt:\d+:\d+:\d+:[\w-]{43}$/);
  });
});
