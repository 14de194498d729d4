/** Which address a person may have meant. */
import assert from 'node:assert/strict';
import { nearestAddress } from '../../manifest/nearest-address';

describe('the nearest address', () => {
  const known = ['OAuthClient/github', 'OAuthClient/gitlab', 'RunTrigger/app/network', 'RunTrigger/app/dns'];
  for (const [text, near] of [
    ['OAuthClient/githib', 'OAuthClient/github'],
    ['OauthClient/GitHub', 'OAuthClient/github'],
    ['OAuthClients/gitlab', 'OAuthClient/gitlab'],
    ['github', 'OAuthClient/github'],
    ['RunTrigger/app/netwrk', 'RunTrigger/app/network'],
    ['RunTriger/app/dsn', 'RunTrigger/app/dns'],
    ['OAuthClient/web', undefined],
    ['RunTrigger/github', undefined],
    ['', undefined],
  ] as const) {
    it(`to ${JSON.stringify(text)} is ${near ?? 'none'}`, () => {
      const all = known.map((address) => ({ organization: 'acme', address }));
      assert.equal(nearestAddress(text, all), near);
    });
  }

  it('names the organization where there are several, and prefers the one that was named', () => {
    const all = ['acme', 'beta'].map((organization) => ({ organization, address: 'OAuthClient/github' }));
    assert.equal(nearestAddress('beta:OAuthClient/githu', all), 'beta:OAuthClient/github');
    assert.equal(nearestAddress('bta:OAuthClient/github', all), 'acme:OAuthClient/github');
  });
});
