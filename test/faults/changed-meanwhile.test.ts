/** An apply is killed, the manifest changes, and the next apply must make what is wanted now, and only that. */
import assert from 'node:assert/strict';
import type { MadePlan } from '../../reconciler/make-plan';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld, type Planning } from '../support/apply-world';
import { type At, everyFault, interruptedApply, settle } from './interrupted';
import type { Moment, Tap } from './tap';
import { assertLedgerTrue, truthOf } from './truth';

const withoutGitlab = acmeClients.slice(0, acmeClients.indexOf('  gitlab:'));

const edits: readonly {
  readonly what: string;
  readonly manifest: string;
  readonly env?: Readonly<Record<string, string>>;
}[] = [
  {
    what: 'a field that changes in place',
    manifest: acmeManifest({
      clients: acmeClients.replace('name: GitLab', 'name: Lab').replace('key: lab-key', 'key: k2'),
    }),
  },
  {
    what: 'a field that only a replacement changes',
    manifest: acmeManifest({
      clients: acmeClients.replace('https://lab.example.com', 'https://lab2.example.com'),
    }),
  },
  { what: 'a secret', manifest: acmeManifest(), env: { GIT_SECRET: 'canary-secret-2' } },
  { what: 'the client, which is not wanted any more', manifest: acmeManifest({ clients: withoutGitlab }) },
  {
    what: 'the links, which are not wanted any more',
    manifest: acmeManifest({ links: acmeLinks.slice(0, acmeLinks.indexOf('runTriggers')) }),
  },
];

const options: Planning = {
  approve: true,
  maxDeletes: 20,
  acceptMissing: 20,
};

describe('when a killed apply was followed by an edit', () => {
  let world: ApplyWorld;
  let plan: MadePlan;
  let moments: readonly Moment[];

  before(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
    plan = await world.plan();
    moments = (await first(null)).moments;
  });
  after(() => world.close());

  for (const edit of edits) {
    it(`ends in what is wanted: ${edit.what}`, async () => {
      const settled = async (where: string): Promise<void> => {
        Object.assign(world.env, edit.env);
        await settle(world, options, edit.manifest, where);
      };
      world.reset(acmeSeed());
      await settled('undisturbed');
      const truth = truthOf(world, new Set());
      for (const { at, where } of everyFault(moments)) {
        const tap = await first(at);
        await settled(where);
        if (await tap.arriveLate()) await settled(where);
        assertLedgerTrue(world);
        assert.deepEqual(truthOf(world, new Set()), truth, where);
      }
    });
  }

  function first(at: At | null): Promise<Tap> {
    world.reset(acmeSeed());
    return interruptedApply(world, plan, at);
  }
});
