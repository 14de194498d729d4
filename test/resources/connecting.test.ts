/** Who waits for a person, and which URL that person opens. */
import assert from 'node:assert/strict';
import { oauthClient } from '../../resources/oauth-client';

const address = 'https://service.test:8443/api/v2';
const path = '/auth/oc-1?organization_id=1';

describe('a client that waits for a person', () => {
  for (const [outputs, url] of [
    [{ oauthTokenIds: [], connectPath: path }, `https://service.test:8443${path}`],
    [{ oauthTokenIds: [], connectPath: '//evil.test/auth' }, '//evil.test/auth'],
  ] as const) {
    it(`is connected at ${url}`, () => {
      assert.equal(
        oauthClient.waitsFor?.(outputs, address),
        `not authorized yet: open ${url} to complete the OAuth connection`,
      );
    });
  }

  for (const outputs of [
    { oauthTokenIds: ['ot-1'], connectPath: path },
    { connectPath: path },
    { oauthTokenIds: [], connectPath: null },
  ]) {
    it(`is none with ${JSON.stringify(outputs)}`, () => {
      assert.equal(oauthClient.waitsFor?.(outputs, address), null);
    });
  }
});
