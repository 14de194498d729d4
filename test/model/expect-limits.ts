/** The oracle for blockers: missing approvals, the limit on losses, and missing values of secrets: RULES.md, "What a plan counts". */
import type { SecretField } from './manifests';
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
  /** The decision of the limit on losses. It is `maybe` if RULES.md leaves the count open. */
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
      if (seen?.projects !== undefined && !seen.projects.includes(other)) {
        lose(desired.attachments.has(`ProjectAttachment/${fates.nameOf(one)}/${other}`));
      }
    }
    if (kind === 'RunTrigger') {
      const lists = [view.inbound.get(one) ?? null, view.outbound.get(other) ?? null];
      const seen = lists.flatMap((list) => list ?? []).filter((x) => x.target === one && x.source === other);
      const isShown = object.id !== undefined && view.shownTriggers.has(object.id);
      if (seen.some(({ id }) => id === object.id) || isShown) continue;
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
  const newSets = newSetDeletes(situation, plan);
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
  const seen = seenObjects(situation);
  const limitFor = (objects: number): number => Math.max(5, Math.floor(0.3 * (objects + unmanaged)));
  const isAll = held > 0 && !isAnyKept(situation, plan, true);
  const mayBeAll = held > 0 && !isAnyKept(situation, plan, false);
  if (count.least > limitFor(seen.most) || (isAll && count.least > 1) || newSets.least > 0) return 'stop';
  const isOver = count.most > limitFor(seen.least) || newSets.most > 0;
  return isOver || (mayBeAll && count.most > 1) ? 'maybe' : 'pass';
}

/** Counts the recorded objects that are seen. Links whose client goes may count or not. */
function seenObjects(situation: Situation): Count {
  const { ledger, view } = situation;
  const count: Count = { least: 0, most: 0 };
  for (const [key, { id = '', retiring = [] }] of Object.entries(ledger.objects)) {
    const [kind, one = '', other = ''] = key.split('/');
    if (kind === 'OAuthClient') {
      const present = [id, ...retiring].filter((each) => seenClient(situation, each) !== undefined).length;
      count.least += present;
      count.most += present;
    } else if (kind === 'ProjectAttachment') {
      if (seenClient(situation, one)?.projects?.includes(other)) count.most += 1;
    } else {
      const lists = [view.inbound.get(one) ?? [], view.outbound.get(other) ?? []].flat();
      if (lists.some((trigger) => trigger.id === id)) count.least += 1;
      // Another trigger of the pair may count as the recorded one.
      if (
        lists.some(({ target, source }) => target === one && source === other) ||
        view.shownTriggers.has(id)
      )
        count.most += 1;
    }
  }
  return count;
}

/** Counts the deletes of unmanaged links at a set of which the ledger has no link. Of two sets around a link, one may have some. */
function newSetDeletes(situation: Situation, plan: PlanOutcomes): Count {
  const count: Count = { least: 0, most: 0 };
  for (const [subject, some] of plan.steps) {
    for (const { action, unmanaged, key } of some) {
      if (action !== 'delete' || !unmanaged) continue;
      const isNew = setsAround(situation, key, subject.split('/')[1] ?? '');
      if (isNew.includes(true)) count.most += 1;
      if (isNew.length > 0 && !isNew.includes(false)) count.least += 1;
    }
  }
  return count;
}

/** Returns for each set that covers a link whether the ledger has no link of it. */
function setsAround({ desired, ledger }: Situation, key: readonly string[], client: string): boolean[] {
  const [kind = '', one = '', other = ''] = key;
  const held = Object.keys(ledger.objects).map((text) => text.split('/'));
  const isNew = (at: 1 | 2): boolean => !held.some((parts) => parts[0] === kind && parts[at] === key[at]);
  if (kind === 'ProjectAttachment') return desired.exactProjects.has(client) ? [isNew(1)] : [];
  return [...(desired.inSets.has(one) ? [isNew(1)] : []), ...(desired.outSets.has(other) ? [isNew(2)] : [])];
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
    if (kind === 'ProjectAttachment') {
      const isShown = seenClient(situation, one)?.projects !== undefined;
      return isKept(one) && !ended.has(text) && (isInDoubt || isShown);
    }
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
export function writtenSecrets(
  situation: Situation,
  name: string,
  steps: readonly PlannedStep[],
): SecretField[] {
  const wanted = situation.desired.clients.get(name);
  if (wanted === undefined || situation.destroy) return [];
  const actions = steps.map(({ action }) => action);
  if (actions.includes('create') || actions.includes('replace'))
    return Object.keys(wanted.entry.secrets) as SecretField[];
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
    return fields.flatMap((field) => {
      const { [field]: source = '' } = entry.secrets;
      return situation.secretOf(field, source) === undefined ? [source] : [];
    });
  });
  return {
    approvals: missingApprovals(situation, plan),
    losses: lossesOf(situation, plan, maxDeletes),
    secrets,
  };
}
