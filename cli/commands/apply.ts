/** `tether apply` and `tether destroy`: plan, show, ask, apply. */
import type { StepwiseApi } from '../../client/client';
import type { Plan, PlanOptions } from '../../reconciler/plan/plan';
import { renderPlan, renderStops } from '../../reconciler/render';
import { plain } from '../../reconciler/render/text';
import type { Call } from '../call';
import { carryOut, type Outcome } from '../carry-out';
import { Interrupted, UserError } from '../errors';
import type { ApplyFlags } from '../flags';
import { planOptionsOf } from '../plan-options';
import { valuesToWrite } from '../secret-values';
import { type Planned, type Session, writeSession } from '../session';
import { folderOf } from '../workspace';
import { documentOf, isIncomplete } from './plan';

/** A plan that has been looked at for longer than this is checked again before the first write. */
const oldAfterMs = 30_000;

/** 0 done or nothing to do, 1 error or something left undone, 130 interrupted. */
export async function apply(call: Call<ApplyFlags>): Promise<number> {
  return work(call, planOptionsOf(call.flags, false));
}

/** Deletes all that is ours; the same course as `apply`. */
export async function destroy(call: Call<ApplyFlags>): Promise<number> {
  return work(call, planOptionsOf(call.flags, true));
}

async function work(call: Call<ApplyFlags>, options: PlanOptions): Promise<number> {
  const { flags, voice, command } = call;
  return writeSession(call, folderOf(call.args), async (session) => {
    const planned = await session.plan(options);
    if (flags.expect !== undefined && flags.expect !== planned.digest) {
      throw refused(call, planned, `the plan made now is not the one with digest ${plain(flags.expect)}`);
    }
    voice.say(renderPlan(planned.plan, { ...voice.render, stops: false }));
    const report = (exitCode: number, outcome: Outcome | null): number => {
      const result = outcome === null ? {} : { result: outcome.result };
      voice.document({ command, exitCode, ...documentOf(planned), ...result });
      return exitCode;
    };
    if (!hasWork(planned.plan)) return report(isIncomplete(planned.plan) ? 1 : 0, null);
    if (planned.plan.stops.length > 0) {
      voice.log('error', renderStops(planned.plan, voice.renderError));
      return report(1, null);
    }
    const values = await valuesToWrite(planned.plan, session.manifests.folder, call);
    if (!(await agreed(call, planned.plan))) {
      voice.log('error', 'Not applied; nothing was changed.');
      return report(1, null);
    }
    const fresh = await stillTrue(call, session, planned, options);
    const outcome = await carryOut(call, session, fresh, values);
    return report(outcome.exitCode, outcome);
  });
}

/** Changed baselines are written to the ledger even when no step is left. */
function hasWork(plan: Plan): boolean {
  return plan.steps.length > 0 || plan.baselineRefresh.length > 0;
}

async function agreed(call: Call<ApplyFlags>, plan: Plan): Promise<boolean> {
  const { flags, io } = call;
  // Bringing the ledger up to date changes nothing that anybody could object to.
  if (plan.steps.length === 0) return true;
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

/** Plans once more when the plan is old; throws unless the same would be written. */
async function stillTrue(
  call: Call<ApplyFlags>,
  session: Session<StepwiseApi>,
  planned: Planned,
  options: PlanOptions,
): Promise<Planned> {
  if (call.io.now() - planned.at <= oldAfterMs) return planned;
  const fresh = await session.plan(options);
  if (fresh.digest === planned.digest) return fresh;
  throw refused(call, fresh, 'the plan is not the same any more as the one that waited for an answer');
}

/** Shows the plan made now; the error says that it is not the one that somebody agreed to. */
function refused({ command, voice }: Call<ApplyFlags>, planned: Planned, what: string): UserError {
  voice.say(renderPlan(planned.plan, voice.render));
  const next =
    command === 'destroy'
      ? 'run destroy again'
      : `to apply it once it is reviewed: tether apply --expect ${planned.digest}`;
  return new UserError(
    `stale plan: ${what}. Nothing was changed. The plan made now is shown; ${next}`,
    documentOf(planned),
  );
}
