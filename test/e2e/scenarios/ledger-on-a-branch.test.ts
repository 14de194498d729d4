/** `--ledger git` on the command line: pipelines whose runners are many machines, and die. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTether, until } from '../../support/background';
import { tether, tetherHere } from '../../support/cli';
import { GitRemote, gitEnv, gitToken } from '../../support/git-remote';
import { github, head, World } from '../../support/world';

const manifest = `${head}${github}projectAttachments: [{ oauthClient: github, project: payments }]
runTriggers: [{ target: app, source: network }]
`;

describe('a ledger on a branch of the remote', () => {
  let world: World;
  let remote: GitRemote;
  beforeEach(async () => {
    world = await World.start();
    remote = await GitRemote.start();
  });
  afterEach(async () => {
    await world.close();
    await remote.close();
  });

  async function clone(): Promise<string> {
    const folder = await remote.clone();
    writeFileSync(join(folder, 'main.tether.yaml'), manifest);
    return folder;
  }
  const env = () => ({ ...gitEnv, ...world.env, TETHER_LEDGER: 'git' });

  /** An apply is the real program, as in pipelines; what reads runs in this process. */
  async function run(code: number, cwd: string, args: readonly string[], more: Record<string, string> = {}) {
    const command = args[0] === 'apply' ? tether : tetherHere;
    const ended = await command(args, { cwd, env: { ...env(), ...more } });
    assert.equal(ended.code, code, `tether ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes(gitToken));
    return ended;
  }
  /** One client and one trigger, and a ledger that says so. */
  function expectDone(): void {
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual([oauthClients.map(({ name }) => name), runTriggers.length], [['GitHub'], 1]);
    const ledger = JSON.parse(remote.read('tether.ledger.json'));
    assert.deepEqual([Object.keys(ledger.objects).length, ledger.pending], [3, {}]);
    assert.ok('ended' in JSON.parse(remote.read('tether.ledger.json.run')));
  }

  it('plans, applies with two pushes, and is the same for every clone; nothing is left in the checkout', async () => {
    const [one, two] = [await clone(), await clone()];
    remote.requests.length = 0;
    assert.match((await run(0, one, ['plan'])).stdout, /3 to create/);
    const { stdout } = await run(0, one, ['apply', '--yes']);
    assert.match(stdout, /^Ledger written to the branch tether-ledger: nothing to commit$/m);
    assert.equal(remote.requests.filter((name) => name === 'push').length, 2);
    expectDone();
    assert.match((await run(0, two, ['plan'])).stdout, /^No changes/m);
    assert.match((await run(0, two, ['apply', '--yes'])).stdout, /^No changes/m);
    await run(0, two, ['drift']);
    assert.match((await run(0, two, ['ledger', 'show'])).stdout, /OAuthClient\/github {2}oc-/);
    assert.equal(remote.commits, 2);
    const status = execFileSync('git', ['status', '--porcelain'], {
      cwd: one,
      env: gitEnv,
      encoding: 'utf8',
    });
    assert.equal(status, '?? main.tether.yaml\n');
    assert.doesNotMatch(remote.git('log', '-p', 'tether-ledger'), /canary|owner-token/);
    const needsKey = manifest.replace('provider_a', 'provider_c_server');
    writeFileSync(join(two, 'main.tether.yaml'), needsKey);
    await run(0, two, ['validate']);
    assert.match((await run(1, two, ['validate'], { TETHER_LEDGER: 'file' })).stdout, /privateKey/);
    assert.match((await run(1, two, ['plan', '--ledger', 'svn'])).stderr, /file, git/);
    assert.match(
      (await run(1, two, ['plan'], { TETHER_LEDGER: 'svn' })).stderr,
      /TETHER_LEDGER must be file or git/,
    );
  });

  for (const [method, route] of [
    ['POST', '/organizations/:organization_name/oauth-clients'],
    ['PATCH', '/oauth-clients/:id'],
    ['POST', '/workspaces/:workspace_id/run-triggers'],
  ] as const) {
    it(`knows what a runner left that was lost at ${method} ${route}`, async () => {
      const [one, two] = [await clone(), await clone()];
      world.service.fault({ method, route, how: 'slow', ms: 3_600_000 });
      const more = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' };
      const lost = startTether(['apply', '--yes'], { cwd: one, env: { ...env(), ...more } });
      await until('the call is there', () =>
        world.service.requests().some((sent) => sent.method === method && sent.route === route),
      );
      lost.signal('SIGKILL');
      await lost.ended;
      rmSync(one, { recursive: true });
      world.service.clearFaults();
      const { stderr } = await run(1, two, ['apply', '--yes']);
      const [, token = ''] = /`tether ledger unlock ([0-9a-f]{16}) --ledger git`/.exec(stderr) ?? [];
      assert.match(stderr, /locked by tether apply, .*https:\/\/git\.example\/a\/b\/actions\/runs\/7/);
      const { stdout } = await run(0, two, ['ledger', 'unlock', token]);
      assert.match(stdout, /^Removed the lock of tether apply/);
      const next = await tether(['apply', '--yes'], { cwd: two, env: env() });
      // Under its own name already, it may be anybody's.
      const [, line] = /add this line: `(id: oc-\w+)`/.exec(next.stdout) ?? [];
      assert.equal(next.code, line === undefined ? 0 : 1, next.stdout + next.stderr);
      if (line !== undefined) {
        writeFileSync(
          join(two, 'main.tether.yaml'),
          manifest.replace('    name: GitHub\n', `    name: GitHub\n    ${line}\n`),
        );
        await run(0, two, ['apply', '--yes']);
      }
      expectDone();
      assert.match((await run(0, two, ['plan'])).stdout, /^No changes/m);
    });
  }

  it('of a runner beside a laptop is changed by one after the other', async () => {
    const folders = [await clone(), await clone()];
    const ended = await Promise.all(
      folders.map((cwd) => tether(['apply', '--yes', '--lock-timeout', '600'], { cwd, env: env() })),
    );
    for (const { code, stdout, stderr } of ended) assert.equal(code, 0, stdout + stderr);
    expectDone();
  });

  it('that was lost is rebuilt there by export', async () => {
    const folder = await clone();
    await run(0, folder, ['apply', '--yes']);
    remote.git('update-ref', '-d', 'refs/heads/tether-ledger');
    await run(0, folder, ['export']);
    expectDone();
    assert.match((await run(0, folder, ['plan'])).stdout, /^No changes/m);
  });

  it('is made of the one in the folder by the command of the docs', async () => {
    const folder = await clone();
    await run(0, folder, ['apply', '--yes'], { TETHER_LEDGER: 'file' });
    const refused = await run(1, folder, ['plan']);
    assert.match(refused.stderr, /lies in it, and not on the branch/);
    const page = readFileSync(join(__dirname, '../../../../docs/pipelines.md'), 'utf8');
    const [, command = ''] = /```sh\n(blob=[^`]*)```/.exec(page) ?? [];
    await promisify(execFile)('bash', ['-euc', command], { cwd: folder, env: gitEnv });
    assert.ok(!existsSync(join(folder, 'tether.ledger.json')));
    assert.match((await run(0, folder, ['plan'])).stdout, /^No changes/m);
  });
});
