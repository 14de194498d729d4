/** Ctrl-C while the program waits: every wait ends at once, and no write leaves that its step had not begun. */
import assert from 'node:assert/strict';
import { homeTimes } from '../../reconciler/ledger/home';
import { type Background, startTether, until } from '../support/background';
import { program } from '../support/cli';
import { type RunningHome, startHome } from '../support/ledger-homes';
import { runProcess } from '../support/run-process';
import { github, head, World } from '../support/world';

const createClient = { method: 'POST', route: '/organizations/:organization_name/oauth-clients' } as const;
const createTrigger = { method: 'POST', route: '/workspaces/:workspace_id/run-triggers' } as const;
const patient = { how: 'status', status: 429, headers: { 'retry-after': '25' } } as const;

/** Each waits for the one before: creates of one target are made one at a time. */
const triggers = 'runTriggers: [{ target: app, source: network }, { target: app, source: dns }]\n';

describe('Ctrl-C', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write(head + triggers);
  });
  afterEach(() => world.close());

  const start = (...args: readonly string[]): Background =>
    startTether(args, { cwd: world.folder, env: world.env });

  /** Stops it, and expects exit 130 and a free ledger. */
  async function interrupt(running: Background) {
    running.signal('SIGINT');
    const ended = await running.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.equal((await world.here(['apply'], { ask: async () => false })).code, 1);
    return ended;
  }

  it('scenario 78: during a wait for Retry-After ends at once, and the create is never sent', async () => {
    world.write(head + github);
    world.service.fault({ ...createClient, ...patient, nth: 1 });
    const running = start('apply', '--yes');
    await until('it waits', () => /POST .*; waiting 25\.0 s/.test(running.stderr()));
    world.writes();
    const { stdout } = await interrupt(running);
    assert.match(stdout, /^Interrupted: 0 done/m);
    assert.deepEqual(world.writes(), []);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
  });

  it('scenario 46: while a write is answered lets its step finish, and starts no other', async () => {
    world.service.fault({ ...createTrigger, how: 'slow', ms: 1_500 });
    const running = start('apply', '--yes');
    await until('a trigger is there', () => world.service.snapshot().runTriggers.length === 1);
    const { stdout } = await interrupt(running);
    assert.match(stdout, /^Interrupted: 1 done, 1 not tried\. The ledger has all that was done\.$/m);
    assert.equal(Object.keys(world.saved.objects).length, 1);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
  });

  it('while a plan waits for Retry-After ends at once', async () => {
    world.service.fault({ method: 'GET', ...patient });
    const running = start('plan');
    await until('it waits', () => running.stderr().includes('waiting 25.0 s'));
    running.signal('SIGINT');
    const { code, stderr } = await running.ended;
    assert.equal(code, 130);
    assert.match(stderr, /^interrupted; nothing was changed$/m);
  });

  it('while it waits for the lock ends at once, and leaves the lock of the other', async () => {
    const held = world.here(['apply'], {
      ask: async () => {
        const second = start('apply', '--yes', '--lock-timeout', '600', '-v');
        await until('it waits', () => second.stderr().includes('Locking tether.ledger.json'));
        second.signal('SIGINT');
        assert.equal((await second.ended).code, 130);
        return true;
      },
    });
    assert.equal((await held).code, 0);
  });

  it('a second time does not wait for the requests in flight, and the next apply goes on', async () => {
    world.write(head + github);
    world.service.fault({ ...createClient, how: 'slow', ms: 3_600_000 });
    const running = start('apply', '--yes');
    await until('it was sent', () => world.service.snapshot().oauthClients.length === 1);
    running.signal('SIGINT');
    await until('it was heard', () => running.stderr().includes('Ctrl-C again quits now'));
    running.signal('SIGINT');
    assert.equal((await running.ended).code, 130);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });

  describe('while the server of the ledger hangs', () => {
    let home: RunningHome;
    let count = 0;
    before(async function () {
      home = await startHome('gitlab', this);
    });
    after(() => home.close());
    beforeEach(() => {
      count += 1;
      home.proxy.requests.length = 0;
      const line = `organization: acme\nledger: ${home.line(`hanging-${count}`)}\n`;
      world.write(head.replace('organization: acme\n', line) + github + triggers);
      home.proxy.decide = () => 'passes';
    });
    const more = () => ({ env: { ...world.env, ...home.env } });
    /** Hangs at requests with this beginning, from the given one on. */
    const hangAt = (begins: string, number = 1, reached = () => {}) => {
      let seen = 0;
      home.proxy.decide = ({ method, url }) => {
        if (`${method} ${url}`.replace(/\/api\S*hanging-\d+/, '').startsWith(begins)) seen += 1;
        if (seen < number) return 'passes';
        reached();
        return new Promise<never>(() => undefined);
      };
    };
    const { interrupted } = homeTimes;
    afterEach(() => {
      homeTimes.interrupted = interrupted;
    });

    const places: [where: string, begins: string, number: number, says: RegExp][] = [
      [
        'at its lock',
        'POST /lock',
        1,
        /error: no answer from .* It may stay locked: run `tether ledger unlock \S+`/,
      ],
      ['at its first read', 'GET ', 1, /error: no answer from .* It may stay locked: run/],
      [
        'at the first save',
        'POST ?ID',
        1,
        /could not be saved: .*Nothing was changed: run the same command again/,
      ],
      ['at a save', 'POST ?ID', 3, /It may stay locked: run `tether ledger unlock \S+`/],
      ['at its unlock', 'DELETE /lock', 1, /It may stay locked: run `tether ledger unlock \S+`/],
    ];
    for (const [where, begins, number, says] of places) {
      it(`ends an apply ${where} within seconds, and names the lock that stays`, async () => {
        homeTimes.interrupted = 20;
        const stop = new AbortController();
        hangAt(begins, number, () => stop.abort());
        const { code, stdout, stderr } = await world.here(['apply', '--yes'], {
          ...more(),
          signal: stop.signal,
        });
        assert.doesNotMatch(stdout, /The ledger has all that was done/);
        assert.equal(code, where === 'at its unlock' ? 1 : 130, stderr);
        assert.match(stderr, says);
        const [, id = ''] = /tether ledger unlock (\S+)`/.exec(stderr) ?? [];
        // The unlock that was given up must not pass late.
        const isUnlock = ({ method }: { readonly method: string }) => method === 'DELETE';
        if (where === 'at its lock') return;
        await until('its unlock arrived', () => home.proxy.requests.some(isUnlock));
        home.proxy.decide = () => 'passes';
        await world.expect(0, ['ledger', 'unlock', id], more());
      });
    }

    it('ends a move of the ledger, and does not say that nothing was changed', async () => {
      homeTimes.interrupted = 20;
      const withHome = world.read('main.tether.yaml');
      const stop = new AbortController();
      world.write(withHome.replace(/^ledger: .*\n/m, ''));
      await world.expect(0, ['apply', '--yes']);
      world.write(withHome);
      hangAt('POST ?ID', 1, () => stop.abort());
      const { code, stderr } = await world.here(['ledger', 'move'], { ...more(), signal: stop.signal });
      assert.equal(code, 130);
      assert.match(stderr, /^error: no answer from /m);
      assert.doesNotMatch(stderr, /nothing was changed/);
    });

    it('ends an unlock that waits for the server, and names the lock that it may have taken', async () => {
      homeTimes.interrupted = 20;
      const stop = new AbortController();
      hangAt('POST /lock', 1, () => stop.abort());
      const args = ['ledger', 'unlock', 'some-id'];
      const { code, stderr } = await world.here(args, { ...more(), signal: stop.signal });
      assert.equal(code, 130);
      assert.match(stderr, /^error: no answer from .* It may stay locked: run `tether ledger unlock \S+`/m);
    });

    it('a second time names the lock and its id', async () => {
      const arrived = new Promise<void>((resolve) => hangAt('POST ?ID', 2, resolve));
      const running = startTether(['apply', '--yes', '-q'], { cwd: world.folder, ...more() });
      await arrived;
      running.signal('SIGINT');
      await until('it was heard', () => running.stderr().includes('Ctrl-C again quits now'));
      running.signal('SIGINT');
      const { code, stderr } = await running.ended;
      assert.equal(code, 130);
      const [, place, id = ''] =
        /^(http\S+) stays locked: run `tether ledger unlock (\S+)` in/m.exec(stderr) ?? [];
      assert.equal(place, home.line(`hanging-${count}`), stderr);
      home.proxy.decide = () => 'passes';
      await world.expect(0, ['ledger', 'unlock', id], more());
    });

    it('a second time while it unlocks names the lock and its id', async () => {
      homeTimes.interrupted = 20;
      const stop = new AbortController();
      hangAt('DELETE /lock', 1, () => {
        stop.signal.dispatchEvent(new Event('quit'));
        stop.abort();
      });
      const { stderr } = await world.here(['apply', '--yes'], { ...more(), signal: stop.signal });
      assert.match(stderr, /^http\S+ stays locked: run `tether ledger unlock \S+` in/m);
      const [, id = ''] = /tether ledger unlock (\S+)`/.exec(stderr) ?? [];
      home.proxy.decide = () => 'passes';
      await world.expect(0, ['ledger', 'unlock', id], more());
    });

    it('leaves no lock of a command that only looks who has it', async () => {
      const taken = new Promise<void>((resolve) => {
        home.proxy.afterResponse = () => {
          resolve();
          return until('it was heard', () => running.stderr().includes('Interrupted'));
        };
      });
      const running = startTether(['ledger', 'unlock', 'some-id'], { cwd: world.folder, ...more() });
      await taken;
      running.signal('SIGINT');
      assert.equal((await running.ended).code, 130);
      home.proxy.afterResponse = () => undefined;
      const { stderr } = await world.expect(1, ['ledger', 'unlock', 'some-id'], more());
      assert.match(stderr, /is not locked$/m);
    });
  });

  it('is not needed where the output cannot be written: the apply goes on, and fails in the end', async () => {
    // This shell opens the outputs of the program for reading only.
    const script = 'exec "$@" 1<main.tether.yaml 2<main.tether.yaml';
    const [cwd, env] = [world.folder, { PATH: process.env.PATH, ...world.env }];
    const args = ['-c', script, 'sh', process.execPath, program];
    const broken = (...more: string[]) => runProcess('sh', [...args, ...more], { cwd, env });
    assert.equal((await broken('plan', '--detailed-exitcode')).code, 1);
    assert.equal((await broken('apply', '--yes', '-v')).code, 1);
    assert.equal(Object.keys(world.saved.objects).length, 2);
    await world.applyAndExpectNothing();
  });
});
