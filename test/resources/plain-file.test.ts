/** Reading files that a stranger may have put there. */
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../../resources/plain-file';
import { temporaryFolder } from '../support/temporary-folder';

describe('a plain file', () => {
  const folder = temporaryFolder();

  it('is read no further than asked, however large it is', () => {
    const file = join(folder(), 'large');
    writeFileSync(file, 'head');
    // Sparse: it takes no room on the disk, and reading all of it would take more memory than there is.
    truncateSync(file, 2 ** 40);
    const bytes = readPlainFile(file, 100);
    assert.equal(bytes.length, 101);
    assert.equal(bytes.toString('utf8', 0, 4), 'head');
  });
});
