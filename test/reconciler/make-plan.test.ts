/** Observing and planning together: what is asked of the service, and what a refusal means. */
import assert from 'node:assert/strict';
import { createReadOnlyClient } from '../../client';

import type { Ledger } from '../../reconciler/ledger/ledger';
import { LedgerMismatch, makePlan } from '../../reconciler/make-plan';
import { defaultPlanOptions } from '../../reconciler/plan/options';
import { acmeHead, acmeSeed } from '../support/acme';
import { ApplyWorld } from '../support/apply-world';
import { clientInLedger, ledgerWith, triggerDocument } from '../support/pure-world';
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
      options: defaultPlanOptions,
      env: {},
    });
    return made.organizations[0];
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
      [made?.steps.map((one) => one.id), made?.undetermined],
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

describe('making a plan with a ledger of other organizations', () => {
  const object = clientInLedger('oc-1', {}, { file: 'gone.tether.yaml' });
  const of = (organizations: readonly string[]): Ledger => ({
    version: 1,
    organizations: Object.fromEntries(
      organizations.map((name) => [
        name,
        { lineage: 'l', serial: 1, objects: { 'OAuthClient/a': object }, pending: {}, tombstones: [] },
      ]),
    ),
  });
  async function planned(ledger: Ledger): Promise<readonly string[]> {
    const { api } = readApi({
      clients: { beta: [] },
      triggers: { 'ws-app inbound': [triggerDocument('rt-1', 'ws-network', 'ws-app')] },
    });
    const { plan } = await makePlan({
      api,
      manifests: soundManifest(triggers),
      ledger,
      options: defaultPlanOptions,
      env: {},
    });
    return plan.organizations.flatMap(({ steps }) => steps.map((step) => step.id));
  }

  it('stops when none of them is wanted, and names both', async () => {
    await assert.rejects(
      planned(of(['beta'])),
      (error) =>
        error instanceof LedgerMismatch && /of organization beta,.*of acme: nothing/.test(error.message),
    );
  });

  it('does not mind one that holds nothing any more', async () => {
    const empty = { lineage: 'l', serial: 1, objects: {}, pending: {}, tombstones: [] };
    const ledger = { version: 1, organizations: { beta: empty } } as const;
    assert.deepEqual(await planned(ledger), ['adopt RunTrigger/app/network']);
  });
});
