/** A thousand run triggers on the real engine: a refresh asks for each of their fifty targets once. */
import assert from 'node:assert/strict';
import { RunTrigger } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const names = Array.from({ length: 70 }, (_, index) => `ws-${index}`);
/** Fifty targets with twenty sources each, by their id. */
const triggers = Object.fromEntries(
  names.slice(0, 50).flatMap((workspace, target) =>
    Array.from({ length: 20 }, (_, index) => {
      const sourceable = names[(target + 1 + index) % names.length] ?? '';
      return [`rt-${target}-${index}`, { workspace, sourceable }] as const;
    }),
  ),
);

interface Resource {
  readonly type: string;
  readonly urn: string;
  readonly inputs: object;
  readonly outputs: object;
}

describe('a thousand run triggers on the real engine', () => {
  it('are refreshed in fifty calls, and nothing drifts', async function () {
    needEngine(this);
    const workspaces = Object.fromEntries(names.map((name) => [name, {}]));
    const world = await PulumiWorld.start({
      seed: {
        organizations: { acme: { workspaces, runTriggers: triggers } },
        tokens: { 'owner-token': { acme: 'owner' } },
      },
      config: { 'tether:rate': { value: '100000' } },
    });
    try {
      world.program = async () => {
        new RunTrigger('model', { workspaceId: 'ws-0', sourceableId: 'ws-1' });
      };
      assert.equal((await world.up()).failure, undefined);
      // As a thousand declarations leave it; bringing them up would take the engine most of a minute.
      const state = await world.stack.exportStack();
      const resources: readonly Resource[] = state.deployment.resources;
      const model = resources.find((one) => one.type.endsWith(':RunTrigger'));
      assert.ok(model !== undefined);
      const thousand = Object.entries(triggers).map(([id, ends]) => {
        const pair = { workspaceId: ends.workspace, sourceableId: ends.sourceable };
        const shown = { workspaceName: ends.workspace, sourceableName: ends.sourceable };
        return {
          ...model,
          id,
          urn: model.urn.replace(/model$/u, id),
          inputs: { ...model.inputs, ...pair },
          outputs: { ...model.outputs, ...pair, ...shown },
        };
      });
      const others = resources.filter((one) => one !== model);
      await world.stack.importStack({
        ...state,
        deployment: { ...state.deployment, resources: [...others, ...thousand] },
      });
      world.service.clearRequests();
      const refreshed = await world.refresh({ expectNoChanges: true });
      assert.deepEqual([refreshed.failure, refreshed.steps], [undefined, { refresh: 1000 }]);
      const calls = world.service.requests().map((one) => one.url);
      assert.equal(calls.length, 50);
      assert.equal(new Set(calls).size, 50);
    } finally {
      await world.close();
    }
  });
});
