/** `tether plan` and `tether drift`, which change nothing. */
import { detectDrift } from '../../reconciler/drift';
import { driftReport, driftSummary } from '../../reconciler/render/drift';
import type { Call } from '../call';
import { withLock } from '../open-folder';
import { openFolders } from '../open-folders';
import type { Outcome } from '../outcome';
import { planFolders, readMaxDeletes } from '../plan-folders';
import { endCommand, firstReason, printReports } from '../results';
import { runFolders } from '../run-folders';

export async function plan(call: Call): Promise<Outcome> {
  const maxDeletes = readMaxDeletes(call);
  const folders = await openFolders(call, call.args);
  const { results, findings } = await planFolders(call, folders, maxDeletes, (folder) => ({ value: folder }));
  printReports(call, call.command, results, findings);
  return endCommand(call, results, findings);
}

export async function drift(call: Call): Promise<Outcome> {
  const folders = await openFolders(call, call.args);
  return runFolders(call, folders, async (folder) => {
    const report = withLock(await call.untilInterrupted('Reading', () => detectDrift(folder)), folder);
    const { rows, unknown } = report;
    const outcome = unknown.length > 0 ? 'incomplete' : rows.length > 0 ? 'drift' : 'done';
    return {
      outcome,
      summary: driftSummary(report),
      reason: firstReason([...unknown, ...rows.map(({ address, state }) => ({ address, message: state }))]),
      lock: folder.lock,
      document: { drift: report },
      report: driftReport(report, folder.naming),
      // If a folder has only unmanaged links to report, nobody has to act, so its row in the table says enough.
      ...(outcome === 'done' && folders.length > 1 && { text: '' }),
    };
  });
}
