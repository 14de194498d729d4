/** The reporter has a line per file, and its last line is what people and pipelines read. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

const root = resolve(__dirname, '../../..');
const reporter = join(root, 'dist/test/support/summary-reporter.js');
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');

const fails = "throw new Error('no');";
const files: readonly (readonly [body: string, line: string])[] = [
  ["it('a', () => {}); it('b', () => {});", '2 passed, 0 failed'],
  [`it('a', () => { ${fails} }); it.skip('b', () => {});`, '0 passed, 1 failed, 1 skipped'],
  [`before(() => { ${fails} }); it('a', () => {});`, '0 passed, 1 failed'],
];

describe('summary reporter', () => {
  const folder = temporaryFolder();

  for (const jobs of [[], ['--parallel', '--jobs', '2']]) {
    it(`counts what passed and failed ${jobs.length > 0 ? 'in parallel' : 'in one process'}`, async () => {
      const paths = files.map(([body], index) => {
        const path = join(folder(), `${index}.test.cjs`);
        writeFileSync(path, `describe('x', () => { ${body} });`);
        return path;
      });
      const args = [mocha, '--no-config', '--reporter', reporter, ...jobs, ...paths];
      const { code, stdout } = await runProcess(process.execPath, args, { cwd: folder(), env: process.env });
      assert.notEqual(code, 0);
      const lines = stdout.trimEnd().split('\n');
      assert.equal(lines.at(-1), '2 passed, 2 failed, 1 skipped');
      // In one process all files end together.
      if (jobs.length === 0) return;
      for (const [index, [, line]] of files.entries())
        assert.ok(
          lines.some((one) => one.endsWith(`${index}: ${line}`)),
          stdout,
        );
    });
  }
});
