/** The reporter's last line is what people and pipelines read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProcess } from '../support/run-process';

const root = resolve(__dirname, '../../..');

const runs: readonly (readonly [string, string, number])[] = [
  ["it('a', () => {}); it('b', () => {});", '2 passed, 0 failed', 0],
  [
    "it('a', () => {}); it('b', () => { throw new Error('no'); }); it.skip('c', () => {});",
    '1 passed, 1 failed, 1 skipped',
    1,
  ],
  ["before(() => { throw new Error('no'); }); it('a', () => {});", '0 passed, 1 failed', 1],
];

describe('summary reporter', () => {
  for (const jobs of [[], ['--parallel', '--jobs', '2']]) {
    for (const [body, last, code] of runs) {
      it(`ends with "${last}" ${jobs.length > 0 ? 'in parallel' : 'in one process'}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'tether-reporter-'));
        try {
          writeFileSync(join(folder, 'one.test.cjs'), `describe('x', () => { ${body} });`);
          const ended = await runProcess(
            process.execPath,
            [
              join(root, 'node_modules/mocha/bin/mocha.js'),
              ...['--no-config', '--reporter', join(root, 'dist/test/support/summary-reporter.js')],
              ...jobs,
              join(folder, 'one.test.cjs'),
            ],
            { cwd: folder, env: process.env },
          );
          assert.equal(ended.stdout.trimEnd().split('\n').at(-1), last);
          assert.equal(ended.code, code);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  }
});
