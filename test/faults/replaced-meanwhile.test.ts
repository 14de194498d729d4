/** A replacement is killed at any point, the manifest changes, and the next apply leaves exactly what is wanted now. */
import assert from 'node:assert/strict';
import type { PlanOptions } from '../../reconciler/plan/options';
import { acmeClients, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld } from '../support/apply-world';
import { callFaults, type Fault, lineFaults, type Moment, Tap } from './tap';
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

const options: Partial<PlanOptions> = {
  allowDestroy: ['OAuthClient/github'],
  allowReplace: ['OAuthClient/github'],
  maxDeletes: 20,
  acceptMissing: 20,
};
const faults: readonly Fault[] = [...callFaults, ...lineFaults, 'killed-late'];

describe('when a killed replacement was followed by an edit', function () {
  this.timeout(240_000);
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
      await settle(world, manifest, 'undisturbed');
      const truth = truthOf(world, new Set());
      for (const [index, moment] of moments.entries()) {
        for (const how of faults.filter((one) => one.endsWith('-line') === (moment.of === 'line'))) {
          if (how === 'killed-late' && moment.name !== 'create client') continue;
          const where = `${how} at ${index} (${moment.operation}: ${moment.name})`;
          const tap = await replaceIn(world, { index, how });
          await settle(world, manifest, where);
          await tap.arriveLate();
          await settle(world, manifest, where);
          assertLedgerTrue(world);
          assert.deepEqual(truthOf(world, new Set()), truth, where);
        }
      }
    });
  }
});

/** A settled world in which somebody attached a project of their own; then the replacement, with a fault. */
async function replaceIn(world: ApplyWorld, fault: { index: number; how: Fault } | null): Promise<Tap> {
  world.reset(acmeSeed());
  world.manifest = acmeManifest();
  await world.apply();
  await world.api.oauthClients.attach(world.objects()['OAuthClient/github']?.id ?? '', ['prj-data']);
  world.manifest = withUrl('https://git2.example.com');
  const { plan } = await world.plan(options);
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

/** Applies as a person would: again, until there is nothing left; three times must do. */
async function settle(world: ApplyWorld, manifest: string, where: string): Promise<void> {
  world.manifest = manifest;
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { plan } = await world.plan(options);
    const { problems = [], stops = [], steps = [], undetermined = [] } = plan.organizations[0] ?? {};
    assert.deepEqual([problems, stops, undetermined], [[], [], []], where);
    if (steps.length === 0) break;
    await world.applyPlan(plan);
  }
  await world.expectNothing().catch((error: unknown) => {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  });
}
