/** Which address a person may have meant. */
import assert from 'node:assert/strict';
import { suggestion } from '../../resources/names';

describe('the nearest address', () => {
  const known = ['OAuthClient/github', 'OAuthClient/gitlab', 'RunTrigger/app/network', 'RunTrigger/app/dns'];
  for (const [text, near] of [
    ['OAuthClient/githib', 'OAuthClient/github'],
    ['OauthClient/GitHub', 'OAuthClient/github'],
    ['OAuthClients/gitlab', 'OAuthClient/gitlab'],
    ['RunTrigger/app/netwrk', 'RunTrigger/app/network'],
    ['RunTriger/app/dsn', 'RunTrigger/app/dns'],
    ['', undefined],
  ] as const) {
    it(`to ${JSON.stringify(text)} is ${near ?? 'none'}`, () => {
      const said = suggestion(text, known, 'the addresses');
      assert.equal(said.match(/did you mean `(.*)`/)?.[1], near);
    });
  }
});
