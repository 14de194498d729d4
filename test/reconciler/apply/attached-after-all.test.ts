/** An attach that was cut off although the service did it: the next apply has nothing to call, and the ledger is in order. */
import assert from 'node:assert/strict';
import { Tap } from '../../faults/tap';
import { acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld } from '../../support/apply-world';

describe('an attachment that was made again by an apply that was killed', () => {
  it('leaves no unfinished create in the ledger once it is seen', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      await world.api.oauthClients.detach(world.objects()['OAuthClient/github']?.id ?? '', ['prj-shop']);
      const { plan } = await world.plan();
      const tap = new Tap(world.service, new Map(), { index: 1, how: 'killed-after-call' });
      await world.applyPlan(plan, { api: tap.api(world.api), aroundJournal: tap.journal });
      assert.equal(Object.keys(world.ledger.pending).length, 1);
      const { result } = await world.apply();
      assert.deepEqual([result.steps, world.ledger.pending], [[], {}]);
    } finally {
      await world.close();
    }
  });
});
