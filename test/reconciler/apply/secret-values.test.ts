/** Secrets of an apply: which are needed. */
import assert from 'node:assert/strict';
import { neededSecrets } from '../../../reconciler/apply/apply';
import { planOf, stepOf } from '../../support/plans';

describe('the secrets of an apply', () => {
  it('are each needed once, by address and field, in the order of the plan', () => {
    const source = { fromEnv: 'S' };
    const step = (address: string, secrets: Record<string, { fromEnv: string }>) =>
      stepOf({ action: 'create', address, secrets });
    const steps = [
      step('OAuthClient/a', { secret: source, oauthTokenString: source }),
      step('OAuthClient/b', { secret: source }),
      step('OAuthClient/a', { secret: source }),
    ];
    assert.deepEqual(
      neededSecrets(planOf({ steps })).map(({ address, field }) => `${address} ${field}`),
      ['OAuthClient/a secret', 'OAuthClient/a oauthTokenString', 'OAuthClient/b secret'],
    );
  });
});
