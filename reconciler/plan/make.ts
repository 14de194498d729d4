/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import type { Registry } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import { registry as kinds } from '../../resources/registry';
import { type Affected, checkPlan } from './checks';
import { planCleanup } from './cleanup';
import { Context, type PlanInputs } from './context';
import { obsoleteLines } from './lines';
import { planLinks } from './links';
import { planObjects } from './objects';
import { orderSteps } from './order';
import { defaultPlanOptions, type Plan, type PlanOptions, type Step } from './plan';
import { planRemoved } from './removed';
import { planSets } from './sets';
import { joinFindings } from './steps';

/** With what `observed` knows of affected workspaces. */
export function planAll(
  inputs: PlanInputs,
  options: PlanOptions = defaultPlanOptions,
  registry: Registry = kinds,
): Plan {
  return draftPlan(inputs, options, registry).finish(inputs.observed.affected);
}

/**
 * A plan for which `finish` still has to hear what destroying clients does to workspaces: `endings`, the steps that delete,
 * replace or forget, say of which clients.
 */
export function draftPlan(inputs: PlanInputs, options: PlanOptions, registry: Registry) {
  const context = new Context(inputs, options, registry);
  const { states, ...objects } = planObjects(context);
  const links = planLinks(context, states);
  const unsettled = new Set([...links.unknown, ...links.problems].map(({ address }) => address));
  const sets = planSets(context, states, links.wanted, unsettled);
  const removed = planRemoved(context, states, links, sets.planned);
  const cleanup = { steps: planCleanup(context, states, links.wanted) };
  const findings = joinFindings([objects, links, sets, removed, cleanup]);
  const steps = orderSteps(context, findings.steps, sets.listedBeside);
  const endings = steps.filter(({ action }) => ['delete', 'replace', 'forget'].includes(action));
  const held = [...states.keys()].filter((address) => context.bindings.byAddress.has(address));
  const missing = [...states].flatMap(([address, { isMissing }]) => (isMissing ? address : []));
  // A link of a missing object is new with its successor.
  const missingLinks = links.steps.filter(({ reason }) => reason === 'gone');
  const unchecked = {
    context,
    endings,
    held: held.length + links.held,
    missing: [...missing, ...missingLinks.map(({ address }) => address)],
    emptiesSets: sets.emptiesSets,
  };
  return {
    endings,
    finish: (affected: Affected): Plan => {
      const { blockers, ...checked } = checkPlan(unchecked, affected);
      const { organization, desired } = context;
      return {
        organization,
        profileName: desired.profileName,
        ...joinFindings([findings, { warnings: obsoleteLines(context, endings) }, checked]),
        steps: steps.map((step) => withUnlinks(context, step, affected)),
        blockers,
      };
    },
  };
}

/** The end of an object that is there says what it does to workspaces. */
function withUnlinks(context: Context, step: Step, affected: Affected) {
  const { action, objectId, observed, risks } = step;
  const ends = action === 'delete' || action === 'replace';
  if (!ends || context.isLink(step.kind) || objectId === undefined || observed === undefined) return step;
  return { ...step, risks: [unlinkedBy(affected[objectId]), ...risks] };
}
