/** What an apply does with several things at once, and with what needs no call. */
import assert from 'node:assert/strict';
import type { Api } from '../../../client/api';
import { acmeClients, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld, createApi } from '../../support/apply-world';
import { planOf, stepOf } from '../../support/plans';

describe('an apply of several things at once', () => {
  it('creates the triggers of one target one after the other, those of two targets together', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest({
        clients: '',
        links:
          'runTriggers:\n  - { target: app, sources: [network, dns, docs] }\n  - { target: docs, sources: [network, dns] }\n',
      });
      const running = new Map<string, number>();
      let together = 0;
      const { create } = world.api.runTriggers;
      const api: Api = {
        ...world.api,
        runTriggers: {
          ...world.api.runTriggers,
          create: async (workspaceId, sourceableId) => {
            assert.equal(running.get(workspaceId) ?? 0, 0, `two creates for ${workspaceId} at once`);
            running.set(workspaceId, 1);
            together = Math.max(together, [...running.values()].filter((count) => count > 0).length);
            const made = await create(workspaceId, sourceableId);
            running.set(workspaceId, 0);
            return made;
          },
        },
      };
      const { result } = await world.apply({}, { api });
      assert.equal(result.counts.done, 5);
      assert.equal(together, 2);
    } finally {
      await world.close();
    }
  });

  it('sends none of them on its own when they were refused together after an interruption', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      world.manifest = acmeManifest({ links: '' });
      const planning = { maxDeletes: 9 };
      const { plan } = await world.plan(planning);
      const route = '/oauth-clients/:id/relationships/projects';
      world.service.fault({ how: 'status', status: 422, method: 'DELETE', route, nth: 1 });
      world.service.clearRequests();
      const interruption = new AbortController();
      const { signal } = interruption;
      const api = createApi(world.service, 'owner', {
        signal,
        onEvent: (event) => {
          if (event.type === 'request' && event.route.endsWith('/projects')) interruption.abort();
        },
      });
      const result = await world.applyPlan(plan, {
        api,
        forStep: () => api.forStep(),
        signal,
        concurrency: 1,
      });
      const messages = result.steps
        .filter((one) => one.address.startsWith('ProjectAttachment/github/'))
        .map((one) => one.message ?? '');
      assert.equal(messages.length, 2);
      for (const message of messages) assert.equal(message, 'interrupted');
      const sent = world.service.requests().filter((one) => one.route === route);
      assert.equal(sent.length, 1);
      await world.apply(planning);
    } finally {
      await world.close();
    }
  });
});

describe('an apply with nothing to call', () => {
  it('moves an entry to its new address and file in the ledger', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      const before = world.objects()['OAuthClient/github'];
      const move = stepOf({
        action: 'move',
        address: 'OAuthClient/hub',
        movedFrom: 'OAuthClient/github',
        file: 'other.tether.yaml',
      });
      world.service.clearRequests();
      const result = await world.applyPlan(planOf({ steps: [move] }));
      assert.equal(result.counts.done, 1);
      assert.deepEqual(world.objects()['OAuthClient/hub'], { ...before, file: 'other.tether.yaml' });
      assert.equal(world.objects()['OAuthClient/github'], undefined);
      assert.deepEqual(world.service.requests(), []);
    } finally {
      await world.close();
    }
  });

  it('writes what the ledger has to learn, and nothing when there is nothing', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      world.manifest = acmeManifest({ clients: acmeClients.replace('    agentPool: dmz\n', '') });
      const { plan } = await world.plan();
      assert.deepEqual(plan.steps, []);
      await world.applyPlan(plan);
      assert.ok(!('agentPoolId' in (world.objects()['OAuthClient/github']?.values ?? {})));
      const before = world.ledger;
      await world.apply();
      assert.equal(world.ledger, before);
    } finally {
      await world.close();
    }
  });
});
