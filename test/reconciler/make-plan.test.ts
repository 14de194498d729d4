/** Observing and planning together: what is asked of the service, and what a refusal means. */
import assert from 'node:assert/strict';
import { createReadOnlyClient } from '../../client/client';

import type { Ledger } from '../../reconciler/ledger/ledger';
import { LedgerMismatch, makePlan } from '../../reconciler/make-plan';
import { acmeHead, acmeSeed } from '../support/acme';
import { ApplyWorld } from '../support/apply-world';
import { clientInLedger, ledgerWith } from '../support/pure-world';
import { readApi } from '../support/read-api';
import { soundManifest } from '../support/sound-manifest';

const triggers = `${acmeHead}runTriggers:\n  - { target: app, source: network }\n`;

describe('making a plan with a token that may not manage VCS settings', () => {
  let world: ApplyWorld;
  before(async () => {
    const workspaces = { 'ws-app': 'admin', 'ws-network': 'readRuns' } as const;
    world = await ApplyWorld.start({
      ...acmeSeed(),
      tokens: { less: { acme: { manageVcsSettings: false, workspaces } } },
    });
  });
  after(() => world.close());

  const plan = async (text: string, ledger: Ledger) => {
    const { plan: made } = await makePlan({
      api: createReadOnlyClient({ address: world.service.url, token: 'less', rate: 1000 }),
      manifests: soundManifest(text),
      ledger,
      env: {},
    });
    return made;
  };
  const tombstones = [
    {
      kind: 'OAuthClient',
      address: 'OAuthClient/github',
      nonce: 'tether-pending-x',
      since: '2026-01-01T00:00:00.000Z',
    },
  ];

  it('plans triggers, although a client of an interrupted apply is still remembered', async () => {
    const made = await plan(triggers, ledgerWith({}, { tombstones }));
    assert.deepEqual(
      [made.steps.map((one) => one.id), made.unknown],
      [['create RunTrigger/app/network'], []],
    );
  });

  it('stops where clients are wanted', async () => {
    const client = `oauthClients:\n  github: { serviceProvider: provider_a, httpUrl: https://a.example, apiUrl: https://a.example, oauthTokenString: { fromEnv: T } }\n`;
    await assert.rejects(
      plan(`${triggers}${client}`, ledgerWith({}, { tombstones })),
      /organization acme: not found/,
    );
  });
});

describe('making a plan with the ledger of another organization', () => {
  const object = clientInLedger('oc-1', {}, { file: 'gone.tether.yaml' });

  for (const [what, objects] of [
    ['holds something', { 'OAuthClient/a': object }],
    ['holds nothing any more', {}],
  ] as const) {
    it(`is refused before any call, at the line that names the organization, where it ${what}`, async () => {
      const { api, calls } = readApi({});
      await assert.rejects(
        makePlan({
          api,
          manifests: soundManifest(triggers),
          ledger: { ...ledgerWith(objects), organization: 'beta' },
          env: {},
        }),
        (error) =>
          error instanceof LedgerMismatch &&
          /^acme\.tether\.yaml:2:15: .* of `acme`, .* of `beta`: nothing was planned/.test(error.message),
      );
      assert.deepEqual(calls, []);
    });
  }
});
