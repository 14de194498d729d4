/** `tether plan`: the manifests against what exists; changes nothing. */
import type { Plan, PlanOptions } from '../../reconciler/plan/plan';
import { renderPlan, summarize } from '../../reconciler/render/plan';
import type { Call } from '../call';
import type { PlanFlags } from '../flags';
import { folderOf, type Planned, readSession } from '../session';

/** 0 also where there are changes, or 2 with `--detailed-exitcode`; 1 something is undetermined or wrong. */
export async function plan(call: Call<PlanFlags & { readonly detailedExitcode?: true }>): Promise<number> {
  const { args, flags, output } = call;
  const options = planOptionsOf(flags, false);
  return readSession(call, folderOf(args), async (session) => {
    const planned = await session.plan(options);
    const changed = planned.plan.steps.length > 0;
    const exitCode = isIncomplete(planned.plan) ? 1 : changed && flags.detailedExitcode ? 2 : 0;
    output.print(`${renderPlan(planned.plan, output.render)}Digest: ${planned.digest}\n`);
    output.document({ command: call.command, exitCode, ...planDocument(planned) });
    return exitCode;
  });
}

/** The members of a JSON document that describe a plan. */
export function planDocument({ plan, digest }: Planned) {
  return { summary: summarize(plan), digest, plan };
}

/** True when something could not be seen or has a problem, so that doing all steps does not finish the job. */
export function isIncomplete(plan: Plan): boolean {
  return plan.undetermined.length > 0 || plan.problems.length > 0;
}

/** The flags of planning as the planner's options. */
export function planOptionsOf(flags: PlanFlags, destroy: boolean): PlanOptions {
  return {
    maxDeletes: flags.maxDeletes ?? null,
    acceptMissing: flags.acceptMissing ?? null,
    writeSecrets: flags.writeSecrets === true,
    destroy,
  };
}
