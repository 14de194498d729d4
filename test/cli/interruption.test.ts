/** Ctrl-C while the program waits: every wait ends at once, and no write leaves that its step had not begun. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Background, startTether, until } from '../support/background';
import { openGate } from '../support/gate';
import { github, head, World } from '../support/world';

const createClient = { method: 'POST', route: '/organizations/:organization_name/oauth-clients' } as const;
const updateClient = { method: 'PATCH', route: '/oauth-clients/:id' } as const;
const createTrigger = { method: 'POST', route: '/workspaces/:workspace_id/run-triggers' } as const;
const patient = { how: 'status', status: 429, headers: { 'retry-after': '25' } } as const;

/** Each waits for the one before: creates of one target are made one at a time. */
const triggers = 'runTriggers: [{ target: app, source: network }, { target: app, source: dns }]\n';

describe('Ctrl-C', () => {
  // Real processes, and machines of pipelines are slow.
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  function apply(...args: readonly string[]): Background {
    // What a killed program left, the program takes up.
    world.writesIn = 'a process';
    return startTether(['apply', '--yes', ...args], { cwd: world.folder, env: world.env });
  }

  /** Stops it, and expects exit 130 with ledger and journal in order. */
  async function interrupt(running: Background) {
    running.signal('SIGINT');
    const ended = await running.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.ok(!world.has('tether.ledger.json.lock') && !world.has('tether.ledger.json.journal'));
    return ended;
  }

  const names = () => world.service.snapshot().oauthClients.map((one) => one.name);

  it('scenario 78: during a wait for Retry-After ends at once, and the create is never sent', async () => {
    world.write('main.tether.yaml', head + github + triggers);
    world.service.fault({ ...createClient, ...patient, nth: 1 });
    world.service.fault({ ...createTrigger, ...patient });
    const running = apply();
    await until('it waits', () => /POST .*; waiting 25\.0 s/.test(running.stderr()));
    world.writes();
    const { stdout } = await interrupt(running);
    assert.match(stdout, /^Interrupted: 0 done/m);
    assert.deepEqual(world.writes(), []);
    assert.deepEqual(names(), []);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
  });

  it('while manifests are read ends at once, with nothing to put in order', async () => {
    world.write('main.tether.yaml', head + triggers);
    world.write(
      'preload.cjs',
      `const fs = require('node:fs');
fs.readdirSync = () => {
  fs.writeFileSync('reading', '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
  return [];
};
`,
    );
    const env = { ...world.env, NODE_OPTIONS: `--require=${join(world.folder, 'preload.cjs')}` };
    const running = startTether(['plan'], { cwd: world.folder, env });
    await until('it reads', () => world.has('reading'));
    running.signal('SIGINT');
    const { signal, stdout } = await running.ended;
    assert.deepEqual([signal, stdout], ['SIGINT', '']);
  });

  it('during a wait for a free slot ends at once, and what waited is never sent', async () => {
    world.write('main.tether.yaml', head + triggers);
    const running = apply('--rate', '0.5');
    await until('the first trigger is there', () => world.service.snapshot().runTriggers.length === 1);
    await interrupt(running);
    assert.deepEqual(world.writes(), ['POST /workspaces/:workspace_id/run-triggers']);
    await world.applyAndExpectNothing();
  });

  it('while a write is answered lets its step finish, where that needs no wait', async () => {
    world.write('main.tether.yaml', head + github + triggers);
    world.service.fault({ ...createClient, how: 'slow', ms: 1_500 });
    world.service.fault({ ...createTrigger, how: 'slow', ms: 1_500 });
    const running = apply();
    await until('the client is there', () => names().length === 1);
    await interrupt(running);
    assert.deepEqual(names(), ['GitHub']);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
  });

  it('while a write is answered sends nothing more where the service then asks to wait', async () => {
    world.write('main.tether.yaml', head + github);
    world.service.fault({ ...updateClient, ...patient });
    const running = apply();
    await until('it waits', () => /PATCH .*; waiting 25\.0 s/.test(running.stderr()));
    await interrupt(running);
    assert.equal(world.writes().length, 2);
    assert.match(names()[0] ?? '', /^tether-pending-/);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
    assert.deepEqual(names(), ['GitHub']);
  });

  it('while a plan waits for Retry-After ends at once', async () => {
    world.write('main.tether.yaml', head + triggers);
    world.service.fault({ method: 'GET', ...patient });
    const running = startTether(['plan'], { cwd: world.folder, env: world.env });
    await until('it waits', () => running.stderr().includes('waiting 25.0 s'));
    const before = world.service.requests().length;
    await interrupt(running);
    assert.equal(world.service.requests().length, before);
  });

  it('while it waits for the lock ends at once', async () => {
    world.write('main.tether.yaml', head + triggers);
    world.service.fault({ ...createTrigger, how: 'slow', ms: 3_600_000 });
    const first = apply();
    await until('the first trigger is there', () => world.service.snapshot().runTriggers.length === 1);
    const second = apply('--lock-timeout', '600');
    await until('it waits', () => second.stderr().includes("Waiting for the ledger's lock"));
    second.signal('SIGINT');
    assert.equal((await second.ended).code, 130);
    assert.ok(world.has('tether.ledger.json.lock'));
    first.signal('SIGKILL');
    await first.ended;
  });

  it('a second time does not wait for the requests in flight, and the next apply goes on', async () => {
    const gate = await openGate(world.service.url);
    try {
      world.write('main.tether.yaml', head + github);
      const still = gate.stop({ method: 'POST', path: /oauth-clients/, when: 'after' });
      const env = { ...world.env, TETHER_ADDRESS: gate.address };
      const running = startTether(['apply', '--yes'], { cwd: world.folder, env });
      await still;
      running.signal('SIGINT');
      await until('it was heard', () => running.stderr().includes('Ctrl-C again quits now'));
      running.signal('SIGINT');
      assert.equal((await running.ended).code, 130);
    } finally {
      await gate.close();
    }
    assert.ok(world.has('tether.ledger.json.journal') && !world.has('tether.ledger.json.lock'));
    await world.applyAndExpectNothing();
    assert.deepEqual(names(), ['GitHub']);
  });
});
