/** Secrets of an apply: which are needed, and that none stays in a text, in whatever form an answer repeats it. */
import assert from 'node:assert/strict';
import { neededSecrets, withoutSecrets } from '../../../reconciler/apply/secret-values';
import { planOf, stepOf } from '../../support/plans';

describe('the secrets of an apply', () => {
  const rows: readonly (readonly [string, string, readonly string[], string])[] = [
    ['as it is', 'bad token canary', ['canary'], 'bad token (secret)'],
    ['twice', 'canary, canary', ['canary'], '(secret), (secret)'],
    ['as JSON', '{"secret":"a\\"b\\nc"}', ['a"b\nc'], '{"secret":"(secret)"}'],
    ['as part of a URL', 'GET /x?s=a%2Fb%20c', ['a/b c'], 'GET /x?s=(secret)'],
    [
      'beside a longer one that begins with it',
      'canary-two canary',
      ['canary', 'canary-two'],
      '(secret) (secret)',
    ],
    ['that is empty: nothing', 'a text', [''], 'a text'],
  ];
  for (const [what, text, secrets, shown] of rows) {
    it(`do not stay in a text that repeats one ${what}`, () => {
      assert.equal(withoutSecrets(text, secrets), shown);
    });
  }

  it('are each needed once, by organization, address and field, in the order of the plan', () => {
    const source = { fromEnv: 'S' };
    const step = (address: string, secrets: Record<string, { fromEnv: string }>) =>
      stepOf({ action: 'create', address, secrets });
    const steps = [
      step('OAuthClient/a', { secret: source, oauthTokenString: source }),
      step('OAuthClient/b', { secret: source }),
      step('OAuthClient/a', { secret: source }),
    ];
    assert.deepEqual(
      neededSecrets(planOf({ steps }, { organization: 'beta', steps: steps.slice(1, 2) })).map(
        ({ organization, address, field }) => `${organization} ${address} ${field}`,
      ),
      [
        'acme OAuthClient/a secret',
        'acme OAuthClient/a oauthTokenString',
        'acme OAuthClient/b secret',
        'beta OAuthClient/b secret',
      ],
    );
  });
});
