/** Errors as the engine prints them: those written for people as they are, all others with a word about whose fault it is. */
import assert from 'node:assert/strict';
import { AccountError } from '../../client/account';
import { BadAnswer, BadOption, NotFound } from '../../client/errors';
import { messageOf, ProviderError, Unfinished } from '../../provider/failures';
import { ProfileError } from '../../resources/profile';
import { UnexpectedAnswer } from '../../resources/safe-calls';

const context = { method: 'GET', route: '/x', status: 404, attempts: 1, details: [] };
const told: readonly Error[] = [
  new ProviderError('said'),
  new Unfinished('said', 'oc-1', {}),
  new AccountError('said'),
  new ProfileError('said'),
  new UnexpectedAnswer('said'),
  new BadOption('said'),
  new NotFound('said', 'rejected', context),
  new BadAnswer('said', 'ambiguous', context),
];

describe('an error on one line', () => {
  for (const error of told) {
    it(`is what ${error.name} says`, () => {
      assert.equal(messageOf(error), 'said');
    });
  }

  it('is called a bug where nobody wrote it for people', () => {
    const bug = 'unexpected: said. This is a bug in tether; please report it';
    for (const error of [new Error('said'), new TypeError('said'), 'said'])
      assert.equal(messageOf(error), bug);
  });

  it('has no line break and no white space around', () => {
    assert.equal(messageOf(new ProfileError(' one:\n  two\r\n three\n')), 'one: two three');
  });
});
