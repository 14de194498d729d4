/** Two containers of one machine: processes that have the same host name, the same folder, and number 1 each */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { program } from '../support/cli';
import { openGate } from '../support/gate';
import { runProcess } from '../support/run-process';
import { bareHead, World } from '../support/world';

const contained = ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath, program];

/** Making a pid namespace is for root, or for machines that let everybody. */
function canContain(): boolean {
  return spawnSync('unshare', [...contained, '--version']).status === 0;
}

describe('two containers with one host name on one folder', () => {
  let world: World;
  before(async function () {
    if (!canContain()) {
      process.stderr.write('skipped: pid namespaces cannot be made here (unshare --pid --mount-proc)\n');
      this.skip();
    }
    world = await World.start();
  });
  after(() => world?.close());

  it('scenario 79: do not take the lock over from each other, and the second says how to free it', async () => {
    world.write('main.tether.yaml', `${bareHead}runTriggers: [{ target: ws-app, source: ws-network }]\n`);
    const apply = (address: string) =>
      runProcess('unshare', [...contained, 'apply', '--yes'], {
        cwd: world.folder,
        env: { PATH: process.env.PATH, ...world.env, TETHER_ADDRESS: address },
      });
    const gate = await openGate(world.service.url);
    try {
      const still = gate.stop({ method: 'POST', path: /run-triggers/, when: 'before' });
      const first = apply(gate.address);
      await still;
      const lock = world.read('tether.ledger.json.lock');
      assert.match(lock, /"pid":1,/);
      const second = await apply(world.service.url);
      assert.equal(second.code, 1, second.stderr);
      assert.match(
        second.stderr,
        /process 1 on .* it is of another machine or container, or from before a restart/s,
      );
      assert.match(second.stderr, /`tether ledger unlock [0-9a-f]{16}`/);
      assert.equal(world.read('tether.ledger.json.lock'), lock);
      gate.open();
      await first;
    } finally {
      await gate.close();
    }
    assert.ok(!world.has('tether.ledger.json.lock'));
    await world.applyAndExpectNothing();
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });
});
