/** A process that records for ever, and prints the number of each record once it is on disk. Arguments: folder of the ledger, first number, records in a run before it is finished (0: never). */
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { openLedger } from '../../reconciler/ledger/open';
import { attachmentObject, recordOf } from './ledger-samples';

async function record(folder: string, first: number, inOneRun: number): Promise<void> {
  for (let number = first; ; ) {
    const ledger = await openLedger({ folder, organization: 'acme' }, { write: true });
    for (let count = 0; inOneRun === 0 || count < inOneRun; count += 1) {
      const object = attachmentObject('oc-1', `prj-${number}`);
      await ledger.journal.append(recordOf(`ProjectAttachment/${object.id}`, object));
      writeSync(1, `${number}\n`);
      number += 1;
    }
    await ledger.finish();
    await ledger.close();
  }
}

const [folder, first, inOneRun] = argv.slice(2);
void record(folder ?? '', Number(first), Number(inOneRun));
