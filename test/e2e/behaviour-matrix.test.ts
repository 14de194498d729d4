// Applying under every behaviour that a service may have: each two values of two switches meet at least once.

import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../service';
import { acmeClients, acmeManifest, acmeSeed } from '../support/acme';
import { ApplyWorld } from '../support/apply-world';
import { allPairs, type Combination, pairsOf, pairwise } from '../support/pairwise';

const switches = {
  'duplicate-trigger': ['422', '409', 'accept'],
  'attach-again': ['204', '422'],
  'page-size-max': ['100', '2'],
  'page-size-over': ['clamp', '422'],
  'patch-without-agent-pool': ['keep', 'clear'],
  'list-order': ['created', 'random'],
  'lists-hide-unreadable': ['no', 'yes'],
  'delete-visible-ms': ['0', '60000'],
  'create-hidden-ms': ['0', '60000'],
  'trigger-lock': ['off', '409', '422'],
  'rate-limit': ['off', 'token-bucket', 'fixed-window', 'sliding-window'],
  'max-sources': ['off', '3'],
};

// Real time for waits, and a step forward between the runs, so that what lags behind has arrived.
class SteppingClock implements Clock {
  #ahead = 0;
  readonly wait = systemClock.wait;
  now = () => systemClock.now() + this.#ahead;
  step(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
}

const links = `projectAttachments:
  - { oauthClient: github, project: payments }
runTriggers:
  - { target: app, sources: [network, docs] }
  - { target: docs, source: dns }
`;

const changed = acmeManifest({
  clients: acmeClients
    .replace('name: GitHub', 'name: Git at work')
    .replace('agentPool: dmz', 'agentPool: lab')
    .replace('organizationScoped: false', 'organizationScoped: true')
    .replace('projects: [data]', 'projects: [payments, shop]')
    .replace('key: lab-key', 'key: other-key'),
  links,
});

async function converge(world: ApplyWorld, clock: SteppingClock): Promise<void> {
  const { plan } = await world.plan();
  const { counts, steps } = await world.applyPlan(plan);
  assert.equal(counts.done, steps.length, JSON.stringify(steps));
  clock.step(60_001);
  await world.expectNothing();
}

async function somebodyChangesThings(world: ApplyWorld, clock: SteppingClock): Promise<void> {
  const github = (await world.api.oauthClients.list('acme')).find(({ name }) => name === 'Git at work');
  assert.ok(github);
  await world.api.oauthClients.update(github.id, { name: 'by hand', agentPoolId: 'apool-dmz' });
  await world.api.oauthClients.detach(github.id, [...github.projectIds]);
  for (const trigger of await world.api.runTriggers.list('ws-app', 'inbound')) {
    await world.api.runTriggers.delete(trigger.id);
  }
  await world.api.runTriggers.create('ws-app', 'ws-dns');
  clock.step(60_001);
}

describe('apply, under any behaviour of the service', () => {
  const combinations = pairwise(switches);

  it('meets every pair of values', () => {
    const met = new Set(combinations.flatMap(pairsOf));
    assert.deepEqual(
      [...allPairs(switches)].filter((pair) => !met.has(pair)),
      [],
    );
  });

  for (const combination of combinations) {
    it(`converges, changes, repairs and finds nothing left: ${nameOf(combination)}`, async () => {
      const clock = new SteppingClock();
      const behaviours = { ...combination, rate: '40' };
      const world = await ApplyWorld.start(acmeSeed(), { behaviours, clock });
      try {
        world.manifest = acmeManifest();
        await converge(world, clock);
        world.manifest = changed;
        await converge(world, clock);
        await somebodyChangesThings(world, clock);
        await converge(world, clock);
        const { oauthClients, runTriggers } = world.service.snapshot();
        assert.deepEqual(oauthClients.map(({ name }) => name).sort(), ['Git at work', 'GitLab']);
        const pairs = runTriggers.map(({ workspaceId, sourceableId }) => `${workspaceId}<${sourceableId}`);
        assert.deepEqual(pairs.sort(), ['ws-app<ws-docs', 'ws-app<ws-network', 'ws-docs<ws-dns']);
      } finally {
        await world.close();
      }
    });
  }
});

function nameOf(combination: Combination): string {
  return Object.entries(combination)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
