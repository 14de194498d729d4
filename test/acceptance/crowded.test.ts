/** In an organization full of other people's objects the suite touches none of them, whatever ends it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy';
import { startProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';
import { acceptanceWorlds, here, markedRows } from './acceptance-world';
import type { Printed, Tether } from './command-folder';
import { crowd } from './crowd';

const assumed = 'hcp-terraform';
const hourMs = 3_600_000;

/** The number of the write at which the suite is killed. The life has 47, and the probe comes after it. */
const killPoints = [2, 5, 9, 14, 20, 27, 35, 42, 47, 75];

describe('the acceptance suite in a crowded organization', () => {
  const start = acceptanceWorlds();
  const folder = temporaryFolder();
  const proxies: FaultyProxy[] = [];

  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  it('passes, touches no other object, and has none of them in a ledger', async () => {
    const world = await start({ assumed, others: crowd });
    const before = world.withoutOwn();
    const known = new Set([...before.oauthClients, ...before.runTriggers].map(({ id }) => id));
    let checked = 0;
    let allowedLosses = 0;
    const watched: Tether = async (args, place) => {
      const ended = await here(args, place);
      const ledger = join(place.cwd, 'tether.ledger.json');
      const text = existsSync(ledger) ? readFileSync(ledger, 'utf8') : '';
      const strangers = [...known].filter((id) => text.includes(`"${id}"`) || text.includes(`/${id}`));
      assert.deepEqual(strangers, [], args.join(' '));
      checked += 1;
      const { plan, outcome } = JSON.parse(ended.stdout) as Printed;
      // The first `destroy` allows nothing, and only shows its plan.
      const isShown = args[0] === 'destroy' && outcome === 'blocked';
      if (plan && args.includes('--max-deletes') && !isShown) {
        const allowed = Number(args[args.indexOf('--max-deletes') + 1]);
        assert.equal(allowed, plan.losses.count, args.join(' '));
        allowedLosses += allowed;
      }
      return ended;
    };
    const { exitCode, table, printed } = await world.run({ tether: watched });
    assert.equal(exitCode, 0, printed);
    assert.ok(checked > 50 && allowedLosses > 10, `${checked} commands, ${allowedLosses} losses`);
    assert.deepEqual(markedRows(table), {});
    assert.deepEqual(world.withoutOwn(), before);
    assert.equal(world.countOwn(), 0);
    // There are more than 200 workspaces, so `export` reads the triggers of none.
    const lists = world.service.requests().filter(({ url }) => /ws-(?:other|like)/.test(url));
    assert.deepEqual(lists, []);
  });

  it('leaves nothing that acceptance-clean does not remove, killed at ten points', async () => {
    const world = await start({ assumed, others: crowd });
    const before = world.withoutOwn();
    const proxy = await startFaultyProxy(world.service.url);
    proxies.push(proxy);
    let left = 0;
    for (const [point, killAt] of killPoints.entries()) {
      let count = 0;
      const run = startProcess(
        process.execPath,
        ['--require', cheapDigests, join(__dirname, 'run-here.js')],
        {
          cwd: folder(),
          env: {
            PATH: process.env.PATH,
            TMPDIR: folder(),
            ...world.env({ TETHER_ADDRESS: `${proxy.origin}/api/v2` }),
          },
        },
      );
      proxy.decide = ({ method }) => {
        if (method !== 'GET') count += 1;
        if (count < killAt) return 'passes';
        run.signal('SIGKILL');
        // The last request reaches the service at every other point.
        return count === killAt && method !== 'GET' && point % 2 === 0 ? 'unanswered' : 'lost';
      };
      const { code, stderr } = await run.ended;
      assert.equal(code, null, `point ${point} was not reached: ${stderr}`);
      assert.deepEqual(world.withoutOwn(), before, `point ${point}`);
      const own = world.countOwn();
      left += own;
      if (own > 0) await assert.rejects(world.run(), /A run is under way or was killed/);
      const early = await world.clean();
      assert.ok(own === 0 || early.lines.some((line) => line.includes('younger than an hour')));
      assert.equal(world.countOwn(), own, 'something young was removed');
      // The last object of the run is younger than its first.
      world.pass(1.1 * hourMs);
      const { code: cleaned, lines } = await world.clean();
      assert.equal(cleaned, 0, lines.join('\n'));
      assert.equal(world.countOwn(), 0, `point ${point}: ${lines.join('\n')}`);
      assert.deepEqual(world.withoutOwn(), before, `point ${point}, cleaned`);
    }
    assert.ok(left > 10, `the kills left only ${left} objects`);
  });
});

const cheapDigests = join(__dirname, '..', 'support', 'cheap-digests.js');
