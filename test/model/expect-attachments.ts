/**
 * The oracle for attachments: each acceptable outcome, given what the plan does with their clients.
 * The rules are RULES.md, "Recorded, declared, seen" and RULES.md, "Links that stay".
 */
import { attachmentOf } from './desired';
import type { Fate } from './fates';
import { leftAlone, type Outcome, type Outcomes, outcomesIf, toObjectSubject } from './outcomes';
import type { PlanOutcomes } from './plan-outcomes';
import {
  hasUnknownProject,
  isAttachmentRecorded,
  mayBeMeant,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';

/** A run with an unknown name deletes no link. */
function withoutDeletes(situation: Situation, outcomes: readonly Outcome[]): Outcome[] {
  if (!situation.desired.hasUnknownNames) return [...outcomes];
  const kept = outcomes.filter((outcome) => outcome !== 'delete');
  return kept.length < outcomes.length ? [...kept, ...leftAlone] : kept;
}

function attachmentOutcomes(
  situation: Situation,
  fate: Fate,
  pair: { name: string; project: string; isRecorded: boolean; isExact: boolean },
): Outcome[] {
  const { desired, destroy } = situation;
  const subject = attachmentOf(pair.name, pair.project);
  const isDeclared = !destroy && desired.attachments.has(subject);
  const id = 'id' in fate ? fate.id : undefined;
  // A line may name the client by its id or by the address that the ledger has.
  const holders = [...recordedClients(situation)].filter(([, one]) => one.id === id);
  const names = [pair.name, ...(id ? [id] : []), ...holders.map(([name]) => name)];
  const spellings = names.map((name) => attachmentOf(name, pair.project));
  switch (fate.state) {
    case 'made':
      return isDeclared ? ['create'] : ['nothing'];
    case 'replaced':
      return isDeclared
        ? ['create', 'adopt', 'move', 'nothing', ...outcomesIf(situation.lacks.has('projects'), 'unknown')]
        : ['nothing', 'forget', 'delete'];
    case 'goes':
      return ['nothing', 'forget', 'delete'];
    case 'forgotten':
      return isDeclared ? [...leftAlone] : ['nothing', 'forget'];
    case 'left': {
      // Perhaps only a predecessor of the client is left alone, or its scope.
      const hasOld = (recordedClients(situation).get(pair.name)?.retiring ?? []).length > 0;
      const kept =
        (hasOld || hasUnknownProject(situation, pair.name)) && fate.id
          ? attachmentOutcomes(situation, { state: 'kept', id: fate.id }, pair)
          : [];
      return [
        ...leftAlone,
        ...kept,
        ...outcomesIf(
          spellings.some((spelling) => desired.forget.has(spelling)),
          'forget',
        ),
      ];
    }
    case 'kept': {
      const shown = seenClient(situation, fate.id)?.projects;
      const isLetGo = spellings.some((spelling) => desired.forget.has(spelling));
      // What an answer lacks is no evidence.
      if (shown === undefined && isDeclared) return ['unknown', 'problem'];
      if (shown === undefined) return isLetGo && pair.isRecorded ? ['forget'] : [...leftAlone];
      const isThere = shown.includes(pair.project);
      if (isDeclared) return [isThere ? (pair.isRecorded ? 'nothing' : 'adopt') : 'create'];
      if (isLetGo) return [pair.isRecorded ? 'forget' : 'nothing'];
      if (pair.isRecorded && !isThere)
        return ['forget', ...outcomesIf(mayBeMeant(situation, subject), 'nothing', 'unknown')];
      if (pair.isRecorded) return withoutDeletes(situation, ['delete']);
      return withoutDeletes(situation, [isThere && pair.isExact && !destroy ? 'delete' : 'nothing']);
    }
  }
}

/** Attachments follow their client. */
export function expectAttachments(
  situation: Situation,
  { fates, outcomes: planned }: PlanOutcomes,
  all: Outcomes,
): void {
  const { desired, ledger, destroy } = situation;
  const recorded = Object.keys(ledger.objects).flatMap((key) => {
    const [kind, id = '', project = ''] = key.split('/');
    return kind === 'ProjectAttachment' ? [{ id, project }] : [];
  });
  for (const { id, project } of recorded) {
    if (fates.isCurrent(id)) continue;
    const name = fates.nameOf(id);
    const { state } = fates.of(name);
    const isKept = state === 'forgotten' || state === 'left';
    all.set(
      toObjectSubject(attachmentOf(name, project), id),
      new Set<Outcome>(isKept ? leftAlone.concat('forget') : ['nothing', 'forget', 'delete']),
    );
  }
  for (const name of fates.names) {
    const fate = fates.of(name);
    const id =
      fate.state === 'kept' || fate.state === 'replaced' || fate.state === 'left' ? fate.id : undefined;
    const projects = id === undefined ? [] : recorded.map(({ project }) => project);
    const own = projects.filter((project) => isAttachmentRecorded(situation, name, id ?? '', project));
    const seen = id === undefined ? [] : (seenClient(situation, id)?.projects ?? []);
    const declared = [...desired.attachments.values()].filter(({ client }) => client === name);
    // A member that cannot be named stops the set.
    const isWhole = !hasUnknownProject(situation, name);
    const isExact = desired.exactProjects.has(name) && isWhole;
    for (const project of new Set([...own, ...seen, ...declared.map((one) => one.project)])) {
      const pair = { name, project, isRecorded: own.includes(project), isExact };
      // A line of a client that is left alone may mean the same object.
      const mayBeMeant = [...desired.attachments.values()].some(
        (attachment) => attachment.project === project && fates.of(attachment.client).state === 'left',
      );
      const isBesideUnknown = [...desired.attachments].some(
        ([subject, one]) => !destroy && one.project === project && planned.get(subject) === 'unknown',
      );
      const outcomes = attachmentOutcomes(situation, fate, pair).filter(
        (outcome) => outcome !== 'delete' || !isBesideUnknown,
      );
      const isLeft = mayBeMeant || isBesideUnknown;
      all.set(attachmentOf(name, project), new Set(isLeft ? outcomes.concat(leftAlone) : outcomes));
    }
  }
}
