/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import type { Manifests } from '../../manifest/desired';
import { registry as kinds, type Registry } from '../../resources/registry';
import type { PlanInputs } from '../inputs';
import { approvalStops, protectionStops } from './approvals';
import { type Context, createContext } from './context';
import { createDraft, type Draft } from './draft';
import { deleteGuard, missingGuard } from './guards';
import { defaultPlanOptions, type PlanOptions } from './options';
import { orderSteps } from './order';
import type { Plan } from './plan';
import { planLinks } from './plan-links';
import { planObjects } from './plan-objects';
import { planRemoved } from './plan-removed';
import { planSets } from './plan-sets';
import { planSweeps } from './plan-sweeps';
import { judgeLines } from './spent-lines';

/** The plan for these inputs. */
export function planAll(
  inputs: PlanInputs,
  options: PlanOptions = defaultPlanOptions,
  registry: Registry = kinds,
): Plan {
  const context = contextOf(inputs, options, registry);
  const draft = createDraft();
  planObjects(context, draft);
  const wanted = planLinks(context, draft);
  const planned = planSets(context, draft, wanted);
  planRemoved(context, draft, wanted, planned);
  planSweeps(context, draft, wanted);
  judgeLines(context, draft);
  const steps = orderSteps(context, draft);
  draft.steps.splice(0, draft.steps.length, ...steps);
  draft.stops.push(
    ...protectionStops(context, draft.steps),
    ...approvalStops(context, draft.steps),
    ...deleteGuard(context, draft),
    ...missingGuard(context, draft),
  );
  return finished(context, draft);
}

/** The context that planning and drift look at. */
export function contextOf(inputs: PlanInputs, options: PlanOptions, registry: Registry): Context {
  const { manifests, ledger, observed, secrets } = inputs;
  return createContext({
    organization: manifests.organization,
    desired: options.destroy ? emptied(manifests) : manifests,
    ledger,
    observed,
    secrets,
    options,
    registry,
  });
}

function finished(context: Context, draft: Draft): Plan {
  return {
    organization: context.organization,
    profileName: context.desired.profileName,
    steps: draft.steps,
    unchanged: draft.unchanged,
    undetermined: draft.undetermined,
    problems: draft.problems,
    warnings: draft.warnings,
    notes: draft.notes,
    stops: draft.stops,
    baselineRefresh: draft.baselineRefresh,
  };
}

/** For `destroy`: nothing is wanted any more, what is not ours is not touched, and what is to be let go is let go. */
function emptied(desired: Manifests): Manifests {
  return { ...desired, entries: [], sets: [], moved: [] };
}
