/** The oracle for clients that are not deleted in this plan, although nothing declares them: RULES.md, "Clients that stay". */
import { forgetLines, holdForLines } from './forget-lines';
import {
  addressIn,
  isUnknownOrProblem,
  keepOldClient,
  leftAlone,
  type Outcome,
  type Outcomes,
  objectIdIn,
  readOutcome,
} from './outcomes';
import type { PlanOutcomes } from './plan-outcomes';
import { clientKey, dropsProject, keepsPredecessor, recordedClients, type Situation } from './situation';

/** Whether a declared client cannot be made in this plan. It is `maybe` for one that exists, and may need a successor. */
function hasUncreatedClient(situation: Situation, plan: PlanOutcomes): 'no' | 'maybe' | 'yes' {
  const { desired, destroy, ledger } = situation;
  if (destroy) return 'no';
  const left = [...desired.clients.values()].filter(({ name }) =>
    isUnknownOrProblem(plan.outcomes.get(clientKey(name))),
  );
  const isNew = left.some(
    ({ name, entry }) =>
      entry.id === undefined &&
      !recordedClients(situation).has(name) &&
      ledger.pending[clientKey(name)] === undefined,
  );
  return isNew ? 'yes' : left.length > 0 ? 'maybe' : 'no';
}

/** True if the old client of a replace stays, because a line forgets it, another entry adopts it, or a link of it is in doubt. */
function isPredecessorKept(situation: Situation, name: string, id: string): boolean {
  const { desired } = situation;
  const isClaimed = [...desired.clients.values()].some(
    (client) => client.entry.id === id && client.name !== name,
  );
  return isClaimed || desired.forget.has(clientKey(id)) || keepsPredecessor(situation, name, id);
}

const nameIn = (subject: string): string => subject.replace(clientKey(''), '');

/** Returns the outcomes with those deletes left out that wait for something else in the plan. */
export function keepClients(situation: Situation, outcomes: Outcomes, plan: PlanOutcomes): Outcomes {
  const uncreated = hasUncreatedClient(situation, plan);
  // A line for an attachment may mean one that only a predecessor has.
  const lines = forgetLines(situation).filter(({ kind }) => kind === 'ProjectAttachment');
  const isLineIdle = lines.some(({ names }) => names === 'nothing');
  const isHeld =
    situation.lacks.has('projects') || isLineIdle || lines.some(({ names }) => names === 'unsure');
  const outcomesAfterHolding: Outcomes = new Map();
  // A predecessor that waits is reported at its address.
  const waiting = new Set<string>();
  for (const [subject, subjectOutcomes] of outcomes) {
    const acceptable = new Set<Outcome>();
    const isPredecessor = objectIdIn(subject) !== undefined;
    for (const outcome of subjectOutcomes) {
      const { action, id } = readOutcome(outcome);
      if (action === 'replace' && isLineIdle && dropsProject(situation, nameIn(subject), id)) {
        acceptable.add('unknown');
      } else if (action === 'replace') {
        const isSure = isPredecessorKept(situation, nameIn(subject), id);
        if (!isSure) acceptable.add(outcome);
        if (isSure || isHeld || uncreated !== 'no') acceptable.add(keepOldClient(outcome));
      } else if (action === 'delete' && (uncreated !== 'no' || (isPredecessor && isHeld))) {
        for (const left of leftAlone) acceptable.add(left);
        // The section says it of clients that nothing declares. It leaves open whether a predecessor of a declared one waits.
        if (isPredecessor || uncreated === 'maybe') acceptable.add(outcome);
        if (isPredecessor) waiting.add(addressIn(subject));
      } else acceptable.add(outcome);
      // The line counts before what stops the successor.
      if (outcome === 'problem' && isLineIdle) acceptable.add('unknown');
    }
    outcomesAfterHolding.set(subject, acceptable);
  }
  for (const subject of waiting)
    outcomesAfterHolding.set(subject, new Set([...(outcomesAfterHolding.get(subject) ?? []), 'unknown']));
  holdForLines(situation, plan, outcomesAfterHolding, 'OAuthClient');
  return outcomesAfterHolding;
}
