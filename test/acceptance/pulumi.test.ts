/** The acceptance suite by the Pulumi classes, on the real engine. */
import assert from 'node:assert/strict';
import { needEngine } from '../support/pulumi-engine';
import { acceptanceWorlds, readTable, token, vcsToken } from './acceptance-world';
import { crowd } from './crowd';
import type { LifeStep } from './life';
import { pulumiLife } from './pulumi-life';

describe('the acceptance suite on the Pulumi engine', () => {
  const start = acceptanceWorlds();
  before(function () {
    needEngine(this);
  });

  it('passes each step, and touches no other object', async () => {
    const world = await start({ assumed: 'hcp-terraform', others: crowd });
    const before = world.withoutOwn();
    const { exitCode, table, printed } = await world.run({ steps: [], hasEngine: true });
    assert.equal(exitCode, 0, printed);
    const rows = readTable(table);
    for (const { name } of pulumiLife) assert.equal(rows.get(`life: ${name}`)?.[2], 'passes', name);
    assert.deepEqual(world.withoutOwn(), before);
    assert.equal(world.countOwn(), 0);
    for (const secret of [token, vcsToken]) assert.ok(!`${table}${printed}`.includes(secret));
  });

  it('stops before an up where somebody has a trigger at its workspaces', async () => {
    const others = { workspaces: { 'ws-x': {} } };
    const world = await start({ assumed: 'hcp-terraform', others });
    const steps: LifeStep[] = [
      {
        name: 'somebody comes',
        run: async () => {
          const runTriggers = { 'rt-x': { workspace: 'ws-acc-3', sourceable: 'ws-x' } };
          world.service.patchSeed({ organizations: { acme: { runTriggers } } });
          return 'passes';
        },
      },
    ];
    const { exitCode, printed } = await world.run({ steps, hasEngine: true });
    assert.equal(exitCode, 1);
    assert.match(printed, /objects that are not of this run/);
    assert.equal(world.countWrites(), 0);
  });
});
