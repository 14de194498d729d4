/** A ledger file whose manifest gets a `ledger:` line: `plan` says that it moves, and `apply` moves it. */
import assert from 'node:assert/strict';
import { renderLedger } from '../../reconciler/ledger/document';
import { homeTimes } from '../../reconciler/ledger/home';
import { startTether } from '../support/background';
import { type RunningHome, startHome } from '../support/ledger-homes';
import { github, head, World } from '../support/world';

const file = 'tether.ledger.json';
const links = 'runTriggers: [{ target: app, source: network }]\n';

describe('a ledger that moves to a server', () => {
  let home: RunningHome;
  let world: World;
  let count = 0;
  before(async function () {
    home = await startHome('gitlab', this);
  });
  after(() => home.close());
  beforeEach(async () => {
    count += 1;
    home.proxy.answered = () => undefined;
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

  it('is told by the plan, done by an apply without other changes, and is there afterwards', async () => {
    const before = world.saved;
    const planned = await world.expect(0, ['plan'], more());
    assert.ok(
      planned.stdout.includes(`ledger ${file}, which \`apply\` moves to ${line()}: lineage`),
      planned.stdout,
    );
    assert.match(planned.stdout, /^No changes\./m);
    const refused = await world.here(['apply'], { ...more(), ask: async () => false });
    assert.match(refused.stderr, /Not applied; nothing was changed/);
    assert.ok(world.has(file));
    world.write('{"ID":"dead-1"}', `${file}.lock.json`);
    const { stderr } = await world.expect(0, ['apply', '--yes'], more());
    assert.match(stderr, /^Removed a stale lock \(another run, since long ago\)/m);
    assert.match(stderr, /The ledger has moved\. Delete tether\.ledger\.json in version control too\./);
    assert.ok(!world.has(file));
    assert.ok(!world.has(`${file}.lock`));
    const { stdout } = await world.expect(0, ['ledger', 'show', '--json'], more());
    const { place, ledger } = JSON.parse(stdout) as { place: string; ledger: unknown };
    assert.equal(place, line());
    assert.deepEqual(ledger, { ...before, serial: before.serial + 1 });
    const again = await world.expect(0, ['plan'], more());
    assert.ok(again.stdout.includes(`ledger ${line()}: lineage`));
    assert.match(again.stdout, /^No changes\./m);
  });

  it('is done by the first save of an apply with changes, and a file that comes back is an error that says what to do', async () => {
    const old = world.read(file);
    world.write(moved() + github + links);
    await world.applyAndExpectNothing([], more());
    assert.ok(!world.has(file));
    world.write(old, file);
    for (const command of ['plan', 'apply']) {
      const { stderr } = await world.expect(1, [command], more());
      assert.match(
        stderr,
        /there is a ledger in tether\.ledger\.json and one at .*\. The file was moved there before: delete/,
      );
    }
    world.write(old.replace(/"lineage": "[^"]*"/, '"lineage": "another"'), file);
    const { stderr } = await world.expect(1, ['plan'], more());
    assert.match(stderr, /They are two ledgers: delete the one that is out of date/);
    world.remove(file);
    assert.match((await world.expect(0, ['plan'], more())).stdout, /^No changes\./m);
  });

  it('keeps the file when the server does not take it, and ends in one ledger when it is killed on the way', async () => {
    home.proxy.decide = (seen) => (home.isSave(seen) ? 'lost' : 'passes');
    const { poll } = homeTimes;
    homeTimes.poll = homeTimes.request;
    await world.expect(1, ['apply', '--yes'], more());
    homeTimes.poll = poll;
    assert.ok(world.has(file));
    home.proxy.decide = () => 'passes';
    const isSaved = new Promise<void>((resolve) => {
      home.proxy.answered = (seen) => {
        if (!home.isSave(seen)) return undefined;
        resolve();
        return new Promise(() => undefined);
      };
    });
    const apply = startTether(['apply', '--yes'], { cwd: world.folder, ...more() });
    await Promise.race([isSaved, apply.ended.then(({ stderr }) => assert.fail(stderr))]);
    apply.signal('SIGKILL');
    await apply.ended;
    home.proxy.answered = () => undefined;
    assert.match((await world.expect(1, ['plan'], more())).stderr, /The file was moved there before: delete/);
    world.remove(file);
    assert.match((await world.expect(0, ['plan'], more())).stdout, /^No changes\./m);
  });

  it('fails the command if its lock cannot be released, and says how to free it', async () => {
    home.proxy.decide = ({ method }) => (method === 'DELETE' ? 'lost' : 'passes');
    const { stderr } = await world.expect(1, ['apply', '--yes'], more());
    const [, id = ''] = /^error: could not unlock .* run `tether ledger unlock (\S+)` in/m.exec(stderr) ?? [];
    home.proxy.decide = () => 'passes';
    await world.expect(0, ['ledger', 'unlock', id], more());
    await world.applyAndExpectNothing([], more());
  });

  it('stays where it is while its file is locked, and that lock is freed by its id', async () => {
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    home.proxy.decide = (seen) => {
      if (!home.isSave(seen)) return 'passes';
      reached();
      return new Promise(() => undefined);
    };
    const apply = startTether(['apply', '--yes'], { cwd: world.folder, ...more() });
    await Promise.race([isReached, apply.ended.then(({ stderr }) => assert.fail(stderr))]);
    home.proxy.decide = () => 'passes';
    for (const place of [file, line()]) {
      const { stderr } = await world.expect(1, ['apply', '--yes'], more());
      const [, id = ''] = /tether ledger unlock ([\w-]+)/.exec(stderr) ?? [];
      assert.ok(stderr.includes(`${place} is locked by`), stderr);
      await world.expect(0, ['ledger', 'unlock', id], more());
    }
    apply.signal('SIGKILL');
    await apply.ended;
    await world.applyAndExpectNothing([], more());
    assert.ok(!world.has(file));
  });

  it('refuses a home that holds a ledger already', async () => {
    await home.replace(`moving-${count}`, renderLedger({ ...world.saved, lineage: 'another' }));
    const { stderr } = await world.expect(1, ['apply', '--yes'], more());
    assert.match(stderr, /They are two ledgers/);
    assert.ok(world.has(file));
  });
});
