/** The reporter says what runs, and its last line is what people and pipelines read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ended, runProcess } from '../support/run-process';

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
          const ended = await run([...jobs, join(folder, 'one.test.cjs')], folder);
          assert.equal(ended.stdout.trimEnd().split('\n').at(-1), last);
          assert.equal(ended.code, code);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  }

  it('has a line per file, with what runs meanwhile and what failed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tether-reporter-'));
    try {
      const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.test.cjs`));
      const bodies = [
        "it('does', () => {});",
        "it.skip('would', () => {});",
        "it('fails', () => assert(0));",
      ];
      for (const [index, file] of files.entries()) {
        writeFileSync(
          file,
          `const assert = require('node:assert'); describe('x', () => { ${bodies[index]} });`,
        );
      }
      const ended = await run([...files, '--parallel', '--jobs', '2'], folder);
      const lines = ended.stdout.split('\n');
      const first = lines.shift();
      assert.match(first ?? '', /^now \S*a, \S*b$/u);
      const ofFiles = lines.filter((line) => / in \d+\.\d s/u.test(line));
      assert.deepEqual(ofFiles.map((line) => line.replace(/^.*\/(\w: .*) in .*$/u, '$1')).sort(), [
        'a: 1 passed',
        'b: 0 passed, 1 skipped',
        'c: 0 passed, 1 failed',
      ]);
      assert.match(ofFiles[0] ?? '', /\(now \S+, \S+\)$/u);
      assert.doesNotMatch(ofFiles.at(-1) ?? '', /now/u);
      assert.ok(lines.includes('  failed: x fails'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function run(args: readonly string[], cwd: string): Promise<Ended> {
  const reporter = join(root, 'dist/test/support/summary-reporter.js');
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  return runProcess(process.execPath, [mocha, '--no-config', '--reporter', reporter, ...args], {
    cwd,
    env: process.env,
  });
}
