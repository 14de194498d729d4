/** Compares a plan and a drift report with the oracle. */
import { Broken, sameMembers } from './broken';
import { triggerPair } from './desired';
import { expectClients } from './expect-clients';
import { keepClients } from './expect-kept';
import { expectLimits, type Limits, writtenSecrets } from './expect-limits';
import { expectLinks } from './expect-links';
import { forgetLines } from './forget-lines';
import { readableFields } from './manifests';
import { type Outcome, type Outcomes, objectIdIn, toObjectSubject } from './outcomes';
import { type PlanOutcomes, planOutcomes, subjectOf } from './plan-outcomes';
import {
  clientKey,
  differs,
  findPresence,
  ledgerField,
  mayBeMeant,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';
import type { Drifted, Planned, RunOptions } from './tool';

/** A plan that the oracle agrees with. */
export interface Agreed extends PlanOutcomes {
  readonly limits: Limits;
}

function compare(
  oracle: string,
  wanted: Outcomes,
  plan: PlanOutcomes,
  isMeant: (subject: string) => boolean,
): void {
  const subjects = new Set([...wanted.keys(), ...plan.outcomes.keys()].filter(isMeant));
  const wrong = [...subjects].flatMap((subject) => {
    const outcomes = wanted.get(subject) ?? new Set<Outcome>(['nothing']);
    const actual = plan.outcomes.get(subject) ?? 'nothing';
    return outcomes.has(actual as Outcome)
      ? []
      : [`${subject}: ${actual}, and not ${[...outcomes].join(' or ')}`];
  });
  if (wrong.length > 0) throw new Broken(oracle, wrong.sort().join('\n'));
}

const isClient = (subject: string): boolean => subject.startsWith('OAuthClient/');
const isLink = (subject: string): boolean => /^(?:ProjectAttachment|RunTrigger)\//u.test(subject);

/** Checks that the ledger has none of the links that the plan marks as unmanaged. */
function checkUnmanaged({ ledger }: Situation, { steps }: PlanOutcomes): void {
  for (const [subject, some] of steps) {
    for (const { action, unmanaged, key, objectId } of some) {
      if (action !== 'delete' || isClient(subject) || objectIdIn(subject)?.startsWith('oc-')) continue;
      const held = ledger.objects[key.join('/')];
      const isHeld = held !== undefined && (held.id === undefined || held.id === objectId);
      const isMade = held !== undefined && held.id !== objectId;
      if (isMade || isHeld !== (unmanaged === true)) continue;
      throw new Broken('plan: what is unmanaged is marked', `${subject} ${objectId}: ${unmanaged}`);
    }
  }
}

function checkOrder({ steps }: Planned): void {
  const later = new Set(steps.map(({ id }) => id));
  for (const { id, needs, after = [] } of steps) {
    if ([...needs, ...after].some((one) => later.has(one)))
      throw new Broken('plan: a step comes after its needs', id);
    later.delete(id);
  }
}

/** Checks that no client is deleted that a problem names: RULES.md, "Clients that stay". */
function checkNamed({ steps, problems }: Planned): void {
  for (const { action, kind, objectId = '' } of steps) {
    if (action !== 'delete' || kind !== 'OAuthClient') continue;
    const problem = problems.find(({ message }) => message.split(/[^\w-]/u).includes(objectId));
    if (problem !== undefined) throw new Broken('plan: what a problem names stays', problem.message);
  }
}

/** Checks that a line for an unmanaged object is named where something of its kind is deleted: RULES.md, "Forget lines". */
function checkIdleLines(situation: Situation, { steps, text }: Planned): void {
  for (const { line, kind, names } of forgetLines(situation)) {
    const isBeside = steps.some((step) => step.action === 'delete' && step.kind === kind);
    // With an alias, a name or the `id:` line of an entry, the line is shown by it.
    const isShown = situation.profile !== 'hcp-terraform' && !isAliased(situation, line);
    if (names !== 'object' || !isBeside || !isShown || text.includes(`forget: [${line}]`)) continue;
    throw new Broken('plan: a line that changes nothing is named', line);
  }
}

function isAliased({ folder }: Situation, line: string): boolean {
  const { workspaces, projects } = folder.aliases;
  const adopted = Object.values(folder.clients).flatMap(({ id = [] }) => id);
  const ids = [...Object.values(workspaces), ...Object.values(projects), ...adopted];
  return line.split('/').some((part) => ids.includes(part));
}

/** Checks that an adoption that writes is counted as an update: RULES.md, "What a plan counts". */
function checkAdoptions(situation: Situation, plan: PlanOutcomes, { text }: Planned): void {
  let silent = 0;
  for (const [subject, some] of plan.steps) {
    for (const { action, kind, objectId = '' } of some) {
      if (action !== 'adopt') continue;
      const name = subject.replace('OAuthClient/', '');
      const wanted = situation.desired.clients.get(name);
      const seen = seenClient(situation, objectId);
      const isWritten =
        kind === 'OAuthClient' &&
        wanted !== undefined &&
        seen !== undefined &&
        plan.fates.of(name).state !== 'left' &&
        (differs(wanted.values, seen) || writtenSecrets(situation, name, plan).length > 0);
      if (!isWritten) silent += 1;
    }
  }
  const said = Number(/(\d+) to adopt/u.exec(text)?.[1] ?? 0);
  if (said !== silent) {
    throw new Broken('plan: an adoption that writes is an update', `${said} to adopt, and not ${silent}`);
  }
}

/** Checks that the plan has the steps, problems, unknown objects and blockers of the oracle. Throws `Broken`. */
export function checkPlan(situation: Situation, planned: Planned, options: RunOptions = {}): Agreed {
  const plan = planOutcomes(situation, planned);
  const clients = keepClients(situation, expectClients(situation), plan);
  compare('plan: clients', clients, plan, isClient);
  compare('plan: links', expectLinks(situation, plan), plan, isLink);
  checkUnmanaged(situation, plan);
  checkOrder(planned);
  checkNamed(planned);
  checkAdoptions(situation, plan, planned);
  checkIdleLines(situation, planned);
  const limits = expectLimits(situation, plan, options.maxDeletes);
  const said = planned.blockers.filter(({ rule }) => rule === 'approval').map(({ address }) => `${address}`);
  sameMembers('plan: approvals', new Set(said), new Set(limits.approvals.map(({ address }) => address)));
  const stops = planned.blockers.some(({ rule }) => rule === 'losses');
  if (limits.losses !== 'maybe' && stops !== (limits.losses === 'stop')) {
    throw new Broken('plan: the limit on losses', `it ${stops ? 'stops' : 'passes'} ${planned.text}`);
  }
  return { ...plan, limits };
}

/** Returns the lines of a drift report: managed objects that differ from the ledger or are missing. */
function driftLines(situation: Situation) {
  const { ledger, view, desired } = situation;
  const lines: string[] = [];
  const unsure = new Set<string>();
  for (const [name, { id, createdAt, values = {} }] of recordedClients(situation)) {
    const seen = seenClient(situation, id);
    const presence = findPresence(situation, id, createdAt);
    if (presence === 'unknown' || ledger.pending[clientKey(name)] !== undefined) unsure.add(name);
    if (presence === 'missing') lines.push(`missing ${clientKey(name)}`);
    const entry = situation.desired.clients.get(name);
    for (const field of readableFields) {
      const was = values[ledgerField(field)];
      // An object without a line may be observed or not.
      if (seen?.[field] === undefined || was === undefined || was === seen[field]) continue;
      if (entry === undefined || entry.values[field] === undefined) unsure.add(name);
      // A value that the manifest wants is no drift, because a killed apply may have written it.
      else if (entry.values[field] !== seen[field])
        lines.push(`changed ${clientKey(name)} ${field}: ${was} → ${seen[field]}`);
    }
  }
  for (const [key, object] of Object.entries(ledger.objects)) {
    const [kind, target = '', source = ''] = key.split('/');
    if (kind !== 'RunTrigger') continue;
    const lists = [view.inbound.get(target) ?? null, view.outbound.get(source) ?? null];
    const listed = lists.flatMap((list) => list ?? []);
    const triggers = listed.filter((one) => one.target === target && one.source === source);
    const isShown = object.id !== undefined && view.shownTriggers.has(toObjectSubject(key, object.id));
    if (lists.includes(null) || mayBeMeant(situation, key)) unsure.add(key);
    else if (triggers.length === 0 && !isShown) lines.push(`missing ${key}`);
    // If somebody made it again, it is another object.
    else if (!triggers.some(({ id }) => id === object.id)) unsure.add(key);
  }
  const listedInSets = [
    ...[...desired.inSets.keys()].flatMap((target) => view.inbound.get(target) ?? []),
    ...[...desired.outSets.keys()].flatMap((source) => view.outbound.get(source) ?? []),
  ];
  // A pair may have several triggers, and each is one.
  const pairs = new Map(listedInSets.map(({ id, target, source }) => [id, triggerPair(target, source)]));
  for (const key of pairs.values()) {
    if (desired.triggers.has(key) || ledger.objects[key] !== undefined) continue;
    if (desired.forget.has(key)) unsure.add(key);
    else lines.push(`added ${key}`);
  }
  return { lines, unsure };
}

/** Checks the drift report: RULES.md, "Drift". Attachments, and further triggers of a pair, are checked in the plan. */
export function checkDrift(situation: Situation, drifted: Drifted): void {
  const { lines, unsure } = driftLines(situation);
  // A recorded link may be reported at the line that may mean it.
  for (const link of situation.desired.unknownLinks) unsure.add(link);
  const moved = new Set(recordedClients(situation).keys());
  for (const name of situation.desired.clients.keys()) if (!moved.has(name)) unsure.add(name);
  for (const name of moved) if (!situation.desired.clients.has(name)) unsure.add(name);
  const actual = drifted.rows.flatMap(({ state, address, changes }) => {
    const subject = subjectOf(situation, address);
    const isFurther =
      state === 'added' && (situation.ledger.objects[subject] ?? situation.desired.triggers.get(subject));
    if (isFurther || subject.startsWith('ProjectAttachment/')) return [];
    if (state !== 'changed') return [`${state} ${subject}`];
    return changes.map(({ field, was, is }) => {
      const name = field === 'agentPoolId' ? 'agentPool' : field;
      return `changed ${subject} ${name}: ${was} → ${is}`;
    });
  });
  const isSure = (line: string): boolean => {
    const [, subject = ''] = line.split(' ');
    return !unsure.has(subject) && !unsure.has(subject.replace('OAuthClient/', ''));
  };
  sameMembers('drift', actual.filter(isSure), lines.filter(isSure));
}
