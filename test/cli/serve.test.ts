/** `tether serve`: what it prints and how it ends; and what the other commands do not load. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../cli/run';
import { program } from '../support/cli';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

/** Runs in this process; `listening` resolves once so many lines are on stdout. */
function started(args: readonly string[], lines = 1) {
  const ending = new AbortController();
  const written = { stdout: '', stderr: '' };
  let ready: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const write = (text: string) => {
    written.stdout += text;
    if (written.stdout.split('\n').length > lines) ready();
  };
  const code = run(['serve', ...args], {
    stdout: { write },
    stderr: {
      write: (text) => {
        written.stderr += text;
      },
    },
    env: {},
    cwd: '/',
    signal: ending.signal,
    now: Date.now,
    ask: null,
  });
  const end = () => {
    ending.abort();
    return code;
  };
  return { written, code, listening, end };
}

describe('tether serve', () => {
  it('prints its address, a token for organization demo, what is in it and a line to paste, and ends with 0', async () => {
    const serving = started([]);
    await serving.listening;
    const [, url] =
      /^listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v2)\n$/.exec(serving.written.stdout) ?? [];
    const [told = '', ...lines] = serving.written.stderr.trimEnd().split('\n');
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
    assert.equal(await serving.end(), 0);
    await assert.rejects(fetch(`${url}/organizations/demo/oauth-clients`));
  });

  it('prints the admin port in a second line', async () => {
    const serving = started(
      ['--admin', '--behaviour', 'page-size-max=5', '--behaviour', 'lists-hide-unreadable=yes'],
      2,
    );
    await serving.listening;
    assert.match(serving.written.stdout, /\nadmin on http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.equal(await serving.end(), 0);
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['--behaviour', 'page-size-max'], /Expected NAME=VALUE/],
    [['--behaviour', 'no-such=1'], /no-such/],
    [['--seed', '/nowhere.yaml'], /nowhere\.yaml/],
    [['--profile', 'nothing'], /nothing/],
  ];
  for (const [args, message] of wrong) {
    it(`ends with 1 and a sentence after ${args.join(' ')}`, async () => {
      const serving = started(args);
      assert.equal(await serving.code, 1);
      assert.match(serving.written.stderr, message);
      assert.doesNotMatch(serving.written.stderr, /bug/);
    });
  }
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
