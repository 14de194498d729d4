/** The oracle for blockers: missing approvals, the limit on losses, and missing values of secrets: RULES.md, "What a plan counts". */
import type { SecretField } from './manifests';
import { objectIdIn, toObjectSubject } from './outcomes';
import type { PlanOutcomes } from './plan-outcomes';
import type { RealTrigger, View } from './reality';
import {
  clientKey,
  findPresence,
  isAttachmentRecorded,
  recordedClients,
  type Situation,
  secretsToWrite,
  seenClient,
} from './situation';
import type { PlannedStep } from './tool';

/** A line under `approved:` that is missing. */
export interface MissingApproval {
  readonly action: 'destroy' | 'replace';
  readonly address: string;
  readonly id: string;
}

export interface Limits {
  readonly approvals: readonly MissingApproval[];
  /** The decision of the limit on losses. It is `maybe` if RULES.md leaves the count open. */
  readonly losses: 'stop' | 'pass' | 'maybe';
  /** Variables without a value that a step must write. */
  readonly secrets: readonly string[];
}

function isApproved(
  { desired }: Situation,
  { action, address, id }: MissingApproval,
  isRetiring: boolean,
): boolean {
  return desired.approved.some((line) => {
    if (line.id !== id) return false;
    if ('destroy' in line) return action === 'destroy' && line.destroy === address;
    return (action === 'replace' || isRetiring) && line.replace === address;
  });
}

/** Returns the approvals that a plan needs and the manifest lacks. */
function missingApprovals(situation: Situation, { steps }: PlanOutcomes): MissingApproval[] {
  const missing: MissingApproval[] = [];
  for (const [subject, subjectSteps] of steps) {
    for (const { kind, action, address, objectId = '' } of subjectSteps) {
      if (kind !== 'OAuthClient' || (action !== 'delete' && action !== 'replace')) continue;
      const needed = { action: action === 'delete' ? 'destroy' : 'replace', address, id: objectId } as const;
      if (!isApproved(situation, needed, objectIdIn(subject) !== undefined)) missing.push(needed);
    }
  }
  return missing;
}

/** A count that RULES.md leaves open between these numbers. */
interface Count {
  min: number;
  max: number;
}

/** Counts missing managed objects. Undeclared ones may count or not. */
function missingObjects(situation: Situation, { fates }: PlanOutcomes): Count {
  const { ledger, desired, view, destroy } = situation;
  const count: Count = { min: 0, max: 0 };
  const lose = (isDeclared: boolean): void => {
    count.max += 1;
    if (isDeclared && !destroy) count.min += 1;
  };
  const clients = recordedClients(situation);
  for (const [name, { id, createdAt, retiring = [] }] of clients) {
    if (findPresence(situation, id, createdAt) === 'missing') lose(desired.clients.has(name));
    count.max += retiring.filter((old) => findPresence(situation, old) === 'missing').length;
  }
  for (const [key, object] of Object.entries(ledger.objects)) {
    const [kind, first = '', second = ''] = key.split('/');
    if (kind === 'ProjectAttachment') {
      const [client, project] = [first, second];
      const seen = seenClient(situation, client);
      if (seen?.projects !== undefined && !seen.projects.includes(project)) {
        lose(desired.attachments.has(`ProjectAttachment/${fates.nameOf(client)}/${project}`));
      }
    }
    if (kind === 'RunTrigger') {
      const [target, source] = [first, second];
      const lists = [view.inbound.get(target) ?? null, view.outbound.get(source) ?? null];
      const seen = listedTriggers(view, target, source);
      const isShown = object.id !== undefined && view.shownTriggers.has(toObjectSubject(key, object.id));
      if (seen.some(({ id }) => id === object.id) || isShown) continue;
      // If a list is closed or the pair was made again, it may be missing or not.
      if (seen.length > 0 || lists.includes(null)) count.max += 1;
      else lose(desired.triggers.has(key));
    }
  }
  return count;
}

