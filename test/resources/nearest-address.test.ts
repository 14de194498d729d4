/** Which address a person may have meant. */
import assert from 'node:assert/strict';
import { suggestAddress } from '../../resources/names';

describe('the nearest address', () => {
  const known = [
    'OAuthClient/github',
    'OAuthClient/gitlab',
    'RunTrigger/app/network',
    'RunTrigger/app/dns',
    'OAuthClient/dns',
    'RunTrigger/dns',
  ];
  for (const [text, near] of [
    ['OAuthClient/githib', 'OAuthClient/github'],
    ['OauthClient/GitHub', 'OAuthClient/github'],
    ['OAuthClients/gitlab', 'OAuthClient/gitlab'],
    ['RunTrigger/app/netwrk', 'RunTrigger/app/network'],
    ['RunTriger/app/dsn', 'RunTrigger/app/dns'],
    ['RunTriger/dns', 'RunTrigger/dns'],
    ['', undefined],
  ] as const) {
    it(`to ${JSON.stringify(text)} is ${near ?? 'none'}`, () => {
      const said = near === undefined ? '' : `; did you mean ${near}?`;
      assert.equal(suggestAddress(text, known), said);
    });
  }
});
