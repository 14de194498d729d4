/** `tether apply` and `tether destroy`: plan, show, ask, apply. */
import { isDeepStrictEqual } from 'node:util';
import type { Api } from '../../client/api';
import { defaultPlanOptions, type PlanOptions } from '../../reconciler/plan/options';
import type { Plan } from '../../reconciler/plan/plan';
import { renderPlan, renderStops, stopsOf, summarize } from '../../reconciler/render';
import type { Call } from '../call';
import { carryOut, type Outcome } from '../carry-out';
import { Interrupted, UserError } from '../errors';
import type { ApplyFlags } from '../flags';
import { keptByName } from '../kept';
import { refuseOverwriting } from '../outputs';
import { planOptionsOf } from '../plan-options';
import { valuesToWrite } from '../secret-values';
import { type Planned, type Session, writeSession } from '../session';
import { isIncomplete } from './plan';

/** A plan that has been looked at for longer than this is checked again before the first write. */
const oldAfterMs = 30_000;

/** 0 done or nothing to do, 1 error or something left undone, 130 interrupted. */
export async function apply(call: Call<ApplyFlags>): Promise<number> {
  const { flags, args, io } = call;
  if (flags.plan === undefined) return work(call, args, planOptionsOf(flags, false), null);
  refuseOverwriting(flags, keptByName([], flags, io), io.cwd);
  if (args.length > 0) {
    throw new UserError('--plan FILE brings its own paths: leave out the paths, or leave out --plan');
  }
  const own = planOptionsOf(flags, false);
  if (!isDeepStrictEqual(own, defaultPlanOptions)) {
    throw new UserError(
      '--plan FILE was made with its own targets, adoptions and approvals: leave those flags out, or plan again with them',
    );
  }
  // Loaded only here: few applies have a saved plan.
  const { checkSaved, readSaved } = await import('../saved.js');
  const saved = readSaved(flags.plan, io);
  return work(call, saved.paths, saved.options, (session, planned) =>
    checkSaved(saved, session, planned, io),
  );
}

/** Deletes all that is ours; the same course as `apply`. */
export async function destroy(call: Call<ApplyFlags>): Promise<number> {
  return work(call, call.args, planOptionsOf(call.flags, true), null);
}

async function work(
  call: Call<ApplyFlags>,
  paths: readonly string[],
  options: PlanOptions,
  check: ((session: Session<Api>, planned: Planned) => void) | null,
): Promise<number> {
  const { voice, command } = call;
  return writeSession(call, paths, async (session) => {
    const planned = await session.plan(options);
    check?.(session, planned);
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
    const fresh = await stillTrue(call, session, planned, options);
    const outcome = await carryOut(call, session, fresh, values);
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
  if (flags.yes || flags.plan !== undefined) return true;
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

/** Looks once more when the plan is old; refuses when anything is different now. */
async function stillTrue(
  call: Call<ApplyFlags>,
  session: Session<Api>,
  planned: Planned,
  options: PlanOptions,
): Promise<Planned> {
  if (call.io.now() - planned.at <= oldAfterMs) return planned;
  const { comparePlans } = await import('../../reconciler/saved-plan.js');
  const fresh = await session.plan(options);
  const differences = comparePlans(planned.plan, fresh.plan);
  if (differences.length === 0) return fresh;
  throw new UserError(
    `the plan is stale, nothing was changed; since it was made:\n${differences.map((one) => `  - ${one}`).join('\n')}\nrun ${call.command} again`,
    { stale: differences },
  );
}
