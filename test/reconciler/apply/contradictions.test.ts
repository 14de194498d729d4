/** A step that contradicts itself is called what it is, one by one, and sends nothing: what was planned wrongly is not guessed. */
import assert from 'node:assert/strict';
import type { Step } from '../../../reconciler/plan/plan';
import { acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld } from '../../support/apply-world';
import { planOf, stepOf } from '../../support/plans';

describe('a step that contradicts itself', () => {
  let world: ApplyWorld;
  before(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
    await world.apply();
  });
  after(() => world.close());

  const key = 'OAuthClient/unknown';
  const rows: { what: string; step: Partial<Step> & Pick<Step, 'action' | 'address'>; says: RegExp }[] = [
    {
      what: 'a move from nowhere',
      step: { action: 'move', address: key },
      says: /does not say what it moves/,
    },
    {
      what: 'a replacement of nothing',
      step: { action: 'replace', address: key },
      says: /which object it is about/,
    },
    {
      what: 'a delete of nothing',
      step: { action: 'delete', address: key },
      says: /which object it is about/,
    },
    {
      what: 'an update of nothing',
      step: { action: 'update', address: key, changes: [{ field: 'name', to: 'x' }] },
      says: /which object it is about/,
    },
    {
      what: 'a link without an end',
      step: { action: 'create', address: 'RunTrigger/app/docs', inputs: { workspaceId: 'ws-app' } },
      says: /does not say its sourceableId/,
    },
    {
      what: 'a link to a client that has no id',
      step: {
        action: 'create',
        address: 'ProjectAttachment/unknown/payments',
        inputs: { oauthClientId: { address: key }, projectId: 'prj-payments' },
      },
      says: /^OAuthClient\/unknown has no id, and ProjectAttachment\/unknown\/payments needs it: plan again$/,
    },
    {
      what: 'a client with a reference to one that has no id',
      step: { action: 'create', address: 'OAuthClient/new', inputs: { name: { address: key } } },
      says: /^OAuthClient\/unknown has no id, and name needs it: plan again$/,
    },
    {
      what: 'an update of a link',
      step: {
        action: 'update',
        address: 'RunTrigger/app/network',
        key: 'RunTrigger/ws-app/ws-network',
        changes: [{ field: 'workspaceId', to: 'ws-docs' }],
      },
      says: /RunTrigger has no update/,
    },
  ];
  for (const { what, step, says } of rows) {
    it(`is not carried out: ${what}`, async () => {
      const before = world.service.snapshot();
      const { steps, counts } = await world.applyPlan(planOf({ steps: [stepOf(step)] }));
      assert.equal(counts.failed, 1);
      assert.match((steps[0]?.message ?? '').replace(/^.* failed unexpectedly: /, ''), says);
      assert.deepEqual(world.service.snapshot(), before);
    });
  }

  it('does not keep the others from being carried out', async () => {
    const { result } = await world.apply();
    assert.equal(result.counts.failed, 0);
    const good = stepOf({
      action: 'create',
      address: 'RunTrigger/docs/network',
      inputs: { workspaceId: 'ws-docs', sourceableId: 'ws-network' },
    });
    const bad = stepOf({ action: 'move', address: key });
    const { counts } = await world.applyPlan(planOf({ steps: [bad, good] }));
    assert.deepEqual([counts.done, counts.failed], [1, 1]);
  });

  it('that saw another value names both, cut where they are long', async () => {
    const object = Object.entries(world.objects()).find(([one]) => one === 'OAuthClient/github')?.[1];
    const step = stepOf({
      action: 'update',
      address: 'OAuthClient/github',
      objectId: object?.id ?? '',
      changes: [{ field: 'name', to: 'x' }],
      observed: { name: 'n'.repeat(100) },
    });
    const { steps } = await world.applyPlan(planOf({ steps: [step] }));
    assert.match(steps[0]?.message ?? '', /name was "n{76}… and is "GitHub"/);
  });
});
