/** The oracle for attachments and triggers: each acceptable outcome, after the table in design.md. */
import { attachmentOf, triggerPair } from './desired';
import type { Outcomes } from './expect-clients';
import type { Fate } from './fates';
import { knownFaults } from './known-faults';
import { isReadable, maxSources, workspaces } from './organization';
import type { PlanOutcomes } from './plan-outcomes';
import type { RealTrigger } from './reality';
import { isYoung, type Situation, seenClient } from './situation';

const leftAlone = ['nothing', 'unknown', 'problem'];

/** A run without a name that it needs deletes no link. */
function withoutDeletes(situation: Situation, outcomes: readonly string[]): string[] {
  if (!situation.desired.hasUnknownNames) return [...outcomes];
  const kept = outcomes.filter((one) => one !== 'delete');
  return kept.length < outcomes.length ? [...kept, ...leftAlone] : kept;
}

function attachmentOutcomes(
  situation: Situation,
  fate: Fate,
  pair: { name: string; project: string; isRecorded: boolean; isExact: boolean },
): string[] {
  const { desired, destroy } = situation;
  const subject = attachmentOf(pair.name, pair.project);
  const isDeclared = !destroy && desired.attachments.has(subject);
  const isForgotten = desired.forget.has(subject);
  switch (fate.state) {
    case 'made':
      return isDeclared ? ['create'] : ['nothing'];
    case 'replaced':
      return isDeclared ? ['create', 'adopt', 'move', 'nothing'] : ['nothing', 'forget', 'delete'];
    case 'goes':
      return ['nothing', 'forget', 'delete'];
    case 'forgotten':
      return isDeclared ? leftAlone : ['nothing', 'forget'];
    case 'left': {
      const id = fate.id;
      const isThere = id !== undefined && seenClient(situation, id) !== undefined;
      if (!isThere || id === undefined) return leftAlone;
      return [...leftAlone, ...attachmentOutcomes(situation, { state: 'kept', id }, pair)];
    }
    case 'kept': {
      const isThere = seenClient(situation, fate.id)?.projects.includes(pair.project) === true;
      if (isDeclared) return [isThere ? (pair.isRecorded ? 'nothing' : 'adopt') : 'create'];
      if (pair.isRecorded && isForgotten) return ['forget'];
      if (pair.isRecorded) return withoutDeletes(situation, [isThere ? 'delete' : 'forget']);
      return withoutDeletes(situation, [isThere && pair.isExact && !destroy ? 'delete' : 'nothing']);
    }
  }
}

function expectAttachments(situation: Situation, { fates }: PlanOutcomes, all: Outcomes): void {
  const { desired, ledger } = situation;
  const recorded = Object.keys(ledger.objects).flatMap((key) => {
    const [kind, id = '', project = ''] = key.split('/');
    return kind === 'ProjectAttachment' ? [{ id, project }] : [];
  });
  for (const { id, project } of recorded) {
    if (fates.isCurrent(id)) continue;
    const name = fates.nameOf(id);
    const { state } = fates.of(name);
    const isKept = state === 'forgotten' || state === 'left';
    all.set(`${attachmentOf(name, project)}#${id}`, new Set(isKept ? leftAlone.concat('forget') : ['nothing', 'forget', 'delete']));
  }
  for (const name of fates.names) {
    const fate = fates.of(name);
    const id = fate.state === 'kept' || fate.state === 'replaced' || fate.state === 'left' ? fate.id : undefined;
    const own = recorded.filter((one) => one.id === id).map(({ project }) => project);
    const seen = id === undefined ? [] : (seenClient(situation, id)?.projects ?? []);
    const declared = [...desired.attachments.values()].filter(({ client }) => client === name);
    // A member that cannot be named stops the set.
    const isWhole = ![...desired.unknownLinks].some((one) => one.startsWith(attachmentOf(name, '')));
    const isExact = desired.exactProjects.has(name) && isWhole;
    for (const project of new Set([...own, ...seen, ...declared.map((one) => one.project)])) {
      const pair = { name, project, isRecorded: own.includes(project), isExact };
      all.set(attachmentOf(name, project), new Set(attachmentOutcomes(situation, fate, pair)));
    }
  }
}

