/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import type { DesiredOrganization } from '../../manifest/desired';
import { type KnownAddress, suggestAddress } from '../../manifest/nearest-address';
import { registry as kinds, type Registry } from '../../resources/registry';
import type { PlanInputs } from '../inputs';
import type { LedgerOrganization } from '../ledger/ledger';
import { approvalStops } from './approvals';
import { type Context, createContext } from './context';
import { createDraft, type Draft } from './draft';
import { judgeFlags, optionsIn } from './flags';
import { deleteGuard, missingGuard } from './guards';
import { defaultPlanOptions, type PlanOptions } from './options';
import { orderSteps } from './order';
import type { OrganizationPlan, Plan } from './plan';
import { planLinks } from './plan-links';
import { planObjects } from './plan-objects';
import { planRemoved } from './plan-removed';
import { planSets } from './plan-sets';
import { planSweeps } from './plan-sweeps';
import { judgeLines } from './spent-lines';
import { limitToTargets, targetsIn } from './targets';

/** An organization the ledger does not know yet. */
const unknownToLedger: LedgerOrganization = {
  lineage: '',
  serial: 0,
  objects: {},
  pending: {},
  tombstones: [],
};

/** Plans every organization of the inputs. */
export function planAll(
  inputs: PlanInputs,
  options: PlanOptions = defaultPlanOptions,
  registry: Registry = kinds,
): Plan {
  const plans = contextsOf(inputs, options, registry).map(planOrganization);
  const organizations = withUnknownTargets(plans, options);
  const [first, ...rest] = organizations;
  const judged = judgeFlags(inputs, options, registry);
  if (first === undefined) return { organizations, targets: options.targets };
  // What was meant is not known, so nothing is applied.
  const stops = judged.problems.map(({ address, message }) => ({
    code: 'wrong-flag' as const,
    address,
    message,
  }));
  const told = {
    ...first,
    problems: [...first.problems, ...judged.problems],
    warnings: [...first.warnings, ...judged.warnings],
    stops: [...first.stops, ...stops],
  };
  return { organizations: [told, ...rest], targets: options.targets };
}

/** The contexts that planning and drift look at, one for each organization. */
export function contextsOf(inputs: PlanInputs, options: PlanOptions, registry: Registry): readonly Context[] {
  const scope = {
    files: new Set(inputs.manifests.files.map((one) => one.file)),
    wholeRoot: inputs.manifests.wholeRoot,
  };
  const several = inputs.manifests.organizations.length > 1;
  return inputs.manifests.organizations.map((desired) =>
    createContext(
      {
        organization: desired.organization,
        desired: options.destroy ? emptied(desired) : desired,
        ledger:
          inputs.ledger === null
            ? null
            : (inputs.ledger.organizations[desired.organization] ?? unknownToLedger),
        observed: inputs.observed,
        secrets: inputs.secrets[desired.organization] ?? {},
        options: optionsIn(desired.organization, options, several),
        several,
        registry,
      },
      scope,
    ),
  );
}

interface Planned {
  readonly plan: OrganizationPlan;
  /** Targets that name nothing in this organization. */
  readonly unknown: readonly string[];
  /** What they could have named. */
  readonly known: readonly KnownAddress[];
}

function planOrganization(context: Context): Planned {
  const draft = createDraft();
  planObjects(context, draft);
  const wanted = planLinks(context, draft);
  const planned = planSets(context, draft, wanted);
  planRemoved(context, draft, wanted, planned);
  planSweeps(context, draft, wanted);
  judgeLines(context, draft);
  const steps = orderSteps(context, draft);
  draft.steps.splice(0, draft.steps.length, ...steps);
  const known = addressesOf(context, draft);
  let unknown: readonly string[] = [];
  if (context.options.targets !== null) unknown = limitToTargets(context, draft, context.options.targets);
  draft.stops.push(
    ...approvalStops(context, draft.steps),
    ...deleteGuard(context, draft),
    ...missingGuard(context, draft),
  );
  return { plan: finished(context, draft), unknown, known };
}

/** Every address of the organization that a person may mean, each once. */
function addressesOf({ organization, desired, ledger }: Context, draft: Draft): readonly KnownAddress[] {
  const addresses = new Set([
    ...desired.entries.map((entry) => entry.address),
    ...draft.steps.map((step) => step.address),
    ...Object.keys(ledger?.objects ?? {}),
  ]);
  return [...addresses].map((address) => ({ organization, address }));
}

function finished(context: Context, draft: Draft): OrganizationPlan {
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
function emptied(desired: DesiredOrganization): DesiredOrganization {
  return { ...desired, entries: [], sets: [], moved: [] };
}

/** A target that no organization knows is a mistake, told once. */
function withUnknownTargets(planned: readonly Planned[], options: PlanOptions): readonly OrganizationPlan[] {
  const plans = planned.map((one) => one.plan);
  const first = plans[0];
  if (options.targets === null || first === undefined) return plans;
  const nowhere = options.targets.filter((target) =>
    planned.every(({ plan, unknown }) =>
      targetsIn(plan.organization, [target]).every((one) => unknown.includes(one)),
    ),
  );
  const known = planned.flatMap((one) => one.known);
  const problems = nowhere.map((target) => ({
    rule: 'unknown-target',
    severity: 'error' as const,
    message: `--target ${target} names nothing in the manifests or the ledger${suggestAddress(target, known)}`,
    path: target,
    address: target,
  }));
  return [{ ...first, problems: [...first.problems, ...problems] }, ...plans.slice(1)];
}
