/** The writing half of an apply: steps with progress, the ledger brought up to date, the sum. */
import type { StepwiseApi } from '../client/client';
import { type ApplyResult, applyPlan } from '../reconciler/apply/apply';
import { renderApplySummary } from '../reconciler/render';
import type { ResolvedSecrets } from '../resources/secrets';
import type { Call } from './call';
import { isIncomplete } from './commands/plan';
import type { NetworkFlags } from './flags';
import { progressOf } from './progress';
import type { Planned, Session } from './session';

export interface Outcome {
  readonly result: ApplyResult;
  readonly exitCode: number;
}

/** Applies, and folds what was recorded into the ledger whatever happened. */
export async function carryOut(
  call: Call<NetworkFlags>,
  session: Session<StepwiseApi>,
  planned: Planned,
  secrets: ResolvedSecrets,
): Promise<Outcome> {
  const { voice, io } = call;
  const progress = progressOf(planned.plan, voice, io);
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
  voice.say(`\n${renderApplySummary(result, planned.plan, voice.render)}`);
  await session.ledger.finish();
  return { result, exitCode: exitCodeOf(result, planned) };
}

function exitCodeOf(result: ApplyResult, planned: Planned): number {
  if (result.interrupted) return 130;
  const { failed, blocked, 'not-tried': notTried } = result.counts;
  return failed + blocked + notTried > 0 || isIncomplete(planned.plan) ? 1 : 0;
}
