/** `tether drift`: what was changed elsewhere since the last apply; changes nothing. */
import { type DriftReport, driftOf } from '../../reconciler/drift';
import { defaultPlanOptions } from '../../reconciler/plan/plan';
import { renderDrift } from '../../reconciler/render/drift';
import type { Call } from '../call';
import type { NetworkFlags } from '../flags';
import { folderOf, readSession } from '../session';

/** 0 no drift, 2 drift, 1 something is undetermined or wrong. */
export async function drift(call: Call<NetworkFlags>): Promise<number> {
  const { args, command, output } = call;
  return readSession(call, folderOf(args), async (session) => {
    const { plan, inputs } = await session.plan(defaultPlanOptions);
    const report = driftOf(inputs, plan);
    const exitCode = exitCodeOf(report);
    output.print(renderDrift(report, output.render));
    output.document({ command, exitCode, drift: report });
    return exitCode;
  });
}

function exitCodeOf(report: DriftReport): number {
  const unsure = report.undetermined.length > 0 || report.problems.length > 0;
  if (unsure) return 1;
  return report.items.length > 0 ? 2 : 0;
}
