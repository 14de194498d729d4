/** `tether apply` and `tether destroy`: plan, show, ask, apply. */
import type { PlanOptions } from '../../reconciler/plan/options';
import type { Plan } from '../../reconciler/plan/plan';
import { renderPlan, renderStops, stopsOf, summarize } from '../../reconciler/render';
import type { Call } from '../call';
import { carryOut, type Outcome } from '../carry-out';
import { Interrupted, UserError } from '../errors';
import type { ApplyFlags } from '../flags';
import { planOptionsOf } from '../plan-options';
import { valuesToWrite } from '../secret-values';
import { writeSession } from '../session';
import { isIncomplete } from './plan';

/** 0 done or nothing to do, 1 error or something left undone, 130 interrupted. */
export async function apply(call: Call<ApplyFlags>): Promise<number> {
  const { flags, args } = call;
  return work(call, args, planOptionsOf(flags, false));
}

/** Deletes all that is ours; the same course as `apply`. */
export async function destroy(call: Call<ApplyFlags>): Promise<number> {
  return work(call, call.args, planOptionsOf(call.flags, true));
}

async function work(call: Call<ApplyFlags>, paths: readonly string[], options: PlanOptions): Promise<number> {
  const { voice, command } = call;
  return writeSession(call, paths, async (session) => {
    const planned = await session.plan(options);
    voice.say(renderPlan(planned.plan, { ...voice.render, stops: false }));
    const report = (exitCode: number, outcome: Outcome | null): number => {
      voice.document({
        command,
        exitCode,
        summary: summarize(planned.plan),
        plan: planned.plan,
        ...(outcome === null ? {} : { result: outcome.result }),
      });
      return exitCode;
    };
    if (!hasWork(planned.plan)) return report(isIncomplete(planned.plan) ? 1 : 0, null);
    if (stopsOf(planned.plan).length > 0) {
      voice.log('error', renderStops(planned.plan, voice.renderError));
      return report(1, null);
    }
    const values = await valuesToWrite(planned.plan, session.workspace.root, call);
    if (!(await agreed(call, planned.plan))) {
      voice.log('error', 'Not applied; nothing was changed.');
      return report(1, null);
    }
    const outcome = await carryOut(call, session, planned, values);
    return report(outcome.exitCode, outcome);
  });
}

/** Changed baselines are written to the ledger even when no step is left. */
function hasWork(plan: Plan): boolean {
  return plan.organizations.some((one) => one.steps.length > 0 || one.baselineRefresh.length > 0);
}

async function agreed(call: Call<ApplyFlags>, plan: Plan): Promise<boolean> {
  const { flags, io } = call;
  // Bringing the ledger up to date changes nothing that anybody could object to.
  if (plan.organizations.every((one) => one.steps.length === 0)) return true;
  if (flags.yes) return true;
  if (io.ask === null) {
    throw new UserError(
      `nobody can be asked, because this is not a terminal: add --yes to ${call.command} without asking`,
    );
  }
  try {
    return await io.ask(call.command === 'destroy' ? 'Destroy all of this?' : 'Apply these changes?');
  } catch {
    throw new Interrupted('interrupted');
  }
}