/** Decides about the limit on losses. */
function judgeLosses(
  situation: Situation,
  plan: PlanOutcomes,
  maxDeletes: number | undefined,
): Limits['losses'] {
  if (maxDeletes !== undefined) return 'pass';
  const { ledger } = situation;
  const count = missingObjects(situation, plan);
  const newSets = newSetDeletes(situation, plan);
  let unmanaged = 0;
  for (const [subject, subjectSteps] of plan.steps) {
    for (const { action, kind, unmanaged: isUnmanaged } of subjectSteps) {
      if (action === 'replace' && kind === 'OAuthClient') count.max += 1;
      if (action !== 'delete') continue;
      const goesAlong = subject.startsWith('ProjectAttachment/') && endsWithClient(plan, subject);
      count.max += 1;
      if (!subject.startsWith('OAuthClient/') || objectIdIn(subject) === undefined)
        count.min += goesAlong ? 0 : 1;
      if (isUnmanaged) unmanaged += 1;
    }
  }
  const held = Object.keys(ledger.objects).length;
  const seen = seenObjects(situation);
  const limitFor = (objects: number): number => Math.max(5, Math.floor(0.3 * (objects + unmanaged)));
  const isAll = held > 0 && !isAnyKept(situation, plan, true);
  const mayBeAll = held > 0 && !isAnyKept(situation, plan, false);
  if (count.min > limitFor(seen.max) || (isAll && count.min > 1) || newSets.min > 0) return 'stop';
  const isOver = count.max > limitFor(seen.min) || newSets.max > 0;
  return isOver || (mayBeAll && count.max > 1) ? 'maybe' : 'pass';
}

/** Returns the triggers of a pair in the lists of its ends. */
function listedTriggers({ inbound, outbound }: View, target: string, source: string): RealTrigger[] {
  const lists = [inbound.get(target) ?? [], outbound.get(source) ?? []];
  return lists.flat().filter((trigger) => trigger.target === target && trigger.source === source);
}

/** Counts the recorded objects that are seen. Links whose client goes may count or not. */
function seenObjects(situation: Situation): Count {
  const { ledger, view } = situation;
  const count: Count = { min: 0, max: 0 };
  for (const [key, { id = '', retiring = [] }] of Object.entries(ledger.objects)) {
    const [kind, first = '', second = ''] = key.split('/');
    if (kind === 'OAuthClient') {
      const present = [id, ...retiring].filter((each) => seenClient(situation, each) !== undefined).length;
      count.min += present;
      count.max += present;
    } else if (kind === 'ProjectAttachment') {
      if (seenClient(situation, first)?.projects?.includes(second)) count.max += 1;
    } else {
      const triggers = listedTriggers(view, first, second);
      if (triggers.some((trigger) => trigger.id === id)) count.min += 1;
      // Another trigger of the pair may count as the recorded one.
      if (triggers.length > 0 || view.shownTriggers.has(toObjectSubject(key, id))) count.max += 1;
    }
  }
  return count;
}

/** Counts the deletes of unmanaged links at a set of which the ledger has no link. Of two sets around a link, one may have some. */
function newSetDeletes(situation: Situation, plan: PlanOutcomes): Count {
  const count: Count = { min: 0, max: 0 };
  for (const [subject, subjectSteps] of plan.steps) {
    for (const { action, unmanaged, key } of subjectSteps) {
      if (action !== 'delete' || !unmanaged) continue;
      const isNew = setsAround(situation, key, subject.split('/')[1] ?? '');
      if (isNew.includes(true)) count.max += 1;
      if (isNew.length > 0 && !isNew.includes(false)) count.min += 1;
    }
  }
  return count;
}

/** Returns for each set that covers a link whether the ledger has no link of it. */
function setsAround(situation: Situation, key: readonly string[], client: string): boolean[] {
  const { desired, ledger } = situation;
  const [kind = '', target = '', source = ''] = key;
  const held = Object.keys(ledger.objects).map((text) => text.split('/'));
  const isNew = (at: 1 | 2): boolean => !held.some((parts) => parts[0] === kind && parts[at] === key[at]);
  if (kind === 'ProjectAttachment') {
    const isHeld = held.some(([, , project = '']) =>
      isAttachmentRecorded(situation, client, target, project),
    );
    return desired.exactProjects.has(client) ? [!isHeld] : [];
  }
  return [
    ...(desired.inSets.has(target) ? [isNew(1)] : []),
    ...(desired.outSets.has(source) ? [isNew(2)] : []),
  ];
}

