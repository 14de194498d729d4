/** `tether plan`: the manifests against what exists; changes nothing. */
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadApi } from '../../client/api';
import type { Plan } from '../../reconciler/plan/plan';
import { renderPlan, summarize } from '../../reconciler/render';
import type { Call } from '../call';
import { codeOf, UserError } from '../errors';
import type { PlanFlags } from '../flags';
import { planOptionsOf } from '../plan-options';
import { type Planned, readSession, type Session } from '../session';

/** 0 nothing to do, 2 changes, 1 something is undetermined or wrong. */
export async function plan(call: Call<PlanFlags & { readonly out?: string }>): Promise<number> {
  const { args, flags, voice } = call;
  const options = planOptionsOf(flags, false);
  return readSession(call, args, async (session) => {
    const planned = await session.plan(options);
    const exitCode = planExitCode(planned.plan);
    voice.say(renderPlan(planned.plan, voice.render));
    if (flags.out !== undefined) await save(call, flags.out, session, planned);
    voice.document({ command: call.command, exitCode, summary: summarize(planned.plan), plan: planned.plan });
    return exitCode;
  });
}

/** The exit code of a plan: 1 wins over 2. */
export function planExitCode(plan: Plan): number {
  if (isIncomplete(plan)) return 1;
  return plan.organizations.some((one) => one.steps.length > 0) ? 2 : 0;
}

/** True when something could not be seen or has a problem, so that doing all steps does not finish the job. */
export function isIncomplete(plan: Plan): boolean {
  return plan.organizations.some((one) => one.undetermined.length > 0 || one.problems.length > 0);
}

/** Only its owner may read it: it names everything an organization has. */
async function save(
  call: Call<PlanFlags>,
  file: string,
  session: Session<ReadApi>,
  planned: Planned,
): Promise<void> {
  const { savePlan } = await import('../../reconciler/saved-plan.js');
  const { io, voice } = call;
  const saved = savePlan({
    plan: planned.plan,
    options: planOptionsOf(call.flags, false),
    paths: session.workspace.paths,
    manifests: session.workspace.manifests,
    ledger: planned.inputs.ledger,
    address: session.connection.address,
    now: new Date(io.now()),
  });
  try {
    const path = resolve(io.cwd, file);
    rmSync(path, { force: true });
    writeFileSync(path, saved, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new UserError(`the plan cannot be saved to ${file} (${codeOf(cause)})`);
  }
  const stopped = planned.plan.organizations.some((one) => one.stops.length > 0);
  voice.log(
    'warn',
    stopped
      ? `Saved to ${file}, but apply --plan will stop as shown above: approvals are those of the plan, so make a new one`
      : `Saved; to apply exactly this: tether apply --plan ${file}`,
  );
}
