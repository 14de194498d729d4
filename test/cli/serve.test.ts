/** `tether serve`: what it prints and how it ends; and what the other commands do not load. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTether, until } from '../support/background';
import { program, tetherHere } from '../support/cli';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

describe('tether serve', () => {
  it('prints its address, a token for organization demo, what is in it and a line to paste, and ends with 0', async () => {
    const serving = startTether(['serve'], { cwd: '/' });
    const isReady = () => serving.stdout() !== '' && /TETHER_TOKEN=.*\n/.test(serving.stderr());
    await until('it listens and the line to paste is there', isReady);
    const [, url] = /^listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v2)\n$/.exec(serving.stdout()) ?? [];
    const [told = '', ...lines] = serving.stderr().trimEnd().split('\n');
    const [, token] = /^organization demo, token (\S{32}) \(shown only this once\)$/.exec(told) ?? [];
    assert.deepEqual(lines, [
      '  agentPools: apool-demo',
      '  projects: prj-platform, prj-product',
      '  workspaces: ws-network, ws-cluster, ws-app',
      'In another shell:',
      `  export TETHER_ADDRESS=${url} TETHER_TOKEN=${token}`,
    ]);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${url}/organizations/demo/oauth-clients`, { headers })).status, 200);
    serving.signal('SIGTERM');
    assert.equal((await serving.ended).code, 0);
    await assert.rejects(fetch(`${url}/organizations/demo/oauth-clients`));
  });

  it('prints the admin port in a second line, and ends when its terminal is closed', async () => {
    const behaviours = ['--behaviour', 'page-size-max=5', '--behaviour', 'lists-hide-unreadable=yes'];
    const serving = startTether(['serve', '--admin', ...behaviours], { cwd: '/' });
    await until('it is ready', () => serving.stdout().includes('admin on'));
    serving.signal('SIGHUP');
    const { code, stdout } = await serving.ended;
    assert.match(stdout, /\nadmin on http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.equal(code, 0);
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['--behaviour', 'page-size-max'], /Expected NAME=VALUE/],
    [['--behaviour', 'no-such=1'], /no-such/],
    [['--seed', '/nowhere.yaml'], /nowhere\.yaml/],
    [['--profile', 'nothing'], /nothing/],
  ];
  for (const [args, message] of wrong) {
    it(`ends with 1 and a sentence after ${args.join(' ')}`, async () => {
      const { code, stderr } = await tetherHere(['serve', ...args], { cwd: '/' });
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /bug/);
    });
  }

  it('has the profile of TETHER_PROFILE, as other commands do', async () => {
    for (const profile of ['nothing', '']) {
      const { code, stderr } = await tetherHere(['serve'], { cwd: '/', env: { TETHER_PROFILE: profile } });
      assert.equal(code, 1);
      assert.match(stderr, profile === '' ? /^error: TETHER_PROFILE is set and empty/ : /nothing/);
    }
  });
});

describe('the modules that a command loads', () => {
  const folder = temporaryFolder();
  const spy = `process.on('exit', () => {
    require('node:fs').writeFileSync('loaded.txt', Object.keys(require.cache).join('\\n'));
  });`;

  it('are neither Pulumi nor a web server, to validate and to plan', async () => {
    writeFileSync(join(folder(), 'spy.cjs'), spy);
    writeFileSync(join(folder(), 'a.tether.yaml'), 'apiVersion: tether/v1\norganization: acme\n');
    for (const args of [['validate'], ['plan'], ['--help']]) {
      const options = { cwd: folder(), env: { PATH: process.env.PATH } };
      await runProcess(process.execPath, ['--require', './spy.cjs', program, ...args], options);
      const loaded = readFileSync(join(folder(), 'loaded.txt'), 'utf8');
      assert.match(loaded, /node_modules\/commander\//);
      assert.doesNotMatch(loaded, /node_modules\/(?:@pulumi|fastify|@aws-sdk|proper-lockfile)\//);
      if (args[0] === 'validate') assert.doesNotMatch(loaded, /node_modules\/axios\//);
    }
  });
});
