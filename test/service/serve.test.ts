// `tether serve` without the command line around it: what it prints and how it ends.

import assert from 'node:assert/strict';
import { runServe } from '../../cli/commands/serve';
import type { Flags } from '../../cli/flags';

function started(flags: Flags) {
  const ending = new AbortController();
  const written = { stdout: '', stderr: '' };
  let ready: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const lines = flags.admin ? 2 : 1;
  const code = runServe(flags, {
    stdout: {
      write: (text) => {
        written.stdout += text;
        if (written.stdout.split('\n').length > lines) ready();
      },
    },
    stderr: {
      write: (text) => {
        written.stderr += text;
      },
    },
    signal: ending.signal,
  });
  const end = () => {
    ending.abort();
    return code;
  };
  return { written, code, listening, end };
}

describe('tether serve', () => {
  it('prints its address, a token for organization demo, what is in it and a line to paste, and ends with 0', async () => {
    const run = started({});
    await run.listening;
    const [, url] = /^listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v2)\n$/.exec(run.written.stdout) ?? [];
    const [told = '', ...lines] = run.written.stderr.trimEnd().split('\n');
    const [, token] = /^organization demo, token (\S{32}) \(shown only this once\)$/.exec(told) ?? [];
    assert.deepEqual(lines, [
      '  agentPools: apool-demo',
      '  projects: prj-platform, prj-product',
      '  workspaces: ws-network, ws-cluster, ws-app',
      'In another shell:',
      `  export TETHER_ADDRESS=${url} TETHER_TOKEN=${token}`,
    ]);
    const answer = await fetch(`${url}/organizations/demo/oauth-clients`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200);
    assert.equal(await run.end(), 0);
    await assert.rejects(fetch(`${url}/organizations/demo/oauth-clients`));
  });

  it('prints the admin port in a second line', async () => {
    const run = started({ admin: true, behaviour: ['page-size-max=5', 'duplicate-trigger=accept'] });
    await run.listening;
    assert.match(run.written.stdout, /^listening on \S+\nadmin on http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.equal(await run.end(), 0);
  });

  const refused: [Flags, RegExp][] = [
    [{ seed: '/no/such/seed.yaml' }, /seed\.yaml: cannot be read/],
    [{ profile: 'nope' }, /nope: no profile/],
    [{ behaviour: ['colour=red'] }, /no behaviour "colour"/],
    [
      { behaviour: ['rate', 'page-size-max'] },
      /--behaviour rate: expected NAME=VALUE\n--behaviour page-size-max/,
    ],
    [
      { profile: 'nope', behaviour: ['colour=red'], seed: '/no/such/seed.yaml' },
      /^nope: no profile.*\nThere is no behaviour "colour".*\n.*seed\.yaml: cannot be read: ENOENT: no such file .*\n$/,
    ],
    [{ host: '192.0.2.1' }, /^192\.0\.2\.1 is not an address of this machine\. .*\(EADDRNOTAVAIL\)\n$/],
  ];
  for (const [flags, expected] of refused) {
    it(`ends with 1 and a sentence for ${JSON.stringify(flags)}`, async () => {
      const run = started(flags);
      assert.equal(await run.code, 1);
      assert.match(run.written.stderr, expected);
      assert.equal(run.written.stdout, '');
    });
  }
});
