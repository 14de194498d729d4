/** `make demo` plays to its end: every command with the exit code it promises, and nothing is left behind. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ended, runProcess } from '../support/run-process';

const root = resolve(__dirname, '../../..');

describe('make demo', () => {
  let ended: Ended;
  let earlier: ReadonlySet<string>;
  const demoFolders = (): readonly string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('tether-demo-'));

  before(async () => {
    earlier = new Set(demoFolders());
    const env = { ...process.env, TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2', TETHER_PROFILE: 'none' };
    ended = await runProcess(process.execPath, [join(root, 'dist/tools/demo.js')], { cwd: root, env });
  });

  it('shows each command and how it ended, whatever the person has exported', () => {
    assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`);
    const lines = ended.stdout.split('\n').filter((line) => /^(?:\$ tether|\(exit code)/u.test(line));
    assert.deepEqual(lines, [
      '$ tether serve --seed examples/gitops/seed.yaml',
      ...['$ tether validate', '(exit code 0)'],
      ...['$ tether plan', '(exit code 0)'],
      ...['$ tether apply --yes', '(exit code 0)'],
      ...['$ tether plan', '(exit code 0)'],
      ...['$ tether drift', '(exit code 2)'],
      ...['$ tether apply --yes', '(exit code 0)'],
      ...['$ tether drift', '(exit code 0)'],
    ]);
  });

  it('names what somebody changed in the drift report', () => {
    const report = ended.stdout.split('$ tether drift')[1] ?? '';
    assert.match(report, /~ OAuthClient\/agency[\s\S]*Agency \(old\)[\s\S]*- queue ← vault/u);
    assert.match(report, /\+ payments-api-production ← observability/u);
  });

  it('shows no secret', () => {
    assert.doesNotMatch(ended.stdout + ended.stderr, /example-value-of/u);
  });

  it('leaves nothing running and no folder', async () => {
    const [, url = ''] = /^listening on (\S+)$/mu.exec(ended.stdout) ?? [];
    await assert.rejects(fetch(url), /fetch failed/u);
    assert.deepEqual(
      demoFolders().filter((name) => !earlier.has(name)),
      [],
    );
  });
});
