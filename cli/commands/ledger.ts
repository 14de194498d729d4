/** `tether ledger`: looking into the ledger, and freeing its lock; no network. */
import { join } from 'node:path';
import { plain } from '../../client/text';
import { ledgerName } from '../../reconciler/ledger/disk';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { describeHolder } from '../../reconciler/ledger/lock';
import { inspectLedger, unlockLedger } from '../../reconciler/ledger/open';
import type { Call } from '../call';
import { UserError } from '../errors';
import type { LedgerFlags } from '../flags';

/** Prints what the ledger holds, an interrupted run's journal included; writes nothing. */
export async function showLedger(call: Call<LedgerFlags>): Promise<number> {
  const { command, flags, output, io } = call;
  const file = join(io.cwd, ledgerName);
  const ledger = await inspectLedger(io.cwd, {
    cwd: io.cwd,
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note) => output.log('warn', note),
    signal: io.signal,
  });
  if (ledger === null) throw new UserError(`no ledger at ${file} yet; tether apply creates it`);
  output.print(renderLedger(ledger));
  output.document({ command, exitCode: 0, file, ledger });
  return 0;
}

/** Removes the lock with this token, which was left behind. */
export async function unlock(call: Call<LedgerFlags>): Promise<number> {
  const [token = ''] = call.args;
  const holder = await unlockLedger(call.io.cwd, token, { cwd: call.io.cwd });
  const done =
    holder === null ? 'The ledger is not locked.' : `Removed the lock of ${describeHolder(holder)}.`;
  call.output.print(`${plain(done)}\n`);
  call.output.document({ command: call.command, exitCode: 0, done: [done] });
  return 0;
}

function renderLedger(ledger: Ledger): string {
  const objects = Object.entries(ledger.objects).map(([key, object]) => {
    const marks = [
      ...(object.file === null ? [] : [object.file]),
      ...(object.protect ? ['protected'] : []),
      ...(object.replaces === undefined ? [] : [`replaces ${object.replaces}`]),
      ...Object.keys(object.digests).map((field) => `${field}: (secret, written)`),
    ];
    const id = object.id.includes('/') ? '' : `  ${object.id}`;
    return plain(`  ${key}${id}${marks.length === 0 ? '' : `  ${marks.join(', ')}`}`);
  });
  const pending = Object.entries(ledger.pending).map(([key, intent]) =>
    plain(`  ${key}  create not finished, under ${intent.nonce}`),
  );
  const late = ledger.tombstones.map((one) =>
    plain(`  ${one.address}  may still appear as ${one.nonce}, since ${one.since}`),
  );
  const held = [...objects, ...pending, ...late];
  const head = `# ${plain(ledger.organization)}  (serial ${ledger.serial}, lineage ${plain(ledger.lineage)})`;
  return `${[head, ...(held.length === 0 ? ['  nothing'] : held)].join('\n')}\n`;
}
