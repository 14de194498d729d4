/** A replacement is killed at any point, the manifest changes, and the next apply leaves exactly what is wanted now. */
import assert from 'node:assert/strict';
import { acmeClients, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld, type Planning } from '../support/apply-world';
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
  let moments: readonly Moment[];

  before(async () => {
    world = await ApplyWorld.start(acmeSeed());
    moments = (await replaceIn(world, null)).moments;
  });
  after(() => world.close());

  for (const [what, manifest] of edits) {
    it(`ends in what is wanted: ${what}`, async () => {
      await replaceIn(world, null);
      await settle(world, options, manifest, 'undisturbed');
      const truth = truthOf(world, new Set());
      for (const { at, where } of everyFault(moments)) {
        const tap = await replaceIn(world, at);
        await settle(world, options, manifest, where);
        await tap.arriveLate();
        await settle(world, options, manifest, where);
        assertLedgerTrue(world);
        assert.deepEqual(truthOf(world, new Set()), truth, where);
      }
    });
  }
});

/** A settled world in which somebody attached a project of their own; then the replacement, with a fault. */
async function replaceIn(world: ApplyWorld, at: At | null): Promise<Tap> {
  world.reset(acmeSeed());
  world.manifest = acmeManifest();
  await world.apply();
  await world.api.oauthClients.attach(world.objects()['OAuthClient/github']?.id ?? '', ['prj-data']);
  world.manifest = withUrl('https://git2.example.com');
  return interruptedApply(world, options, at);
}
