/** A ledger file whose manifest gets a `ledger:` line: `ledger move` moves it, and nothing else does. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { lockTimes } from '../../reconciler/ledger/file-lock';
import { homeTimes } from '../../reconciler/ledger/home';
import { openHome } from '../../reconciler/ledger/open-store';
import { startTether } from '../support/background';
import { parsePlace, type RunningHome, startHome } from '../support/ledger-homes';
import { bob } from '../support/two-ledgers';
import { github, head, World } from '../support/world';

const file = 'tether.ledger.json';
const links = 'runTriggers: [{ target: app, source: network }]\n';

describe('a ledger that moves to a server', () => {
  let home: RunningHome;
  let world: World;
  let count = 0;
  const { poll } = homeTimes;
  before(async function () {
    home = await startHome('gitlab', this);
    homeTimes.poll = 1;
  });
  after(() => {
    homeTimes.poll = poll;
    return home.close();
  });
  beforeEach(async () => {
    count += 1;
    home.proxy.afterResponse = () => undefined;
    home.proxy.decide = () => 'passes';
    world = await World.start();
    world.write(head + github);
    await world.applyAndExpectNothing();
    world.write(moved() + github);
  });
  afterEach(() => world.close());

  const line = () => home.line(`moving-${count}`);
  const moved = () => head.replace('organization: acme\n', `organization: acme\nledger: ${line()}\n`);
  const more = () => ({ env: { ...world.env, ...home.env } });

  it('is moved by its own command, which every other one names, and no apply moves it', async () => {
    const before = world.saved;
    const commands = [['plan'], ['drift'], ['apply', '--yes'], ['show'], ['ledger', 'show']];
    for (const command of commands) {
      const { stderr } = await world.expect(1, command, more());
      const error = `error: ${file} exists, and the manifests name ${line()}: move the ledger there with \`tether ledger move\``;
      assert.ok(stderr.startsWith(error), stderr);
    }
    world.write('{"ID":"dead-1"}', `${file}.lock.json`);
    const { stdout } = await world.expect(0, ['ledger', 'move'], more());
    assert.equal(stdout, `Moved ${file} (1 object) to ${line()}. Delete it in version control too.\n`);
    for (const left of [file, `${file}.lock`, `${file}.lock.json`]) assert.ok(!world.has(left), left);
    const shown = await world.expect(0, ['ledger', 'show', '--json'], more());
    const { place, ledger } = JSON.parse(shown.stdout) as { place: string; ledger: unknown };
    assert.equal(place, line());
    assert.deepEqual(ledger, before);
    assert.match((await world.expect(0, ['plan'], more())).stdout, /^No changes\./m);
    const again = await world.expect(1, ['ledger', 'move'], more());
    assert.match(again.stderr, /^error: there is no tether\.ledger\.json to move$/m);
    world.write(moved() + github + links);
    await world.applyAndExpectNothing([], more());
  });

  it('names the folder in the command, and needs a home', async () => {
    world.write(world.read('main.tether.yaml'), 'org/main.tether.yaml');
    world.write(world.read(file), `org/${file}`);
    world.remove(file);
    const { stderr } = await world.expect(1, ['plan', 'org'], more());
    assert.match(stderr, /: move the ledger there with `tether ledger move org`/);
    await world.expect(0, ['ledger', 'move', 'org'], more());
    assert.ok(!world.has(`org/${file}`));
    world.remove('org/main.tether.yaml');
    world.write(head + github);
    const refused = await world.expect(1, ['ledger', 'move'], more());
    assert.match(refused.stderr, /^error: the manifests name no home: write it under `ledger:` first$/m);
  });

  it('goes on where a killed move ended, and refuses a home with another document', async () => {
    const old = world.read(file);
    await world.expect(0, ['ledger', 'move'], more());
    world.write(old, file);
    await world.expect(0, ['ledger', 'move'], more());
    assert.ok(!world.has(file));
    world.write(moved() + github + links);
    await world.applyAndExpectNothing([], more());
    world.write(old, file);
    const newer = await world.expect(1, ['ledger', 'move'], more());
    assert.match(
      newer.stderr,
      /there is a ledger in .* and one at .*\. The home has the higher serial\. Compare the objects of both: if the home has all of them, delete tether\.ledger\.json/,
    );
    world.write(old.replace(/"lineage": "[^"]*"/, '"lineage": "another"'), file);
    const other = await world.expect(1, ['ledger', 'move'], more());
    assert.match(other.stderr, /They are two documents: delete the one that is out of date/);
    world.remove(file);
    assert.match((await world.expect(0, ['plan'], more())).stdout, /^No changes\./m);
  });

  it('keeps a file that was changed on a branch, and has the serial of the home', async () => {
    const old = world.read(file);
    await world.expect(0, ['ledger', 'move'], more());
    const fork = old.replace(/"oc-\w+"/, '"oc-OfTheBranch"');
    assert.notEqual(fork, old);
    world.write(fork, file);
    const { stderr } = await world.expect(1, ['ledger', 'move'], more());
    assert.match(stderr, /They are two documents: delete the one that is out of date/);
    assert.equal(world.read(file), fork);
    world.remove(file);
    const shown = await world.expect(0, ['ledger', 'show', '--json'], more());
    const { ledger } = JSON.parse(shown.stdout) as { ledger: unknown };
    assert.deepEqual(ledger, JSON.parse(old));
  });

  it('keeps the file when the server does not take it, and ends in one ledger when it is killed on the way', async () => {
    home.proxy.decide = (seen) => (home.isSave(seen) ? 'lost' : 'passes');
    await world.expect(1, ['ledger', 'move'], more());
    assert.ok(world.has(file));
    home.proxy.decide = (seen) => (home.isSave(seen) ? { status: 200, body: '{}' } : 'passes');
    const { stderr: unproved } = await world.expect(1, ['ledger', 'move'], more());
    assert.match(unproved, /does not hold what was just saved there$/m);
    assert.ok(world.has(file));
    home.proxy.decide = () => 'passes';
    const isSaved = new Promise<void>((resolve) => {
      home.proxy.afterResponse = (seen) => {
        if (!home.isSave(seen)) return undefined;
        resolve();
        return new Promise(() => undefined);
      };
    });
    const move = startTether(['ledger', 'move'], { cwd: world.folder, ...more() });
    await Promise.race([isSaved, move.ended.then(({ stderr }) => assert.fail(stderr))]);
    move.signal('SIGKILL');
    await move.ended;
    home.proxy.afterResponse = () => undefined;
    await freeFile();
    const { stderr } = await world.expect(1, ['ledger', 'move'], more());
    const [, id = ''] = /tether ledger unlock ([\w-]+)/.exec(stderr) ?? [];
    await world.expect(0, ['ledger', 'unlock', id], more());
    await world.expect(0, ['ledger', 'move'], more());
    assert.ok(!world.has(file));
    assert.match((await world.expect(0, ['plan'], more())).stdout, /^No changes\./m);
  });

  it('stays where it is while somebody has one of the two locks', async () => {
    const context = { folder: world.folder, organization: 'acme', cwd: world.folder, ...more() };
    const atHome = openHome({ ...context, ledger: parsePlace(home, `moving-${count}`) });
    for (const store of [openHome({ ...context, ledger: null }), atHome]) {
      await store.lock(bob, 0);
      const { stderr } = await world.expect(1, ['ledger', 'move'], more());
      assert.ok(stderr.includes(`${store.place} is locked by ${bob.who}`), stderr);
      await store.unlock();
    }
    assert.ok(world.has(file));
    await world.expect(0, ['ledger', 'move'], more());
  });

  it('fails the command if its lock cannot be released, and says how to free it', async () => {
    home.proxy.decide = ({ method }) => (method === 'DELETE' ? 'lost' : 'passes');
    const { stderr, stdout } = await world.expect(1, ['ledger', 'move', '--json'], more());
    assert.match(stdout, /"exitCode": 1,\s+"error": \{\s+"code": [^}]*"message": "could not unlock /);
    const [, id = ''] = /^error: could not unlock .* run `tether ledger unlock (\S+)` in/m.exec(stderr) ?? [];
    home.proxy.decide = () => 'passes';
    await world.expect(0, ['ledger', 'unlock', id], more());
    await world.applyAndExpectNothing([], more());
  });

  it('names the lock that stays where a second Ctrl-C ends it', async () => {
    const stop = new AbortController();
    home.proxy.decide = (seen) => {
      if (!home.isSave(seen)) return 'passes';
      // The process would end here, and so would the lock of the file.
      stop.signal.dispatchEvent(new Event('quit'));
      return 'passes';
    };
    const { code, stderr } = await world.here(['ledger', 'move'], { ...more(), signal: stop.signal });
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^\S+\/moving-\d+ stays locked: run `tether ledger unlock [\w-]+ \.` when no run needs it$/m,
    );
  });

  it('says why it failed, also where its lock cannot be released', async () => {
    home.proxy.decide = (seen) => {
      if (home.isSave(seen)) return { status: 200, body: '{}' };
      return seen.method === 'DELETE' ? 'lost' : 'passes';
    };
    const { stderr } = await world.expect(1, ['ledger', 'move'], more());
    assert.match(stderr, /^error: could not unlock .* run `tether ledger unlock /m);
    assert.match(stderr, /^error: .* does not hold what was just saved there$/m);
    assert.ok(world.has(file));
  });

  /** A lock of a killed run is free once its heartbeat is old. */
  const freeFile = async () => {
    const long = new Date(Date.now() - 2 * lockTimes.stale);
    utimesSync(join(world.folder, `${file}.lock`), long, long);
  };
});
