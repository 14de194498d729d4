/** `tether plan` and `tether drift`, which change nothing. */
import { detectDrift } from '../../reconciler/drift';
import { driftReport, driftSummary } from '../../reconciler/render/drift';
import { limitTogether } from '../../reconciler/shared-limit';
import type { Call } from '../call';
import { withLock } from '../open-folder';
import type { Outcome } from '../outcome';
import { planFolder, readMaxDeletes } from '../plan-folder';
import { firstReason, holdBack, nothingTogether, printFolder, printResults } from '../results';
import {
  currentValues,
  forEachFolder,
  openFolders,
  refuseSharedLinks,
  runFolders,
  toResults,
} from '../run-folders';

export async function plan(call: Call): Promise<Outcome> {
  const changed = call.flags.detailedExitcode ? 'changes' : 'planned';
  const maxDeletes = readMaxDeletes(call);
  const folders = await openFolders(call, call.args);
  const isSeveral = folders.length > 1;
  const planned = await forEachFolder(call, folders, async (folder, path) => {
    const { plan: folderPlan, result: first } = await planFolder(call, folder, isSeveral);
    const result = first.outcome === 'planned' ? ({ ...first, outcome: changed } as const) : first;
    printFolder(call, path, result, isSeveral);
    return { value: { plan: folderPlan, result } };
  });
  const folderPlans = await refuseSharedLinks(call, planned);
  const plans = currentValues(folderPlans).map((folder) => folder.plan);
  const together = isSeveral ? limitTogether(plans, maxDeletes) : nothingTogether;
  const results = toResults(folderPlans, (folder) => holdBack(folder.result, folder.plan, together));
  return printResults(call, results, together);
}

export async function drift(call: Call): Promise<Outcome> {
  const folders = await openFolders(call, call.args);
  return runFolders(call, folders, async (folder) => {
    const report = withLock(await call.read('Reading', () => detectDrift(folder)), folder);
    const { rows, unknown } = report;
    const outcome = unknown.length > 0 ? 'incomplete' : rows.length > 0 ? 'drift' : 'done';
    return {
      outcome,
      summary: driftSummary(report),
      reason: firstReason([...unknown, ...rows.map(({ address, state }) => ({ address, message: state }))]),
      document: { drift: report },
      report: driftReport(report, folder.naming),
      // Unmanaged links alone need nobody.
      ...(outcome === 'done' && folders.length > 1 && { text: '' }),
    };
  });
}
