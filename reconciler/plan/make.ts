/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import type { Manifests } from '../../manifest/desired';
import { foundAll } from '../../observation/evidence';
import type { Registry } from '../../resources/kind';
import { registry as kinds } from '../../resources/registry';
import { type Bindings, bindLedger } from './bindings';
import { type Affected, checkPlan, type Unchecked, unlinks } from './checks';
import { planCleanup } from './cleanup';
import { type Context, definitionFor } from './context';
import { checkLines, withAddresses } from './lines';
import { planLinks } from './links';
import { planObjects } from './objects';
import { orderSteps } from './order';
import { defaultPlanOptions, type Plan, type PlanInputs, type PlanOptions, type Step } from './plan';
import { planRemoved } from './removed';
import { planSets } from './sets';
import { type Findings, joinFindings } from './steps';

/** A plan without its checks, and without what destroying a client does to workspaces: only its steps say which clients that are. */
export interface PlanDraft extends Unchecked {
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
  const objects = planObjects(context);
  const links = planLinks(context, objects);
  const sets = planSets(context, objects, links);
  const removed = planRemoved(context, objects, links, sets);
  const parts = [objects, links, sets, removed];
  const planned = parts.flatMap((part) => part.steps);
  const steps = [...planned, ...planCleanup(context, planned, links.wanted)];
  const findings = joinFindings([...parts, checkLines(context, steps)]);
  const held = [...objects.objects.keys()].filter((address) => context.bindings.byAddress.has(address));
  return {
    context,
    findings,
    steps: orderSteps(context, steps, sets.listedBeside),
    held: held.length + links.held,
    missing: [...objects.missing, ...links.missing],
    setsKeepSome: sets.keepSome,
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
    steps: draft.steps.map((step) => withUnlinks(context, step, affected)),
    warnings: [...findings.warnings, ...warnings],
    notes: [...findings.notes, ...notes],
    stops,
  };
}

/** The end of an object with an id of its own, which is there, says what it does to workspaces. */
function withUnlinks(context: Context, step: Step, affected: Affected): Step {
  const { action, objectId, observed, risks } = step;
  const ends = action === 'delete' || action === 'replace';
  const isObject = definitionFor(context, step).pair.length === 0;
  if (!ends || !isObject || objectId === undefined || observed === undefined) return step;
  return { ...step, risks: [unlinks(affected, objectId), ...risks] };
}

/** The context that planning and drift look at. */
export function contextOf(inputs: PlanInputs, options: PlanOptions, registry: Registry): Context {
  const { manifests, ledger, observed, secrets } = inputs;
  const { organization } = manifests;
  // `destroy`: nothing is wanted any more, what is not ours is not touched, and what is to be let go is let go.
  const wanted = options.destroy ? { ...manifests, entries: [], sets: [], moved: [] } : manifests;
  const objectKinds = registry.filter((one) => one.pair.length === 0);
  const bindings = bindLedger(wanted, ledger, objectKinds);
  const { entries, byId } = withAddresses(wanted, bindings, registry);
  const held = Object.entries(ledger.objects);
  return {
    organization,
    desired: { ...wanted, entries },
    ledger,
    observed,
    secrets,
    options,
    registry,
    bindings,
    shown: shownNames(wanted, held, bindings),
    byId,
    // The first key of an id counts.
    keyOfId: new Map(held.map(([key, { id }]) => [id, key] as const).reverse()),
    heldIds: new Set(
      held.flatMap(([, { id, replaces }]) => (replaces === undefined ? [id] : [id, replaces])),
    ),
    temporaryNames: new Set(
      [...Object.values(ledger.pending), ...ledger.tombstones].map(({ nonce }) => nonce),
    ),
    seenObjects: new Map(objectKinds.map((one) => [one.kind, foundAll(observed, one, { organization })])),
  };
}

/** How ids are shown: by the alias that manifests use for their addresses, or the name of the object. */
function shownNames(
  { aliases }: Manifests,
  held: readonly (readonly [string, { readonly id: string }])[],
  { byAddress }: Bindings,
): Context['shown'] {
  const named = Object.values(aliases)
    .flatMap((section) => Object.entries(section))
    .sort(([one], [two]) => (one < two ? 1 : -1))
    .map(([name, id]) => [id, name] as const);
  const bound = [...byAddress].map(([address, { object }]) => [address, object] as const);
  const objects = [...held, ...bound].map(([key, { id }]) => [id, key.slice(key.indexOf('/') + 1)] as const);
  return new Map([...objects, ...named]);
}
