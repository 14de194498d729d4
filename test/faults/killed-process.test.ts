/** The real program, killed with SIGKILL while the service works on each of its requests in turn: the next run finishes. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { startTether } from '../support/background';
import { type Gate, openGate, type Stop } from '../support/gate';
import { github, head, World } from '../support/world';

const manifest = `${head}${github}projectAttachments:
  - { oauthClient: github, project: payments }
runTriggers:
  - { target: app, sources: [network] }
`;

const writes: readonly Omit<Stop, 'when'>[] = [
  { method: 'POST', path: /\/oauth-clients$/ },
  { method: 'POST', path: /\/relationships\/projects$/ },
  { method: 'POST', path: /\/run-triggers$/ },
];

describe('a process that is killed', () => {
  let world: World;
  let gate: Gate;
  beforeEach(async () => {
    world = await World.start();
    gate = await openGate(world.service.url);
    world.write('main.tether.yaml', manifest);
  });
  afterEach(async () => {
    await gate.close();
    await world.close();
  });

  for (const write of writes) {
    it(`leaves what the next apply takes up, when it dies before the answer to ${write.path.source}`, async () => {
      const reached = gate.stop({ ...write, when: 'after' });
      const env = { ...world.env, TETHER_ADDRESS: gate.address };
      const apply = startTether(['apply', '--yes'], { cwd: world.folder, env });
      await Promise.race([reached, apply.ended.then(({ stderr }) => assert.fail(stderr))]);
      apply.signal('SIGKILL');
      assert.equal((await apply.ended).signal, 'SIGKILL');
      gate.open();
      endLock();
      await world.applyAndExpectNothing();
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(
        oauthClients.map((one) => [one.name, one.projectIds]),
        [['GitHub', ['prj-payments']]],
      );
      assert.equal(runTriggers.length, 1);
      assert.ok(!world.read('tether.ledger.json').includes(world.env.GIT_TOKEN ?? ''));
      assert.deepEqual(world.ledger.pending, {});
    });
  }

  /** As half a minute without a heartbeat does. */
  function endLock(): void {
    const long = new Date(Date.now() - 60_000);
    utimesSync(join(world.folder, 'tether.ledger.json.lock'), long, long);
  }
});
