/** A misspelt address in a flag is refused where it could make a second object, and doubted where it may be spent. */
import assert from 'node:assert/strict';
import { UserError } from '../../cli/errors';
import { judgeAddresses } from '../../cli/known-addresses';
import { defaultPlanOptions } from '../../reconciler/plan/options';
import { clientInLedger, ledgerWith, manifest, triggerInLedger } from '../support/pure-world';

const manifests = manifest(`oauthClients:
  github: { name: GitHub, serviceProvider: provider_a, httpUrl: https://a.example, apiUrl: https://a.example/api }
runTriggers: [{ target: ws-a, source: ws-b }]
`);
const ledger = ledgerWith({
  'OAuthClient/old': clientInLedger('oc-1', {}),
  'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
});

describe('an address in a flag', () => {
  const judge = (options: Partial<typeof defaultPlanOptions>) =>
    judgeAddresses({ ...defaultPlanOptions, ...options }, manifests, ledger);

  for (const address of ['OAuthClient/github', 'acme:OAuthClient/github']) {
    it(`may adopt as ${address}`, () => assert.deepEqual(judge({ adopt: { [address]: 'oc-1' } }), []));
  }

  it('must name an entry of the manifests to adopt, and all that do not are told at once', () => {
    const adopt = {
      'OAuthClient/gitub': 'oc-1',
      'OAuthClient/old': 'oc-1',
      'beta:OAuthClient/github': 'oc-1',
    };
    assert.throws(
      () => judge({ adopt }),
      (error) =>
        error instanceof UserError &&
        error.message ===
          `--adopt OAuthClient/gitub names no object with an id of its own in the manifests; did you mean OAuthClient/github?
--adopt OAuthClient/old names no object with an id of its own in the manifests
--adopt beta:OAuthClient/github names no object with an id of its own in the manifests; did you mean OAuthClient/github?`,
    );
  });

  it('cannot adopt a link', () => {
    assert.throws(() => judge({ adopt: { 'RunTrigger/ws-a/ws-b': 'rt-1' } }), UserError);
  });

  it('is doubted where it approves nothing that is known', () => {
    assert.deepEqual(judge({ allowDestroy: ['OAuthClient/old'], allowReplace: ['OAuthClient/github'] }), []);
    assert.deepEqual(judge({ allowDestroy: ['OAuthClient/odl'], allowReplace: ['RunTrigger/ws-a/ws-b'] }), [
      '--allow-destroy OAuthClient/odl names no object with an id of its own in the manifests or the ledger; did you mean OAuthClient/old?',
      '--allow-replace RunTrigger/ws-a/ws-b names no object with an id of its own in the manifests or the ledger',
    ]);
  });
});
