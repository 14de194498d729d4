/** `tether plan` and `tether drift`, which change nothing. */
import { detectDrift, driftReport, driftSummary } from '../../reconciler/drift';
import { renderText } from '../../reconciler/render/text';
import type { Call } from '../call';
import { firstReason, planFolder, readFolders } from '../folder';
import type { Outcome } from '../outcome';

export function plan(call: Call): Promise<Outcome> {
  const changed = call.flags.detailedExitcode ? 'changes' : 'planned';
  return readFolders(call, call.args, async (folder) => {
    const { made, report, result } = await planFolder(call, folder);
    call.print(renderText(report, call.color));
    const isChanged = result.outcome === 'done' && made.plan.steps.length > 0;
    return { ...result, outcome: isChanged ? changed : result.outcome };
  });
}

export function drift(call: Call): Promise<Outcome> {
  return readFolders(call, call.args, async (folder) => {
    const found = await call.read('Reading', () => detectDrift(folder));
    const report = driftReport(found, folder.naming);
    call.print(renderText(report, call.color));
    const { rows, unknown } = found;
    return {
      outcome: unknown.length > 0 ? 'incomplete' : rows.length > 0 ? 'drift' : 'done',
      summary: driftSummary(found),
      reason: firstReason([...unknown, ...rows.map(({ address, state }) => ({ address, message: state }))]),
      document: { drift: found },
      report,
    };
  });
}
