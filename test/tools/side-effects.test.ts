/** Importing does nothing: every module of the product loads in silence, touches no file, and lets the process end. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProcess } from '../support/run-process';

const dist = resolve(__dirname, '../..');
const folders = [
  'client',
  'resources',
  'observation',
  'manifest',
  'reconciler',
  'provider',
  'cli',
  'service',
];
/** These run when they are loaded, as they should. */
const programs = new Set([join(dist, 'cli/main.js'), join(dist, 'provider/plugin/main.js')]);

function modules(): readonly string[] {
  return folders
    .map((folder) => join(dist, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.js') && !programs.has(file))
    .sort();
}

describe('importing', () => {
  it('prints nothing, leaves nothing running and writes nothing, for every module', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'tether-import-'));
    const script = `for (const file of ${JSON.stringify(modules())}) require(file);`;
    const ended = await runProcess(process.execPath, ['-e', script], { cwd: empty, env: process.env });
    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
    assert.deepEqual(readdirSync(empty), []);
    rmdirSync(empty);
  });
});
