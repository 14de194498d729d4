/** The oracle for blockers: missing approvals, the limit on losses, and missing values of secrets. */
import type { PlannedStep } from './outcome';
import type { PlanOutcomes } from './plan-outcomes';
import type { RealTrigger } from './reality';
import {
  clientKey,
  presenceOf,
  recordedClients,
  type Situation,
  secretsToWrite,
  seenClient,
} from './situation';

/** A line under `approved:` that is missing. */
export interface Missing {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
}

export interface Limits {
  readonly approvals: readonly Missing[];
  /** The decision of the limit on losses. It is `maybe` if design.md leaves the count open. */
  readonly losses: 'stop' | 'pass' | 'maybe';
  /** Variables without a value that a step must write. */
  readonly secrets: readonly string[];
}

function isApproved({ desired }: Situation, { action, address, id }: Missing, isRetiring: boolean): boolean {
  return desired.approved.some((line) => {
    if (line.id !== id) return false;
    if ('destroy' in line) return action === 'destroy' && line.destroy === address;
    return (action === 'replace' || isRetiring) && line.replace === address;
  });
}

/** Returns the approvals that a plan needs and the manifest lacks. */
function missingApprovals(situation: Situation, { steps }: PlanOutcomes): Missing[] {
  const missing: Missing[] = [];
  for (const [subject, some] of steps) {
    for (const { kind, action, address, objectId = '' } of some) {
      if (kind !== 'OAuthClient' || (action !== 'delete' && action !== 'replace')) continue;
      const needed = { action: action === 'delete' ? 'destroy' : 'replace', address, id: objectId } as const;
      if (!isApproved(situation, needed, subject.includes('#'))) missing.push(needed);
    }
  }
  return missing;
}

interface Count {
  least: number;
  most: number;
}

/** Counts missing managed objects. Undeclared ones may count or not. */
function missingObjects(situation: Situation, { fates }: PlanOutcomes): Count {
  const { ledger, desired, view, destroy } = situation;
  const count: Count = { least: 0, most: 0 };
  const lose = (isDeclared: boolean): void => {
    count.most += 1;
    if (isDeclared && !destroy) count.least += 1;
  };
  const clients = recordedClients(situation);
  for (const [name, { id, createdAt, retiring = [] }] of clients) {
    if (presenceOf(situation, id, createdAt) === 'missing') lose(desired.clients.has(name));
    count.most += retiring.filter((one) => presenceOf(situation, one) === 'missing').length;
  }
  for (const [key, object] of Object.entries(ledger.objects)) {
    const [kind, one = '', other = ''] = key.split('/');
    if (kind === 'ProjectAttachment') {
      const seen = seenClient(situation, one);
      if (seen !== undefined && !seen.projects.includes(other)) {
        lose(desired.attachments.has(`ProjectAttachment/${fates.nameOf(one)}/${other}`));
      }
    }
    if (kind === 'RunTrigger') {
      const lists = [view.inbound.get(one) ?? null, view.outbound.get(other) ?? null];
      const seen = lists.flatMap((list) => list ?? []).filter((x) => x.target === one && x.source === other);
      const isShown = object.id !== undefined && view.shownTriggers.has(object.id);
      const isYoung =
        object.createdAt !== undefined && situation.now - Date.parse(object.createdAt) < 120_000;
      if (seen.some(({ id }) => id === object.id) || isShown || isYoung) continue;
      // If a list is closed or the pair was made again, it may be missing or not.
      if (seen.length > 0 || lists.includes(null)) count.most += 1;
      else lose(desired.triggers.has(key));
    }
  }
  return count;
}

