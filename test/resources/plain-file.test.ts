/** Reading files that a stranger may have put there. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlainFile } from '../../resources/plain-file';

describe('a plain file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tether-plain-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is read no further than asked, however large it is', () => {
    const file = join(folder, 'large');
    writeFileSync(file, 'head');
    // Sparse: it takes no room on the disk, and reading all of it would take more memory than there is.
    truncateSync(file, 2 ** 40);
    const bytes = readPlainFile(file, 100);
    assert.equal(bytes.length, 101);
    assert.equal(bytes.toString('utf8', 0, 4), 'head');
  });

  it('that ends before the limit is read whole', () => {
    const file = join(folder, 'small');
    writeFileSync(file, 'all of it');
    assert.equal(readPlainFile(file, 100).toString('utf8'), 'all of it');
  });
});
