/** A new file of the user is there whole or not at all, and never over another one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createFile } from '../../../reconciler/ledger/disk';
import { temporaryFolder } from '../../support/temporary-folder';

describe('a new file', () => {
  const folder = temporaryFolder();

  it('is not there at all where the disk is full', function () {
    // The limit on a file's size that stands in for a full disk is a Unix one.
    if (platform() === 'win32') this.skip();
    const script = `
      const [file, module] = process.argv.slice(1);
      require(module).createFile(file, 'x'.repeat(100_000)).catch(({ cause }) => console.log(cause.code));`;
    const disk = join(__dirname, '../../../reconciler/ledger/disk.js');
    const { stdout } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 8 && exec "$@"', 'sh', execPath, '-e', script, join(folder(), 'a.yaml'), disk],
      { encoding: 'utf8' },
    );
    assert.equal(stdout, 'EFBIG\n');
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('does not replace another one, and takes away what a killed run left of itself', async () => {
    const file = join(folder(), 'a.yaml');
    writeFileSync(join(folder(), '.tether-export.0123456789ab.tmp'), 'half');
    await createFile(file, 'first');
    await assert.rejects(createFile(file, 'second'), { code: 'inaccessible' });
    assert.deepEqual(readdirSync(folder()), ['a.yaml']);
    assert.equal(readFileSync(file, 'utf8'), 'first');
  });
});