function lossesOf(
  situation: Situation,
  plan: PlanOutcomes,
  maxDeletes: number | undefined,
): Limits['losses'] {
  if (maxDeletes !== undefined) return 'pass';
  const { ledger } = situation;
  const count = missingObjects(situation, plan);
  let unmanaged = 0;
  for (const [subject, some] of plan.steps) {
    for (const { action, kind, unmanaged: isUnmanaged } of some) {
      if (action === 'replace' && kind === 'OAuthClient') count.most += 1;
      if (action !== 'delete') continue;
      const goesAlong = subject.startsWith('ProjectAttachment/') && isGoing(plan, subject);
      count.most += 1;
      if (!subject.startsWith('OAuthClient/') || !subject.includes('#')) count.least += goesAlong ? 0 : 1;
      if (isUnmanaged) unmanaged += 1;
    }
  }
  const held = Object.keys(ledger.objects).length;
  const limit = Math.max(5, Math.floor(0.3 * (held + unmanaged)));
  const isAll = held > 0 && !isAnyKept(situation, plan, true);
  const mayBeAll = held > 0 && !isAnyKept(situation, plan, false);
  if (count.least > limit || (isAll && count.least > 1)) return 'stop';
  return count.most > limit || (mayBeAll && count.most > 1) ? 'maybe' : 'pass';
}

/** True if a recorded object is seen that no step ends. Triggers that are unknown and clients that are replaced are in doubt. */
function isAnyKept(situation: Situation, { steps, outcomes }: PlanOutcomes, isInDoubt: boolean): boolean {
  const { ledger, view } = situation;
  const ended = new Set(
    [...steps.values()].flat().flatMap(({ action, kind, key, objectId = '' }) => {
      if (action === 'replace' && !isInDoubt) return [objectId];
      if (action !== 'delete') return [];
      return kind === 'ProjectAttachment' ? [key.join('/')] : [objectId];
    }),
  );
  const isKept = (id: string): boolean => !ended.has(id) && seenClient(situation, id) !== undefined;
  return Object.entries(ledger.objects).some(([text, { id = '', retiring = [] }]) => {
    const [kind, one = '', other = ''] = text.split('/');
    if (kind === 'OAuthClient') return [id, ...retiring].some(isKept);
    if (kind === 'ProjectAttachment') return isKept(one) && !ended.has(text);
    const lists = [view.inbound.get(one) ?? [], view.outbound.get(other) ?? []].flat();
    // A pair that was made again may count as kept.
    const isAgain = ({ target, source }: RealTrigger) => isInDoubt && target === one && source === other;
    const isSeen =
      lists.some((trigger) => trigger.id === id || isAgain(trigger)) || view.shownTriggers.has(id);
    return isSeen && !ended.has(id) && (isInDoubt || outcomes.get(text) !== 'unknown');
  });
}

function isGoing({ fates }: PlanOutcomes, subject: string): boolean {
  const { state } = fates.of(subject.split('/')[1] ?? '');
  return subject.includes('#') || state === 'goes' || state === 'replaced';
}

/** Returns the fields of the secrets that the steps of a client write. */
export function writtenSecrets(situation: Situation, name: string, steps: readonly PlannedStep[]): string[] {
  const wanted = situation.desired.clients.get(name);
  if (wanted === undefined || situation.destroy) return [];
  const actions = steps.map(({ action }) => action);
  if (actions.includes('create') || actions.includes('replace')) return Object.keys(wanted.entry.secrets);
  if (!actions.some((action) => ['update', 'adopt', 'move'].includes(action))) return [];
  return secretsToWrite(situation, wanted, digestsOf(situation, name, steps)).update;
}

function digestsOf(situation: Situation, name: string, steps: readonly PlannedStep[]) {
  const [adopt] = steps.filter(({ action }) => action === 'adopt');
  const [move] = steps.filter(({ action }) => action === 'move');
  if (adopt?.reason === 'taken-over') return situation.ledger.pending[clientKey(name)]?.digests ?? {};
  if (adopt !== undefined) return {};
  const held = [...recordedClients(situation).entries()].find(([one, { id }]) =>
    move === undefined ? one === name : id === move.objectId,
  );
  return held?.[1].digests ?? {};
}

export function limitsOf(situation: Situation, plan: PlanOutcomes, maxDeletes: number | undefined): Limits {
  const secrets = [...situation.desired.clients.values()].flatMap(({ name, entry }) => {
    const fields = writtenSecrets(situation, name, plan.steps.get(clientKey(name)) ?? []);
    return fields.flatMap((field) => entry.secrets[field as keyof typeof entry.secrets] ?? []);
  });
  return {
    approvals: missingApprovals(situation, plan),
    losses: lossesOf(situation, plan, maxDeletes),
    secrets: secrets.filter((source) => situation.secretOf(source) === undefined),
  };
}
