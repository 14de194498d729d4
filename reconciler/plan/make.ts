/** Makes the plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import { isDeepStrictEqual } from 'node:util';
import { renderPosition } from '../../manifest/issues';
import type { Registry } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import {
  type Affected,
  approvalBlockers,
  deleteLimit,
  type LostLinks,
  linksLost,
  missingLimit,
  protectionBlockers,
} from './checks';
import { planCleanup } from './cleanup';
import { Context, type PlanInputs } from './context';
import { withinLimits } from './limits';
import { lineWarnings } from './lines';
import { planLinks } from './links';
import { planObjects } from './objects';
import { orderSteps } from './order';
import type { Plan, PlanOptions, Step } from './plan';
import { planRemoved } from './removed';
import { planSets } from './sets';
import { type Findings, joinFindings, leaveAlone } from './steps';

/** A plan for `finishPlan`, which has to hear what the end of its clients does to workspaces. */
export function draftPlan(inputs: PlanInputs, options: PlanOptions, registry: Registry) {
  const context = new Context(inputs, options, registry);
  const { states, ...objects } = planObjects(context);
  const links = planLinks(context, states);
  const unsettled = new Set([...links.unknown, ...links.problems].map(({ address }) => address));
  const sets = planSets(context, states, links.wanted, unsettled);
  const removed = planRemoved(context, states, links, sets.planned);
  const cleanup = { steps: planCleanup(context, states, links.wanted) };
  const all = joinFindings([objects, links, sets, removed, cleanup]);
  const findings = withinLimits(context, withoutDoubtful(context, all));
  const steps = orderSteps(context, findings.steps, sets.listedBeside);
  const held = [...states.keys()].filter((address) => context.bindings.byAddress.has(address));
  const missing = [...states].flatMap(([address, { isMissing }]) => (isMissing ? address : []));
  // A link of a missing object is new with its successor.
  const missingLinks = links.steps.filter(({ reason }) => reason === 'gone');
  return {
    context,
    findings: { ...findings, steps },
    /** Ids of the clients that go. */
    leaving: steps.flatMap(({ action, kind, objectId = [] }) =>
      (action === 'delete' || action === 'cleanup') && !context.isLink(kind) ? objectId : [],
    ),
    /** How many wanted objects the ledger has. */
    held: held.length + links.held,
    missing: [...missing, ...missingLinks.map(({ address }) => address)],
    /** Whether no exact set that has members today lists anything. */
    emptiesSets: sets.emptiesSets,
  };
}

/** The plan with all that stops it; blockers say what lifts them. */
export function finishPlan(draft: ReturnType<typeof draftPlan>, affected: Affected): Plan {
  const { context, findings } = draft;
  const steps = findings.steps.map((step) => askIfUsed(context, step, affected));
  const lost = linksLost(context, steps);
  const deletes = deleteLimit(context, steps, lost, draft.emptiesSets);
  const missing = missingLimit(context, steps, draft);
  return {
    organization: context.organization,
    profileName: context.desired.profileName,
    ...joinFindings([findings, { warnings: lineWarnings(context, steps) }, deletes, missing]),
    ...namesToRecord(context, steps),
    steps: steps.map((step) => withUnlinks(context, step, affected, lost.get(step))),
    blockers: [
      ...protectionBlockers(context, steps),
      ...approvalBlockers(context, steps, affected),
      ...deletes.blockers,
      ...missing.blockers,
    ],
  };
}

/** With the unknown names, and what would go though one of them may mean it or an end of it: that is unknown too. Each address once. */
function withoutDoubtful(context: Context, findings: Required<Findings>): Required<Findings> {
  if (context.unknownNames.size === 0) return { ...findings, unknown: firsts(findings.unknown) };
  const parts = findings.steps.map((step): Findings => {
    const { action, address, key, kind, managed, reason } = step;
    const isGone = reason === 'already-gone';
    const renamed = isGone ? context.renamedEnd(key) : undefined;
    if (renamed !== undefined) return leaveAlone(address, `it is gone, and its line waits: ${renamed}`);
    const last = context.bindings.boundKeys.has(key) ? {} : context.ledger.objects[key]?.values;
    const isEnd = isGone || action === 'delete' || action === 'cleanup';
    const name = isEnd ? context.unknownEnd(kind, { ...last, ...managed }) : undefined;
    return name === undefined
      ? { steps: [step] }
      : leaveAlone(address, `it waits: ${name} is not known, and may be meant here`);
  });
  const names = [...context.unknownNames].map(([name, { at, why }]) =>
    leaveAlone(name, `${renderPosition(at)}: ${why}`),
  );
  const joined = joinFindings([...names, { ...findings, steps: [] }, ...parts]);
  return { ...joined, unknown: firsts(joined.unknown) };
}

/** Of each address the first, in the order of the last. */
function firsts(unknown: Plan['unknown']) {
  const byAddress = new Map(unknown.map((one) => [one.address, one] as const).reverse());
  return [...byAddress.values()].reverse();
}

/** What the names in use mean. One that nobody can tell keeps what it meant, and so does one that is not in use while a link stays that no line means. */
function namesToRecord({ desired, ledger, options }: Context, steps: readonly Step[]): Pick<Plan, 'names'> {
  const { names: before = {} } = ledger;
  const endings = steps.filter(({ action }) => ['delete', 'forget'].includes(action));
  const leaving = new Set(endings.map(({ key }) => key));
  const isAny = Object.keys(before).length > 0;
  const staying = isAny ? Object.keys(ledger.objects).filter((key) => !leaving.has(key)) : [];
  const ends = new Set(staying.flatMap((key) => key.split('/').slice(1)));
  const kept = Object.entries(before).filter(([, id]) => ends.has(id) && !desired.written.has(id));
  const meant = [...desired.named].map(([address, { id }]) => [address, id ?? before[address]] as const);
  const names = Object.fromEntries(
    [...kept, ...meant].filter((one): one is readonly [string, string] => one[1] !== undefined),
  );
  return options.destroy || isDeepStrictEqual(names, before) ? {} : { names };
}

/** Workspaces may use by now what a create left: then it goes only with approval, where the service can tell. */
function askIfUsed(context: Context, step: Step, affected: Affected): Step {
  const { action, address, because, kind, objectId } = step;
  const mayAsk = action === 'cleanup' && context.desired.profile.capabilities.affectedWorkspaces;
  if (!mayAsk || context.isLink(kind) || objectId === undefined || affected[objectId]?.count === 0)
    return step;
  const approval = context.approval('destroy', address, objectId);
  return { ...step, approval, because: `${because}; an entry with this \`id:\` keeps it` };
}

/** The end of an object that is there says what it does to workspaces, and what goes with it. */
function withUnlinks(context: Context, step: Step, affected: Affected, lost: LostLinks = []) {
  const { action, objectId, observed, risks } = step;
  const isEnd = action === 'delete' || action === 'replace' || step.approval !== undefined;
  if (!isEnd || context.isLink(step.kind) || objectId === undefined || observed === undefined) return step;
  const title = lost[0] && context.definition(lost[0].kind).title.toLowerCase();
  const what = action === 'delete' ? `its ${title} go with it` : `${title} that the new one does not get`;
  const ends = lost.map((one) => context.addressOf(one.id)).sort();
  const along = title === undefined ? [] : [`${what}: ${ends.join(', ')}`];
  return { ...step, risks: [unlinkedBy(affected[objectId]), ...risks, ...along] };
}
