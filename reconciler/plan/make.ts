/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import type { Registry } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import { registry as kinds } from '../../resources/registry';
import { type Affected, checkPlan, type Unchecked } from './checks';
import { planCleanup } from './cleanup';
import { type Context, contextOf, definitionFor } from './context';
import { obsoleteLines } from './lines';
import { planLinks } from './links';
import { planObjects } from './objects';
import { orderSteps } from './order';
import { defaultPlanOptions, type Plan, type PlanInputs, type PlanOptions, type Step } from './plan';
import { planRemoved } from './removed';
import { planSets } from './sets';
import { type Findings, joinFindings } from './steps';

/** A plan without its checks, and without what destroying a client does to workspaces: which clients, only the steps say. */
export interface PlanDraft extends Unchecked {
  /** Its steps are in order. */
  readonly findings: Findings;
}

/** The plan for these inputs, with what `observed` knows of affected workspaces. */
export function planAll(
  inputs: PlanInputs,
  options: PlanOptions = defaultPlanOptions,
  registry: Registry = kinds,
): Plan {
  return finishPlan(draftPlan(inputs, options, registry), inputs.observed.affected);
}

/** All that is to be done, in order. */
export function draftPlan(inputs: PlanInputs, options: PlanOptions, registry: Registry): PlanDraft {
  const context = contextOf(inputs, options, registry);
  const { states, ...objects } = planObjects(context);
  const links = planLinks(context, states);
  const unsettled = [...links.undetermined, ...links.problems].map(({ address }) => address);
  const sets = planSets(context, states, links.wanted, unsettled);
  const removed = planRemoved(context, states, links, sets.planned);
  const cleanup = { steps: planCleanup(context, states, links.wanted) };
  const findings = joinFindings([objects, links, sets, removed, cleanup]);
  const steps = orderSteps(context, findings.steps, sets.listedBeside);
  const endings = steps.filter(({ action }) => ['delete', 'replace', 'forget'].includes(action));
  const held = [...states.keys()].filter((address) => context.bindings.byAddress.has(address));
  const missing = [...states].flatMap(([address, { isMissing }]) => (isMissing ? address : []));
  return {
    context,
    findings: {
      ...findings,
      steps,
      warnings: [...findings.warnings, ...obsoleteLines(context, endings)],
    },
    endings,
    held: held.length + links.held,
    missing: [...missing, ...links.missing],
    emptiesSets: sets.emptiesSets,
  };
}

/** The draft with its risks and checks. */
export function finishPlan(draft: PlanDraft, affected: Affected): Plan {
  const { context, findings } = draft;
  const { stops, warnings, notes } = checkPlan(draft, affected);
  return {
    organization: context.organization,
    profileName: context.desired.profileName,
    ...findings,
    steps: findings.steps.map((step) => withUnlinks(context, step, affected)),
    warnings: [...findings.warnings, ...warnings],
    notes: [...findings.notes, ...notes],
    stops,
  };
}

/** The end of an object that is there says what it does to workspaces. */
function withUnlinks(context: Context, step: Step, affected: Affected): Step {
  const { action, objectId, observed, risks } = step;
  const ends = action === 'delete' || action === 'replace';
  const isObject = definitionFor(context, step).pair.length === 0;
  if (!ends || !isObject || objectId === undefined || observed === undefined) return step;
  return { ...step, risks: [unlinkedBy(affected[objectId]), ...risks] };
}
