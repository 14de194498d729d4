/** `make acceptance` and `make acceptance-clean` as programs, with the command in processes of its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { until } from '../support/background';
import { startProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';
import { type AcceptanceWorld, acceptanceWorlds, nameOfAnotherRun, token } from './acceptance-world';
import { tetherProgram } from './command-folder';
import { chooseSteps } from './life';
import type { Environment } from './settings';

const assumed = 'hcp-terraform';

describe('the acceptance suite as a program', () => {
  const start = acceptanceWorlds();
  const folder = temporaryFolder();

  function begin(world: AcceptanceWorld, args: readonly string[], more: Environment = {}) {
    return startProcess(process.execPath, [join(__dirname, 'main.js'), ...args], {
      cwd: folder(),
      env: { PATH: process.env.PATH, TMPDIR: folder(), ...world.env(more) },
    });
  }

  it('says every wrong setting at once, and makes nothing', async () => {
    const world = await start({ assumed });
    const wrong = { TETHER_ACCEPTANCE_ORGANIZATION: '', TETHER_ACCEPTANCE_PROJECTS: 'prj-acc-a' };
    const { code, stdout, stderr } = await begin(world, [], wrong).ended;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^- Set TETHER_ACCEPTANCE_ORGANIZATION .*\n- TETHER_ACCEPTANCE_PROJECTS must .*\nNothing/,
    );
    assert.deepEqual(world.service.requests(), []);
  });

  it('says that nothing answers, without the token', async () => {
    const world = await start({ assumed });
    const { code, stderr } = await begin(world, [], { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2' }).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^- GET got no answer from 127\.0\.0\.1:1\.\nNothing was made\.\n$/);
    assert.ok(!stderr.includes(token));
  });

  it('says that it was interrupted, and nothing else, before it made anything', async () => {
    const world = await start({ assumed });
    world.service.fault({ how: 'slow', method: 'GET', ms: 60_000 });
    const run = begin(world, []);
    await until('the suite looks', () => world.service.requests().length > 0);
    run.signal('SIGINT');
    world.service.clearFaults();
    const { code, stdout, stderr } = await run.ended;
    assert.deepEqual([code, stdout], [130, ''], stderr);
    assert.match(stderr, /^Interrupted: [^\n]*\n$/);
  });

  it('runs the command as users do', async () => {
    const world = await start({ assumed });
    const steps = chooseSteps('validate', 'plan', 'apply', 'destroy');
    const { exitCode, printed } = await world.run({ tether: tetherProgram, steps });
    assert.equal(exitCode, 0, printed);
    assert.equal(world.countOwn(), 0);
  });

  it('removes what it made after Ctrl-C', async () => {
    const world = await start({ assumed });
    const run = begin(world, []);
    await until('the first apply writes', () => world.countWrites() > 1);
    run.signal('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    assert.deepEqual([code, stdout], [130, ''], stderr);
    assert.match(stderr, /Interrupted: removing what this run made/);
    assert.equal(world.countOwn(), 0);
  });

  it('deletes nothing where nobody answers the question', async () => {
    const name = nameOfAnotherRun;
    const urls = { httpUrl: 'https://git.example.com', apiUrl: 'https://git.example.com/api' };
    const createdAt = '2026-01-01T00:00:00.000Z';
    const client = { name, serviceProvider: 'github', ...urls, createdAt };
    const world = await start({ assumed, others: { oauthClients: { 'oc-old': client } } });
    const { code, stderr } = await begin(world, ['clean']).ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /delete OAuth client .*\nDelete these objects \(1\) of acme\? \(y\/N\) Nothing was deleted/,
    );
    assert.equal(world.countWrites(), 0);
  });
});
