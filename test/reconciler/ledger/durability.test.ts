/** What must survive a power cut: every write is synced, file and folder, before it counts. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createFile } from '../../../reconciler/ledger/disk';
import { writeLedger } from '../../../reconciler/ledger/file';
import { openLedger } from '../../../reconciler/ledger/open';
import { clientObject, fullLedger, recordOf } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

describe('what must survive a power cut', () => {
  const folder = temporaryFolder();
  const file = () => join(folder(), 'tether.ledger.json');

  /** Calls back, with what the folder holds at that moment, whenever something is flushed to disk. */
  async function watchFlushes(onFlush: (names: readonly string[]) => void): Promise<void> {
    const handle = await open(folder(), 'r');
    const prototype: { sync(): Promise<void> } = Object.getPrototypeOf(handle);
    await handle.close();
    const flush = prototype.sync;
    mock.method(prototype, 'sync', function (this: typeof prototype) {
      onFlush(readdirSync(folder()).sort());
      return flush.call(this);
    });
  }

  before(function () {
    // Folders cannot be opened, so not flushed, on Windows.
    if (platform() === 'win32') this.skip();
  });

  afterEach(() => mock.restoreAll());

  it('is flushed line by line before an append is done', async () => {
    const ledger = await openLedger({ folder: folder(), organization: 'acme' }, { write: true });
    const journal = `${file()}.journal`;
    let flushed = '';
    await watchFlushes(() => {
      flushed = readFileSync(journal, 'utf8');
    });
    for (const number of [1, 2, 3]) {
      await ledger.journal.append(recordOf(`OAuthClient/c${number}`, clientObject(`oc-${number}`)));
      assert.equal(flushed, readFileSync(journal, 'utf8'));
      assert.match(flushed, new RegExp(`oc-${number}`));
    }
    await ledger.close();
  });

  it('is flushed before the new ledger takes the place of the old, and the folder after', async () => {
    const seen: string[] = [];
    await watchFlushes((names) =>
      seen.push(names.map((name) => name.replace(/[0-9a-f]{12}/, 'x')).join(' ')),
    );
    await writeLedger(file(), fullLedger);
    assert.deepEqual(seen, ['tether.ledger.json.x.tmp', 'tether.ledger.json']);
  });

  it('is flushed under a name that no reader of manifests looks at before a new file of the user appears', async () => {
    const seen: string[] = [];
    await watchFlushes((names) =>
      seen.push(names.map((name) => name.replace(/[0-9a-f]{12}/, 'x')).join(' ')),
    );
    await createFile(join(folder(), 'run-triggers.tether.yaml'), 'apiVersion: tether/v1\n');
    assert.deepEqual(seen, ['.tether-export.x.tmp', '.tether-export.x.tmp run-triggers.tether.yaml']);
  });

  it('is in the ledger, flushed, before the journal goes, and that it went is flushed', async () => {
    const ledger = await openLedger({ folder: folder(), organization: 'acme' }, { write: true });
    await ledger.journal.append(recordOf('OAuthClient/c', clientObject('oc-1')));
    const seen: string[] = [];
    await watchFlushes((names) =>
      seen.push(
        ['tether.ledger.json', 'tether.ledger.json.journal'].filter((name) => names.includes(name)).join(' '),
      ),
    );
    await ledger.finish();
    assert.deepEqual(seen, [
      'tether.ledger.json.journal',
      'tether.ledger.json tether.ledger.json.journal',
      'tether.ledger.json',
    ]);
    await ledger.close();
    assert.equal(existsSync(`${file()}.journal`), false);
  });
});
