/** The oracle for clients that are not deleted in this plan, although nothing declares them: RULES.md, "Clients that stay". */
import type { Outcomes } from './expect-clients';
import { leftAlone } from './fates';
import { forgetLines, holdForLines } from './forget-lines';
import { keepsOldClient, type PlanOutcomes } from './plan-outcomes';
import { clientKey, keepsOld, recordedClients, type Situation } from './situation';

const isLeft = (outcome: string | undefined): boolean => outcome === 'unknown' || outcome === 'problem';

/** Whether a declared client cannot be made in this plan. It is `maybe` for one that exists, and may need a successor. */
function unmade(situation: Situation, plan: PlanOutcomes): 'no' | 'maybe' | 'yes' {
  const { desired, destroy, ledger } = situation;
  if (destroy) return 'no';
  const left = [...desired.clients.values()].filter(({ name }) => isLeft(plan.outcomes.get(clientKey(name))));
  const isNew = left.some(
    ({ name, entry }) =>
      entry.id === undefined &&
      !recordedClients(situation).has(name) &&
      ledger.pending[clientKey(name)] === undefined,
  );
  return isNew ? 'yes' : left.length > 0 ? 'maybe' : 'no';
}

/** True if the old client of a replace stays, because another entry adopts it or a link of it is in doubt. */
function isPredecessorKept(situation: Situation, name: string, id: string): boolean {
  const { desired } = situation;
  const isClaimed = [...desired.clients.values()].some((one) => one.entry.id === id && one.name !== name);
  return isClaimed || keepsOld(situation, name, id);
}

/** Returns the outcomes with those deletes left out that wait for something else in the plan. */
export function keepClients(situation: Situation, outcomes: Outcomes, plan: PlanOutcomes): Outcomes {
  const unmadeOne = unmade(situation, plan);
  // A line for an attachment may mean one that only a predecessor has.
  const isHeld =
    situation.lacks.has('projects') ||
    forgetLines(situation).some(
      ({ kind, names }) => kind === 'ProjectAttachment' && (names === 'nothing' || names === 'unsure'),
    );
  const kept: Outcomes = new Map();
  // A predecessor that waits is reported at its address.
  const waiting = new Set<string>();
  for (const [subject, some] of outcomes) {
    const own = new Set<string>();
    const isOld = subject.includes('#');
    for (const outcome of some) {
      const [action, id = ''] = outcome.split(' ');
      if (action === 'replace') {
        const isSure = isPredecessorKept(situation, subject.replace(clientKey(''), ''), id);
        if (!isSure) own.add(outcome);
        if (isSure || isHeld || unmadeOne !== 'no') own.add(outcome + keepsOldClient);
      } else if (action === 'delete' && (unmadeOne !== 'no' || (isOld && isHeld))) {
        for (const one of leftAlone) own.add(one);
        if (isOld || unmadeOne === 'maybe') own.add(outcome);
        if (isOld) waiting.add(subject.split('#')[0] ?? '');
      } else own.add(outcome);
    }
    kept.set(subject, own);
  }
  for (const subject of waiting) kept.set(subject, new Set([...(kept.get(subject) ?? []), 'unknown']));
  holdForLines(situation, plan, kept, 'OAuthClient');
  return kept;
}
