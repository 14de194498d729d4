/** An apply that waited for another applies what the manifests say then, not what they said before. */
import assert from 'node:assert/strict';
import { type Background, startTether, until } from '../support/background';
import { openGate } from '../support/gate';
import { bareHead, World } from '../support/world';

const trigger = (source: string) => `${bareHead}runTriggers: [{ target: ws-app, source: ws-${source} }]\n`;

describe('an apply that waits for the lock', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  /** Runs it while another apply holds the lock, and edits the manifests before that one ends. */
  async function waitWhile(edit: () => void): ReturnType<() => Background['ended']> {
    const gate = await openGate(world.service.url);
    try {
      world.write('main.tether.yaml', trigger('network'));
      const still = gate.stop({ method: 'POST', path: /run-triggers/, when: 'before' });
      const start = (address: string, ...more: readonly string[]) =>
        startTether(['apply', '--yes', ...more], {
          cwd: world.folder,
          env: { ...world.env, TETHER_ADDRESS: address },
        });
      const first = start(gate.address);
      await still;
      const second = start(world.service.url, '--lock-timeout', '50');
      await until('it waits', () => second.stderr().includes("Waiting for the ledger's lock"));
      edit();
      first.signal('SIGKILL');
      await first.ended;
      return await second.ended;
    } finally {
      await gate.close();
    }
  }

  it('applies the manifests as they are when it has it', async () => {
    const { code, stderr } = await waitWhile(() => world.write('main.tether.yaml', trigger('dns')));
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      world.service.snapshot().runTriggers.map((one) => one.sourceableId),
      ['ws-dns'],
    );
    await world.applyAndExpectNothing();
  });

  it('writes nothing when they have a mistake by then', async () => {
    const { code, stderr } = await waitWhile(() => world.write('more.yaml', bareHead));
    assert.equal(code, 1);
    assert.match(stderr, /more\.yaml:1:1.*other-ending/);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
    assert.ok(!world.has('tether.ledger.json.lock'));
  });
});
