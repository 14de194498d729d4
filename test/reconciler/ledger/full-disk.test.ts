/** A journal on a disk that is full: nothing counts that was not written whole. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { openLedger } from '../../../reconciler/ledger/open';
import { temporaryFolder } from '../../support/temporary-folder';

/** Appends until the file may grow no further, then tries twice more, and ends the run if told to. */
const script = `
  const [folder, openModule, samplesModule, end] = process.argv.slice(1);
  const { openLedger } = require(openModule);
  const { attachmentObject, recordOf } = require(samplesModule);
  (async () => {
    const ledger = await openLedger({ folder, organization: 'acme' }, { write: true });
    const told = { acknowledged: 0, failures: [] };
    for (let number = 0; told.failures.length < 3; number += 1) {
      const object = attachmentObject('oc-1', 'prj-' + number);
      try {
        await ledger.journal.append(recordOf('ProjectAttachment/' + object.id, object));
        told.acknowledged += 1;
      } catch (error) {
        told.failures.push(error.message);
      }
    }
    if (end === 'finish') await ledger.finish().catch((error) => told.failures.push(error.message));
    await ledger.close();
    console.log(JSON.stringify(told));
  })();`;

describe('a journal on a disk that is full', () => {
  const folder = temporaryFolder();

  before(function () {
    // The limit on a file's size that stands in for a full disk is a Unix one.
    if (platform() === 'win32') this.skip();
  });

  for (const end of ['close', 'finish']) {
    it(`fails from the first append that did not fit, and has all before it after ${end}`, async () => {
      const file = join(folder(), 'tether.ledger.json');
      const modules = ['../../../reconciler/ledger/open.js', '../../support/ledger-samples.js'];
      const { stdout, stderr } = spawnSync(
        'sh',
        [
          '-c',
          'ulimit -f 8 && exec "$@"',
          'sh',
          execPath,
          '-e',
          script,
          folder(),
          ...modules.map((name) => join(__dirname, name)),
          end,
        ],
        { encoding: 'utf8' },
      );
      assert.equal(stderr, '');
      const told: { acknowledged: number; failures: string[] } = JSON.parse(stdout);
      assert.ok(told.acknowledged > 5);
      assert.match(told.failures[0] ?? '', /Could not append to the journal: EFBIG.*free space/);
      assert.deepEqual(told.failures.slice(1, 3), [told.failures[0], told.failures[0]]);
      // The ledger does not fit either: it takes more room than its journal.
      if (end === 'finish') assert.match(told.failures[3] ?? '', /Could not write it: EFBIG/);
      assert.deepEqual(readdirSync(folder()), ['tether.ledger.json.journal']);
      assert.doesNotMatch(readFileSync(`${file}.journal`, 'utf8'), /\n$/);

      const ledger = await openLedger({ folder: folder(), organization: 'acme' }, { write: true });
      const objects = Object.values(ledger.ledger.objects);
      await ledger.close();
      assert.equal(objects.length, told.acknowledged);
    });
  }
});
