/** An apply is killed, the manifest changes, and the next apply must make what is wanted now, and only that. */
import assert from 'node:assert/strict';
import type { PlanOptions } from '../../reconciler/plan/options';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld } from '../support/apply-world';
import { callFaults, type Fault, lineFaults, type Moment, Tap } from './tap';
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

const options: Partial<PlanOptions> = {
  allowDestroy: ['OAuthClient/gitlab'],
  allowReplace: ['OAuthClient/gitlab'],
  maxDeletes: 20,
  acceptMissing: 20,
};
const faults: readonly Fault[] = [...callFaults, ...lineFaults, 'killed-late'];

describe('when a killed apply was followed by an edit', function () {
  this.timeout(240_000);
  let world: ApplyWorld;
  let moments: readonly Moment[];

  before(async () => {
    world = await ApplyWorld.start(acmeSeed());
    const tap = await first(world, null);
    moments = tap.moments;
  });
  after(() => world.close());

  for (const edit of edits) {
    it(`ends in what is wanted: ${edit.what}`, async () => {
      world.reset(acmeSeed());
      await settle(world, edit, 'undisturbed');
      const truth = truthOf(world, new Set());
      for (const [index, moment] of moments.entries()) {
        for (const how of faults.filter((one) => one.endsWith('-line') === (moment.of === 'line'))) {
          // A trigger has no name of its own: one that arrives late and is not wanted looks like anybody's.
          if (how === 'killed-late' && moment.name !== 'create client') continue;
          const where = `${how} at ${index} (${moment.operation}: ${moment.name})`;
          world.reset(acmeSeed());
          const tap = await first(world, { index, how });
          await settle(world, edit, where);
          await tap.arriveLate();
          await settle(world, edit, where);
          assertLedgerTrue(world);
          assert.deepEqual(truthOf(world, new Set()), truth, where);
        }
      }
    });
  }
});

async function first(world: ApplyWorld, fault: { index: number; how: Fault } | null): Promise<Tap> {
  world.manifest = acmeManifest();
  const { plan } = await world.plan();
  const operations = new Map(
    plan.organizations.flatMap((one) => one.steps.map((step) => [step.id, step.id] as const)),
  );
  const tap = new Tap(world.service, operations, fault);
  await world.applyPlan(plan, {
    api: tap.api(world.api),
    aroundJournal: tap.journal,
    onEvent: tap.onEvent,
    concurrency: 1,
  });
  world.service.clearFaults();
  return tap;
}

/** Applies the edited manifest as a person would: again, until there is nothing left; three times must do. */
async function settle(world: ApplyWorld, edit: (typeof edits)[number], where: string): Promise<void> {
  world.manifest = edit.manifest;
  Object.assign(world.env, edit.env);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { plan } = await world.plan(options);
    const organization = plan.organizations[0];
    assert.deepEqual(
      organization?.problems.map((one) => one.message),
      [],
      where,
    );
    assert.deepEqual(
      organization?.stops.map((one) => one.message),
      [],
      where,
    );
    if (organization?.steps.length === 0) break;
    await world.applyPlan(plan);
  }
  try {
    await world.expectNothing();
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  }
}
