/** What the lines under `forget:` name: RULES.md, "Forget lines". */
import { attachmentOf, idOf } from './desired';
import {
  addressIn,
  isUnknownOrProblem,
  keepOldClient,
  keepsOldClient,
  leftAlone,
  type Outcome,
  type Outcomes,
  readOutcome,
} from './outcomes';
import { type PlanOutcomes, subjectOf } from './plan-outcomes';
import { recordedClients, recordedIds, type Situation, seenClient } from './situation';

export interface ForgetLine {
  readonly line: string;
  readonly kind: string;
  /** An entry of the ledger, an object that exists without one, or nothing. It is `unsure` if the service does not tell. */
  readonly names: 'entry' | 'object' | 'nothing' | 'unsure';
}

/** Returns the ids that the client of an attachment may have. */
function clientIds(situation: Situation, text: string): string[] {
  if (text.startsWith('oc-')) return [text];
  const recorded = recordedClients(situation).get(text);
  const named = situation.desired.clients.get(text)?.entry.id;
  return [recorded?.id ?? [], recorded?.retiring ?? [], named ?? []].flat();
}

function namedBy(situation: Situation, line: string): ForgetLine['names'] {
  const { folder, ledger, view } = situation;
  const [kind, one = '', other = ''] = line.split('/');
  const holds = (key: string): boolean => ledger.objects[key] !== undefined;
  if (kind === 'OAuthClient') {
    const isEntry = holds(line) || ledger.pending[line] !== undefined || recordedIds(situation).has(one);
    if (isEntry) return 'entry';
    if (seenClient(situation, one) !== undefined) return 'object';
    return view.list === null ? 'unsure' : 'nothing';
  }
  if (kind === 'RunTrigger') {
    const [target, source] = [one, other].map((text) => idOf(folder, 'workspaces', text, view.names));
    if (holds(`RunTrigger/${target}/${source}`)) return 'entry';
    const isIt = (trigger: { target: string; source: string }) =>
      trigger.target === target && trigger.source === source;
    const inbound = view.inbound.get(target ?? '') ?? null;
    if (inbound?.some(isIt)) return 'object';
    // Only the list of the target has to be read.
    return view.outbound.get(source ?? '')?.some(isIt) ? 'unsure' : 'nothing';
  }
  const project = idOf(folder, 'projects', other, view.names);
  const ids = clientIds(situation, one);
  if (ids.some((id) => holds(`ProjectAttachment/${id}/${project}`))) return 'entry';
  const shown = ids.map((id) => seenClient(situation, id)?.projects);
  if (shown.some((all) => all?.includes(project))) return 'object';
  return situation.lacks.has('projects') || view.list === null ? 'unsure' : 'nothing';
}

export function forgetLines(situation: Situation): ForgetLine[] {
  return situation.folder.forget.map((line) => {
    const [kind = ''] = line.split('/');
    return { line, kind, names: namedBy(situation, line) };
  });
}

/** The subject of a line in a plan. */
function lineSubject(situation: Situation, { fates }: PlanOutcomes, line: string): string {
  const subject = subjectOf(situation, line);
  const [kind, client = '', project = ''] = subject.split('/');
  if (kind !== 'ProjectAttachment' || !client.startsWith('oc-')) return subject;
  const name = fates.nameOf(client);
  return fates.names.includes(name) ? attachmentOf(name, project) : subject;
}

/** A line that names nothing holds the deletes of its kind, and is reported with them. Without such deletes it is a note. */
export function holdForLines(situation: Situation, plan: PlanOutcomes, all: Outcomes, kind: string): void {
  const lines = forgetLines(situation).filter(
    (line) => line.kind === kind && /nothing|unsure/u.test(line.names),
  );
  if (lines.length === 0) return;
  const isSure = lines.some(({ names }) => names === 'nothing');
  const isDelete = (outcome: Outcome): boolean => readOutcome(outcome).action === 'delete';
  const isWholeReplace = (outcome: Outcome): boolean =>
    readOutcome(outcome).action === 'replace' && !keepsOldClient(outcome);
  let mayDelete = false;
  let mustDelete = false;
  for (const [subject, outcomes] of [...all]) {
    const base = addressIn(subject);
    const ends = [...outcomes].filter((outcome) => isDelete(outcome) || isWholeReplace(outcome));
    if (!base.startsWith(`${kind}/`) || ends.length === 0) continue;
    mayDelete = true;
    mustDelete ||= ends.length === outcomes.size;
    const kept = [...outcomes].filter((outcome) => !isSure || !ends.includes(outcome));
    const instead = ends.flatMap((end) => (isDelete(end) ? leftAlone : [keepOldClient(end)]));
    all.set(subject, new Set<Outcome>([...kept, ...instead]));
    if (base !== subject)
      all.set(base, new Set([...(all.get(base) ?? ['nothing' as const]), 'unknown', 'problem']));
  }
  const isInDoubt = [...plan.outcomes.values()].some(isUnknownOrProblem);
  for (const { line, names } of lines) {
    const subject = lineSubject(situation, plan, line);
    const outcomes = all.get(subject) ?? [];
    if (mustDelete && names === 'nothing') all.set(subject, new Set([...outcomes, 'unknown', 'problem']));
    else if (mayDelete || isInDoubt) all.set(subject, new Set([...outcomes, ...leftAlone]));
  }
}
