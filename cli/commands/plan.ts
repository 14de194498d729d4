/** `tether plan`: the manifests against what exists; `tether drift`: what was changed elsewhere since the last apply. Both change nothing. */
import { driftOf } from '../../reconciler/drift';
import { defaultPlanOptions } from '../../reconciler/plan/plan';
import { renderDrift } from '../../reconciler/render/drift';
import { renderPlan } from '../../reconciler/render/plan';
import type { Call } from '../output';
import { isIncomplete, planDocument, planOptionsOf, readSession } from '../session';

/** 0 also where there are changes, or 2 with `--detailed-exitcode`; 1 something is undetermined or wrong. */
export async function plan(call: Call): Promise<number> {
  const { command, flags, output } = call;
  return readSession(call, async (session) => {
    const planned = await session.plan(planOptionsOf(flags, false));
    const changed = planned.plan.steps.length > 0;
    const exitCode = isIncomplete(planned.plan) ? 1 : changed && flags.detailedExitcode ? 2 : 0;
    output.print(`${renderPlan(planned.plan, output.render)}Digest: ${planned.digest}\n`);
    output.document({ command, exitCode, ...planDocument(planned) });
    return exitCode;
  });
}

/** 0 no drift, 2 drift, 1 something is undetermined or wrong. */
export async function drift(call: Call): Promise<number> {
  const { command, output } = call;
  return readSession(call, async (session) => {
    const made = await session.plan(defaultPlanOptions);
    const report = driftOf(made.inputs, made.plan);
    const exitCode = isIncomplete(report) ? 1 : report.items.length > 0 ? 2 : 0;
    output.print(renderDrift(report, output.render));
    output.document({ command, exitCode, drift: report });
    return exitCode;
  });
}
