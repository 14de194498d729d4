/** The real program, killed with SIGKILL while the service works on each of its requests in turn; the next run finishes. */
import assert from 'node:assert/strict';
import { startTether, until } from '../support/background';
import { github, head, World } from '../support/world';

const manifest = `${head}${github}projectAttachments:
  - { oauthClient: github, project: payments }
  - { oauthClient: github, project: search }
runTriggers:
  - { target: app, sources: [network] }
`;

describe('a process that is killed', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', manifest);
  });
  afterEach(() => world.close());

  /** Kills an apply while its nth request is being answered; false when it was over before. */
  async function killAt(nth: number): Promise<boolean> {
    world.service.clearRequests();
    world.service.fault({ how: 'slow', nth, ms: 3_600_000 });
    // What a killed program left, the program takes up.
    world.writesIn = 'a process';
    const apply = startTether(['apply', '--yes'], { cwd: world.folder, env: world.env });
    let ended = false;
    void apply.ended.then(() => {
      ended = true;
    });
    await until(
      `request ${nth}`,
      () => ended || world.service.requests().some((one) => one.fault === 'slow'),
    );
    apply.signal('SIGKILL');
    const { signal } = await apply.ended;
    world.service.clearFaults();
    return signal === 'SIGKILL';
  }

  it('leaves what the next apply takes up, whichever request it died at', async () => {
    let requests = 0;
    for (let nth = 1; await killAt(nth); nth += 1) {
      requests += 1;
      await world.applyAndExpectNothing();
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(
        oauthClients.map((one) => [one.name, [...one.projectIds].sort()]),
        [['GitHub', ['prj-payments', 'prj-search']]],
        `killed at request ${nth}`,
      );
      assert.equal(runTriggers.length, 1, `killed at request ${nth}`);
      assert.ok(!world.has('tether.ledger.json.journal') && !world.has('tether.ledger.json.lock'));
      await startOver();
    }
    // Two lists; POST and PATCH of the client; one attach; one trigger.
    assert.ok(requests >= 6, `${requests} requests were killed at`);
  });

  async function startOver(): Promise<void> {
    await world.close();
    world = await World.start();
    world.write('main.tether.yaml', manifest);
  }
});
