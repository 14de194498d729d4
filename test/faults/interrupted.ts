/** An apply that ends in the middle, and the person who then applies an edited manifest until nothing is left. */
import assert from 'node:assert/strict';
import type { MadePlan } from '../../reconciler/make-plan';
import type { ApplyWorld, Planning } from '../support/apply-world';
import { callFaults, type Fault, lineFaults, type Moment, Tap } from './tap';

/** The `index`th call or journal line, and what happens there. */
export interface At {
  readonly index: number;
  readonly how: Fault;
}

const faults: readonly Fault[] = [...callFaults, ...lineFaults, 'killed-late'];

/** Every fault at every moment, with words for it. Only a client can be told from a stranger when it arrives late. */
export function* everyFault(moments: readonly Moment[]): Generator<{ at: At; where: string }> {
  for (const [index, moment] of moments.entries()) {
    for (const how of faults.filter((one) => one.endsWith('-line') === (moment.of === 'line'))) {
      // A trigger has no name of its own: one that arrives late and is not wanted looks like anybody's.
      if (how === 'killed-late' && moment.name !== 'create client') continue;
      yield { at: { index, how }, where: `${how} at ${index} (${moment.operation}: ${moment.name})` };
    }
  }
}

/** Applies a plan one call at a time, with at most one fault. */
export async function interruptedApply(
  world: ApplyWorld,
  { plan, inputs: { observed } }: MadePlan,
  at: At | null,
): Promise<Tap> {
  const operations = new Map(plan.steps.map((step) => [step.id, step.id] as const));
  const tap = new Tap(world.service, operations, at);
  await world.applyPlan(plan, {
    api: tap.api(world.api),
    observed,
    aroundJournal: tap.journal,
    onEvent: tap.onEvent,
    concurrency: 1,
  });
  world.service.clearFaults();
  return tap;
}

/** Applies as a person would: again, until a plan finds nothing left; three times must do. */
export async function settle(
  world: ApplyWorld,
  options: Planning,
  manifest: string,
  where: string,
): Promise<void> {
  world.manifest = manifest;
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { plan } = await world.plan(options);
    const { problems, blockers, steps, unknown } = plan;
    assert.deepEqual([problems, blockers, unknown], [[], [], []], where);
    if (steps.length === 0) return;
    await world.applyPlan(plan);
  }
  await world.expectNothing().catch((error: unknown) => {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  });
}
