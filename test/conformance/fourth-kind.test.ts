/** A made-up fourth kind passes the whole suite and has exact sets, with nothing but its own file. */
import assert from 'node:assert/strict';
import { registry } from '../../resources/registry';
import { ApplyWorld, stepIds } from '../support/apply-world';
import { chain } from './chain';
import { conformance } from './conformance';

const seed = {
  organizations: { acme: { workspaces: { 'ws-one': {}, 'ws-two': {}, 'ws-three': {} } } },
  tokens: { owner: { acme: 'owner' as const } },
};

const kinds = [...registry, chain];

conformance(chain, {
  seed,
  registry: kinds,
  profile: 'default',
  base: { downstream: 'ws-one', upstream: 'ws-two' },
  fields: {
    downstreamId: { from: 'ws-one', to: 'ws-three' },
    upstreamId: { from: 'ws-two', to: 'ws-three' },
  },
  remove: (api, id) => api.runTriggers.delete(id),
});

describe('a fourth kind', () => {
  it('has exact sets from its definition alone', async () => {
    const world = await ApplyWorld.start(seed);
    try {
      world.registry = kinds;
      world.manifest =
        'apiVersion: tether/v1\norganization: acme\nchains: [{ downstream: ws-one, upstreams: [ws-two] }]\n';
      await world.apply();
      await world.api.runTriggers.create('ws-one', 'ws-three');
      const { plan } = await world.apply();
      assert.equal(plan.steps[0]?.foreign, true);
      assert.equal(stepIds(plan).length, 1);
    } finally {
      await world.close();
    }
  });
});
