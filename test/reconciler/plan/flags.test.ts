/** A misspelt address in a flag is refused where it could make a second object, and doubted where it may be spent. */
import assert from 'node:assert/strict';
import { nearestAddress } from '../../../manifest/nearest-address';
import type { PlanOptions } from '../../../reconciler/plan/options';
import {
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
  triggerInLedger,
} from '../../support/pure-world';

const manifests = manifest(`aliases: { workspaces: { app: ws-a, network: ws-b } }
oauthClients:
  github: { name: GitHub, serviceProvider: provider_a, httpUrl: https://a.example, apiUrl: https://a.example/api }
runTriggers: [{ target: app, source: network }]
`);
const ledger = ledgerWith({
  'OAuthClient/old': clientInLedger('oc-1', {}),
  'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
});

describe('an address in a flag', () => {
  const judge = (options: Partial<PlanOptions>) => {
    const [one] = planIn(pureWorld({ ledger }), manifests, options).plan.organizations;
    const said = (rule: string, issues: readonly { rule: string; message: string }[] = []) =>
      issues.filter((issue) => issue.rule === rule).map((issue) => issue.message);
    return {
      problems: said('unknown-address', one?.problems),
      warnings: said('unknown-address', one?.warnings),
      targets: said('unknown-target', one?.problems),
      stops: (one?.stops ?? []).filter((stop) => stop.code === 'wrong-flag').map((stop) => stop.message),
    };
  };

  for (const address of ['OAuthClient/github', 'acme:OAuthClient/github']) {
    it(`may adopt as ${address}`, () => {
      const { problems, stops } = judge({ adopt: { [address]: 'oc-1' } });
      assert.deepEqual([problems, stops], [[], []]);
    });
  }

  it('must name an object of the manifests to adopt; all that do not are told at once, and nothing is applied', () => {
    const { problems, stops } = judge({
      adopt: {
        'OAuthClient/gitub': 'oc-1',
        'OAuthClient/old': 'oc-1',
        'beta:OAuthClient/github': 'oc-1',
        'RunTrigger/app/network': 'rt-1',
      },
    });
    const vain = 'names no object with an id of its own in the manifests';
    assert.deepEqual(problems, [
      `--adopt OAuthClient/gitub ${vain}; did you mean OAuthClient/github?`,
      `--adopt OAuthClient/old ${vain}`,
      `--adopt beta:OAuthClient/github ${vain}; did you mean OAuthClient/github?`,
      `--adopt RunTrigger/app/network ${vain}`,
    ]);
    assert.deepEqual(stops, problems);
  });

  it('is doubted where it approves nothing that is known', () => {
    const right = judge({ allowDestroy: ['OAuthClient/old'], allowReplace: ['OAuthClient/github'] });
    assert.deepEqual(right.warnings, []);
    const wrong = judge({ allowDestroy: ['OAuthClient/odl'], allowReplace: ['RunTrigger/ws-a/ws-b'] });
    const vain = 'names no object with an id of its own in the manifests or the ledger';
    assert.deepEqual(wrong.warnings, [
      `--allow-destroy OAuthClient/odl ${vain}`,
      `--allow-replace RunTrigger/ws-a/ws-b ${vain}`,
    ]);
    assert.deepEqual(wrong.stops, []);
  });

  it('is a problem where it targets nothing, with the nearest address', () => {
    const vain = 'names nothing in the manifests or the ledger';
    assert.deepEqual(judge({ targets: ['RunTrigger/app/netwrok', 'OAuthClient/nothing'] }).targets, [
      `--target RunTrigger/app/netwrok ${vain}; did you mean RunTrigger/app/network?`,
      `--target OAuthClient/nothing ${vain}`,
    ]);
  });
});

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
