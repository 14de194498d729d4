/** `tether apply` and `tether destroy`: plan, show, ask, apply. */
import type { StepwiseApi } from '../../client/client';
import { plain } from '../../client/text';
import { type ApplyResult, applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import type { Plan, PlanOptions } from '../../reconciler/plan/plan';
import { renderApplySummary } from '../../reconciler/render/apply-summary';
import { renderPlan, renderStops } from '../../reconciler/render/plan';
import { type ResolvedSecrets, resolveSecrets } from '../../resources/secrets';
import type { Call } from '../call';
import { Interrupted, UserError } from '../errors';
import type { ApplyFlags } from '../flags';
import { progressOf } from '../output';
import { folderOf, type Planned, type Session, writeSession } from '../session';
import { isIncomplete, planDocument, planOptionsOf } from './plan';

/** A plan that has been looked at for longer than this is checked again before the first write. */
const oldAfterMs = 30_000;

/** 0 done or nothing to do, 1 error or something left undone, 130 interrupted. */
export async function apply(call: Call<ApplyFlags>): Promise<number> {
  return work(call, planOptionsOf(call.flags, false));
}

/** Deletes everything that is managed; the same steps as `apply`. */
export async function destroy(call: Call<ApplyFlags>): Promise<number> {
  return work(call, planOptionsOf(call.flags, true));
}

async function work(call: Call<ApplyFlags>, options: PlanOptions): Promise<number> {
  const { flags, output, command } = call;
  return writeSession(call, folderOf(call.args), async (session) => {
    const planned = await session.plan(options);
    if (flags.expect !== undefined && flags.expect !== planned.digest) {
      throw refused(call, planned, `the current plan does not have digest ${plain(flags.expect)}`);
    }
    output.print(renderPlan(planned.plan, { ...output.render, stops: false }));
    const report = (exitCode: number, result: ApplyResult | null): number => {
      output.document({
        command,
        exitCode,
        ...planDocument(planned),
        ...(result === null ? {} : { result }),
      });
      return exitCode;
    };
    if (!hasWork(planned.plan)) return report(isIncomplete(planned.plan) ? 1 : 0, null);
    if (planned.plan.stops.length > 0) {
      output.log('error', renderStops(planned.plan, output.renderError));
      return report(1, null);
    }
    const values = await valuesToWrite(planned.plan, session.manifests.folder, call);
    if (!(await agreed(call, planned.plan))) {
      output.log('error', 'Not applied; nothing was changed.');
      return report(1, null);
    }
    const fresh = await stillTrue(call, session, planned, options);
    const outcome = await execute(call, session, fresh, values);
    return report(outcome.exitCode, outcome.result);
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
    throw new UserError(`not a terminal: pass --yes to ${call.command} without confirmation`);
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
  throw refused(call, fresh, 'the plan has changed since it was shown for confirmation');
}

/** Shows the current plan; the error explains that it is not the reviewed one. */
function refused({ command, output }: Call<ApplyFlags>, planned: Planned, what: string): UserError {
  output.print(renderPlan(planned.plan, output.render));
  const next =
    command === 'destroy'
      ? 'run destroy again'
      : `once it is reviewed, run: tether apply --expect ${planned.digest}`;
  return new UserError(
    `stale plan: ${what}. Nothing was changed. The current plan is shown; ${next}`,
    planDocument(planned),
  );
}

/** Every secret that a step will write; throws a `UserError` that names all that are missing, never a value. */
async function valuesToWrite(plan: Plan, root: string, call: Call<ApplyFlags>): Promise<ResolvedSecrets> {
  const needed = neededSecrets(plan);
  const resolved = await resolveSecrets(needed, { env: call.io.env, root });
  if (resolved.failures.length > 0) {
    const lines = resolved.failures.map((one) => `  ${one.address} ${one.field}: ${one.why}`);
    throw new UserError(`secrets to write are missing; nothing was changed:\n${lines.join('\n')}`, {
      missingSecrets: resolved.failures,
    });
  }
  for (const { address, field } of needed) {
    const value = resolved.value(address, field);
    if (value !== undefined) call.output.hide(value);
  }
  return resolved;
}

/** Applies, and folds what was recorded into the ledger whatever happened. */
async function execute(
  call: Call<ApplyFlags>,
  session: Session<StepwiseApi>,
  planned: Planned,
  secrets: ResolvedSecrets,
): Promise<{ readonly result: ApplyResult; readonly exitCode: number }> {
  const { output, io } = call;
  const progress = progressOf(planned.plan, output, io);
  const result = await applyPlan({
    api: session.api,
    forStep: () => session.api.forStep(),
    plan: planned.plan,
    ledger: planned.inputs.ledger,
    observed: planned.inputs.observed,
    journal: session.ledger.journal,
    secrets,
    signal: io.signal,
    onEvent: (event) => progress.show(event),
    now: () => new Date(io.now()),
  }).finally(() => progress.end());
  output.print(`\n${renderApplySummary(result, planned.plan, output.render)}`);
  await session.ledger.finish();
  return { result, exitCode: exitCodeOf(result, planned) };
}

function exitCodeOf(result: ApplyResult, planned: Planned): number {
  if (result.interrupted) return 130;
  const { failed, blocked, 'not-tried': notTried } = result.counts;
  return failed + blocked + notTried > 0 || isIncomplete(planned.plan) ? 1 : 0;
}