interface Pair {
  readonly target: string;
  readonly source: string;
  /** Those that can be seen, oldest first. */
  readonly seen: readonly RealTrigger[];
  /** None, one or both of the lists that would show it. */
  readonly lists: 0 | 1 | 2;
}

function pairAt({ view }: Situation, target: string, source: string): Pair {
  const inbound = view.inbound.get(target) ?? null;
  const outbound = view.outbound.get(source) ?? null;
  const lists = ((inbound === null ? 0 : 1) + (outbound === null ? 0 : 1)) as Pair['lists'];
  const ids = new Map<string, RealTrigger>();
  for (const one of [...(inbound ?? []), ...(outbound ?? [])]) {
    if (one.target === target && one.source === source) ids.set(one.id, one);
  }
  const seen = [...ids.values()].sort((one, other) =>
    `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? -1 : 1,
  );
  return { target, source, seen, lists };
}

class TriggerOracle {
  constructor(
    private readonly situation: Situation,
    private readonly plan: PlanOutcomes,
    private readonly all: Outcomes,
  ) {}

  decide(): void {
    const { desired, ledger } = this.situation;
    const pairs = new Set(desired.triggers.keys());
    for (const key of Object.keys(ledger.objects)) if (key.startsWith('RunTrigger/')) pairs.add(key);
    for (const target of workspaces) {
      for (const source of workspaces) {
        if (pairAt(this.situation, target, source).seen.length > 0) pairs.add(triggerPair(target, source));
      }
    }
    for (const pair of pairs) {
      const [, target = '', source = ''] = pair.split('/');
      this.#pair(pairAt(this.situation, target, source));
    }
  }

  #accept(subject: string, outcomes: readonly string[]): void {
    this.all.set(subject, new Set([...(this.all.get(subject) ?? []), ...outcomes]));
  }

  /** Whether an exact set deletes what it does not list: for sure, perhaps, or not. */
  #covered(target: string, source: string): 'yes' | 'maybe' | 'no' {
    const { desired, destroy } = this.situation;
    if (destroy || desired.hasUnknownNames) return 'no';
    const sets = [
      ...(desired.inSets.has(target) ? [(desired.inSets.get(target) ?? []).map((one) => triggerPair(target, one))] : []),
      ...(desired.outSets.has(source) ? [(desired.outSets.get(source) ?? []).map((one) => triggerPair(one, source))] : []),
    ];
    const isLeft = (pair: string): boolean =>
      ['unknown', 'problem'].includes(this.plan.outcomes.get(pair) ?? 'nothing');
    const whole = sets.filter((members) => !members.some(isLeft));
    const isYoungOne = sets.flat().some((pair) => isYoung(this.situation, this.situation.ledger.objects[pair]?.createdAt));
    if (knownFaults.youngMember && isYoungOne) return 'maybe';
    if (whole.length === 0) return 'no';
    return whole.length === sets.length ? 'yes' : 'maybe';
  }

  #pair({ target, source, seen, lists }: Pair): void {
    const { situation } = this;
    const { desired, ledger, view, destroy } = situation;
    const pair = triggerPair(target, source);
    const recorded = ledger.objects[pair];
    const isDeclared = !destroy && desired.triggers.has(pair);
    const isForgotten = desired.forget.has(pair);
    const [oldest] = seen;
    if (isForgotten && recorded !== undefined) return this.#accept(pair, ['forget']);
    const isShown = recorded?.id !== undefined && view.shownTriggers.has(recorded.id);
    if (lists === 0 && !(isShown && !isDeclared)) {
      if (isDeclared || recorded !== undefined) this.#accept(pair, ['unknown']);
      return;
    }
    const unsure = lists < 2 ? ['unknown'] : [];
    const covered = this.#covered(target, source);
    const isThere = seen.length > 0 || isShown;
    if (isDeclared) {
      const isHeld = recorded !== undefined && (recorded.id === oldest?.id || (isShown && oldest === undefined));
      const adoption = recorded === undefined ? ['adopt'] : ['adopt', 'nothing'];
      const making = isYoung(situation, recorded?.createdAt) ? ['unknown'] : this.#room(target, ['create']);
      this.#accept(pair, [...(isThere ? (isHeld ? ['nothing'] : adoption) : making), ...unsure]);
      for (const other of seen.slice(1)) this.#other(pair, other, recorded?.id === other.id, covered, unsure);
      const isOlder = oldest !== undefined && seen.slice(1).some(({ id }) => id === recorded?.id);
      if (knownFaults.recordedFirst && isOlder) {
        this.#accept(pair, ['nothing']);
        for (const { id } of seen) this.#accept(`${pair}#${id}`, ['nothing', ...(covered === 'no' ? [] : ['delete'])]);
      }
      return;
    }
    if (recorded !== undefined && !seen.some(({ id }) => id === recorded.id)) {
      const gone = isShown ? ['nothing', 'unknown'] : isYoung(situation, recorded.createdAt) ? ['unknown'] : ['forget'];
      // Somebody made the pair again: it may be taken for the recorded one.
      this.#accept(pair, [...gone, ...(seen.length > 0 ? ['nothing'] : []), ...unsure]);
      if (knownFaults.otherOfPair && seen.length > 0) this.#accept(pair, ['forget']);
      const isAgain = seen.length > 0 && !isYoung(situation, recorded.createdAt);
      if (isShown || isAgain) for (const id of [recorded.id, oldest?.id]) this.#accept(`${pair}#${id}`, ['delete', 'nothing']);
    }
    for (const one of seen) this.#other(pair, one, recorded?.id === one.id, covered, unsure);
    if (unsure.length > 0) this.#accept(pair, ['nothing', 'unknown']);
  }

  /** A trigger that no line asks for. */
  #other(pair: string, { id }: RealTrigger, isRecorded: boolean, covered: string, unsure: readonly string[]): void {
    const { desired } = this.situation;
    const subject = `${pair}#${id}`;
    const isKept = desired.hasUnknownNames || (!isRecorded && covered === 'no');
    const maybe = unsure.length > 0 || (!isRecorded && covered === 'maybe') || this.#isTight(pair);
    const stops = isRecorded && covered !== 'yes' && this.#isInSet(pair);
    if (desired.hasUnknownNames) this.#accept(pair, leftAlone);
    this.#accept(subject, isKept ? ['nothing'] : ['delete', ...(maybe || stops ? ['nothing'] : [])]);
    if (!isKept && (maybe || stops)) this.#accept(pair, ['nothing', 'unknown']);
  }

  #isInSet(pair: string): boolean {
    const [, target = '', source = ''] = pair.split('/');
    return this.situation.desired.inSets.has(target) || this.situation.desired.outSets.has(source);
  }

  /** The target may be full of what others made. */
  #isTight(pair: string): boolean {
    return this.#isFull(pair.split('/')[1] ?? '');
  }

  #isFull(target: string): boolean {
    const { desired, reality, profile } = this.situation;
    const wanted = [...desired.triggers.keys()].filter((pair) => pair.startsWith(triggerPair(target, '')));
    const there = reality.triggers.filter((one) => one.target === target);
    const pairs = new Set([...wanted, ...there.map((one) => triggerPair(target, one.source))]);
    return pairs.size > maxSources[profile] || there.length >= maxSources[profile];
  }

  #room(target: string, outcomes: readonly string[]): string[] {
    return this.#isFull(target) ? [...outcomes, 'problem', 'unknown'] : [...outcomes];
  }
}

/** The links of a plan, given what it does with the clients. */
export function expectLinks(situation: Situation, plan: PlanOutcomes): Outcomes {
  const all: Outcomes = new Map();
  expectAttachments(situation, plan, all);
  new TriggerOracle(situation, plan, all).decide();
  for (const subject of situation.desired.unknownLinks) all.set(subject, new Set(['unknown', 'problem']));
  return all;
}

/** Whether the token in force may not do all that a link needs. */
export function isHindered({ rights }: Situation, subject: string): boolean {
  const [kind, target = '', source = ''] = subject.replace(/#.*$/u, '').split('/');
  if (kind !== 'RunTrigger') return rights === 'no-vcs' || rights === 'revoked';
  const isRead = rights.startsWith('reads ') && rights.split(' ')[1] === target;
  return isRead || !isReadable(rights, target) || !isReadable(rights, source);
}