/** True if a recorded object is seen that no step ends. Triggers that are unknown and clients that are replaced are in doubt. */
function isAnyKept(
  situation: Situation,
  { steps, outcomes }: PlanOutcomes,
  countsDoubtful: boolean,
): boolean {
  const { ledger, view } = situation;
  const ended = new Set(
    [...steps.values()].flat().flatMap(({ action, kind, key, objectId = '' }) => {
      if (action === 'replace' && !countsDoubtful) return [objectId];
      if (action !== 'delete') return [];
      return kind === 'ProjectAttachment' ? [key.join('/')] : [objectId];
    }),
  );
  const isKept = (id: string): boolean => !ended.has(id) && seenClient(situation, id) !== undefined;
  return Object.entries(ledger.objects).some(([text, { id = '', retiring = [] }]) => {
    const [kind, first = '', second = ''] = text.split('/');
    if (kind === 'OAuthClient') return [id, ...retiring].some(isKept);
    if (kind === 'ProjectAttachment') {
      const isShown = seenClient(situation, first)?.projects !== undefined;
      return isKept(first) && !ended.has(text) && (countsDoubtful || isShown);
    }
    const triggers = listedTriggers(view, first, second);
    // A pair that was made again may count as kept.
    const isListed = triggers.some((trigger) => trigger.id === id || countsDoubtful);
    const isSeen = isListed || view.shownTriggers.has(toObjectSubject(text, id));
    return isSeen && !ended.has(id) && (countsDoubtful || outcomes.get(text) !== 'unknown');
  });
}

function endsWithClient({ fates }: PlanOutcomes, subject: string): boolean {
  const { state } = fates.of(subject.split('/')[1] ?? '');
  return objectIdIn(subject) !== undefined || state === 'goes' || state === 'replaced';
}

/** Returns the fields of the secrets that the steps of a client write. */
export function writtenSecrets(
  situation: Situation,
  name: string,
  { steps: allSteps, fates }: PlanOutcomes,
): SecretField[] {
  const wanted = situation.desired.clients.get(name);
  const steps = allSteps.get(clientKey(name)) ?? [];
  if (wanted === undefined || situation.destroy || fates.of(name).state === 'left') return [];
  const actions = steps.map(({ action }) => action);
  if (actions.includes('create') || actions.includes('replace'))
    return Object.keys(wanted.entry.secrets) as SecretField[];
  if (!actions.some((action) => ['update', 'adopt', 'move'].includes(action))) return [];
  return secretsToWrite(situation, wanted, findDigests(situation, name, steps)).update;
}

function findDigests(situation: Situation, name: string, steps: readonly PlannedStep[]) {
  const [adopt] = steps.filter(({ action }) => action === 'adopt');
  const [move] = steps.filter(({ action }) => action === 'move');
  if (adopt?.reason === 'taken-over') return situation.ledger.pending[clientKey(name)]?.digests ?? {};
  if (adopt !== undefined) return {};
  const held = [...recordedClients(situation).entries()].find(([recordedName, { id }]) =>
    move === undefined ? recordedName === name : id === move.objectId,
  );
  return held?.[1].digests ?? {};
}

export function expectLimits(
  situation: Situation,
  plan: PlanOutcomes,
  maxDeletes: number | undefined,
): Limits {
  const secrets = [...situation.desired.clients.values()].flatMap(({ name, entry }) => {
    const fields = writtenSecrets(situation, name, plan);
    return fields.flatMap((field) => {
      const { [field]: source = '' } = entry.secrets;
      return situation.secretOf(field, source) === undefined ? [source] : [];
    });
  });
  return {
    approvals: missingApprovals(situation, plan),
    losses: judgeLosses(situation, plan, maxDeletes),
    secrets,
  };
}
