/** Makes a plan from manifests, ledger and observation. It uses no clock, no randomness and no I/O. */
import { registry } from '../../resources/registry';
import { headOf } from '../ledger/ledger';
import { bindClients } from './bind';
import { planClients } from './clients';
import { Draft } from './draft';
import type { Facts } from './facts';
import { approvalBlockers, lossGuard, unusedApprovals } from './guards';
import { planLinks } from './links';
import type { Plan, Step } from './plan';

export function planChanges(facts: Facts): Plan {
  const draft = new Draft();
  planClients(facts, draft, bindClients(facts, draft));
  planLinks(facts, draft);
  const steps = inOrder(draft.steps);
  const { problems, unknown } = draft;
  const managed = steps.filter((step) => !step.unmanaged);
  const touched = new Set([managed, problems, unknown].flat().map(({ address }) => address));
  const { ledger, manifests, place } = facts.inputs;
  const losses = lossGuard(facts, steps, draft.leaving);
  return {
    organization: facts.organization,
    address: facts.inputs.observed.address,
    profileName: manifests.profileName,
    ledger: headOf(ledger, place),
    steps,
    problems,
    unknown: [...facts.unknownNames, ...unknown],
    blockers: [...approvalBlockers(facts, steps), ...losses.blockers],
    losses: losses.losses,
    notes: [...draft.notes, ...losses.notes, ...unusedApprovals(facts, steps, [...problems, ...unknown])],
    unchanged: facts.entries.filter(({ address }) => !touched.has(address)).length,
    toRecord: draft.toRecord,
  };
}

const phases: Readonly<Record<Step['action'], number>> = {
  forget: 0,
  move: 0,
  adopt: 1,
  create: 2,
  replace: 3,
  update: 4,
  delete: 5,
};

/** Sorts each step after those that it waits for. Otherwise the action decides, then the kind, then the order of planning. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const ranks = new Map(registry.map(({ kind }, index) => [kind, index]));
  const rank = (step: Step) => phases[step.action] * ranks.size + (ranks.get(step.kind) ?? 0);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ordered = new Set<Step>();
  const add = (step: Step): void => {
    if (ordered.has(step)) return;
    for (const id of [...step.needs, ...(step.after ?? [])]) {
      const before = byId.get(id);
      if (before !== undefined) add(before);
    }
    ordered.add(step);
  };
  for (const step of steps.toSorted((left, right) => rank(left) - rank(right))) add(step);
  return [...ordered];
}
