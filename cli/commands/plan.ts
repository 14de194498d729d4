/** `tether plan` and `tether drift`, which change nothing. */
import { detectDrift, driftReport, driftSummary } from '../../reconciler/drift';
import { planReport } from '../../reconciler/render/plan';
import { renderText } from '../../reconciler/render/text';
import type { Call } from '../call';
import { firstReason, planFolder, planResult, readFolder } from '../folder';
import { runFolders } from '../folders';
import type { Outcome } from '../outcome';

export function plan(call: Call): Promise<Outcome> {
  const changed = call.flags.detailedExitcode ? 'changes' : 'planned';
  return runFolders(call, call.args, (path) =>
    readFolder(call, path, async (folder) => {
      const made = await planFolder(call, folder);
      const report = planReport(made.plan, made.digest, folder.naming);
      call.print(renderText(report, call.color));
      const result = planResult(made);
      const isChanged = result.outcome === 'done' && made.plan.steps.length > 0;
      return { ...result, outcome: isChanged ? changed : result.outcome, report };
    }),
  );
}

export function drift(call: Call): Promise<Outcome> {
  return runFolders(call, call.args, (path) =>
    readFolder(call, path, async ({ api, manifests, ledger, store, naming }) => {
      const found = await call.read('Reading', () =>
        detectDrift({ api, manifests, ledger, place: store.place }),
      );
      const report = driftReport(found, naming);
      call.print(renderText(report, call.color));
      const { rows, unknown } = found;
      return {
        outcome: unknown.length > 0 ? 'incomplete' : rows.length > 0 ? 'drift' : 'done',
        summary: driftSummary(found),
        reason: firstReason([...unknown, ...rows.map(({ address, state }) => ({ address, message: state }))]),
        document: { drift: found },
        report,
      };
    }),
  );
}
