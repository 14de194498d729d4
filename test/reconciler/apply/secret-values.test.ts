/** Secrets of an apply: which are needed. */
import assert from 'node:assert/strict';
import { neededSecrets } from '../../../reconciler/apply/secret-values';
import { planOf, stepOf } from '../../support/plans';

describe('the secrets of an apply', () => {
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
