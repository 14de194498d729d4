/** A replacement is killed at any point, the manifest changes, and the next apply leaves exactly what is wanted now. */
import assert from 'node:assert/strict';
import type { MadePlan } from '../../reconciler/make-plan';
import { acmeClients, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld, type Mark, type Planning } from '../support/apply-world';
import { type At, everyFault, interruptedApply, settle } from './interrupted';
import type { Moment, Tap } from './tap';
import { assertLedgerTrue, truthOf } from './truth';

const withUrl = (url: string, more = ''): string =>
  acmeManifest({
    clients: acmeClients.replace('httpUrl: https://git.example.com\n', `httpUrl: ${url}\n${more}`),
  });
const withoutGithub = acmeManifest({
  clients: `oauthClients:\n${acmeClients.slice(acmeClients.indexOf('  gitlab:'))}`,
  links: 'runTriggers:\n  - { target: docs, source: app }\n',
});

const edits = [
  ['nothing', withUrl('https://git2.example.com')],
  ['the same field once more', withUrl('https://git3.example.com')],
  ['the same field back again', acmeManifest()],
  ['a field that changes in place', withUrl('https://git2.example.com', '    key: k2\n')],
  ['the client, which is not wanted any more', withoutGithub],
] as const;

const options: Planning = {
  approve: true,
  maxDeletes: 20,
  acceptMissing: 20,
};

describe('when a killed replacement was followed by an edit', () => {
  let world: ApplyWorld;
  /** A settled world in which somebody attached a project of their own; and the plan of the replacement. */
  let settled: Mark;
  let plan: MadePlan;
  let moments: readonly Moment[];

  before(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
    await world.apply();
    await world.api.oauthClients.attach(world.objects()['OAuthClient/github']?.id ?? '', ['prj-data']);
    settled = world.mark();
    world.manifest = withUrl('https://git2.example.com');
    plan = await world.plan(options);
    moments = (await replace(null)).moments;
  });
  after(() => world.close());

  for (const [what, manifest] of edits) {
    it(`ends in what is wanted: ${what}`, async () => {
      await replace(null);
      await settle(world, options, manifest, 'undisturbed');
      const truth = truthOf(world, new Set());
      for (const { at, where } of everyFault(moments)) {
        const tap = await replace(at);
        await settle(world, options, manifest, where);
        if (await tap.arriveLate()) await settle(world, options, manifest, where);
        assertLedgerTrue(world);
        assert.deepEqual(truthOf(world, new Set()), truth, where);
      }
    });
  }

  async function replace(at: At | null): Promise<Tap> {
    world.returnTo(settled);
    return interruptedApply(world, plan, at);
  }
});
