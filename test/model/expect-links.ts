/** The oracle for links: each acceptable outcome of each pair: RULES.md, "Recorded, declared, seen" and RULES.md, "Links that stay". */
import { triggerPair } from './desired';
import { expectAttachments } from './expect-attachments';
import { holdForLines } from './forget-lines';
import { isReadable, maxSources, workspaces } from './organization';
import { addressIn, leftAlone, type Outcome, type Outcomes, outcomesIf, toObjectSubject } from './outcomes';
import type { PlanOutcomes } from './plan-outcomes';
import type { RealTrigger } from './reality';
import { mayBeMeant, type Situation } from './situation';

interface Pair {
  readonly target: string;
  readonly source: string;
  /** The triggers that can be seen, oldest first. */
  readonly seen: readonly RealTrigger[];
  /** The number of readable lists that would show it. */
  readonly lists: 0 | 1 | 2;
}

function readPair({ view }: Situation, target: string, source: string): Pair {
  const inbound = view.inbound.get(target) ?? null;
  const outbound = view.outbound.get(source) ?? null;
  const lists = ((inbound === null ? 0 : 1) + (outbound === null ? 0 : 1)) as Pair['lists'];
  const ids = new Map<string, RealTrigger>();
  for (const trigger of [...(inbound ?? []), ...(outbound ?? [])]) {
    if (trigger.target === target && trigger.source === source) ids.set(trigger.id, trigger);
  }
  const rank = ({ createdAt, id }: RealTrigger) => `${createdAt} ${id}`;
  const seen = [...ids.values()].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  return { target, source, seen, lists };
}

interface PairContext {
  /** The pair as a subject, such as `RunTrigger/ws-app/ws-net`. */
  readonly subject: string;
  readonly isRecorded: boolean;
  readonly recordedId: string | undefined;
  /** A Show found the recorded trigger. */
  readonly isShown: boolean;
  /** An exact set covers the pair. */
  readonly isCovered: boolean;
  /** The outcomes that are possible too, because a list of the pair could not be read. */
  readonly doubt: readonly Outcome[];
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
        if (readPair(this.situation, target, source).seen.length > 0) pairs.add(triggerPair(target, source));
      }
    }
    for (const pair of pairs) {
      const [, target = '', source = ''] = pair.split('/');
      this.#pair(readPair(this.situation, target, source));
    }
  }

  #accept(subject: string, outcomes: readonly Outcome[]): void {
    this.all.set(subject, new Set([...(this.all.get(subject) ?? []), ...outcomes]));
  }

  /** True if an exact set covers the pair. */
  #isCovered(target: string, source: string): boolean {
    const { desired, destroy } = this.situation;
    return !destroy && (desired.inSets.has(target) || desired.outSets.has(source));
  }

  #pair(pair: Pair): void {
    const { desired, ledger, view, destroy } = this.situation;
    const { target, source, lists } = pair;
    const subject = triggerPair(target, source);
    const recorded = ledger.objects[subject];
    // A `forget` line ends the record and nothing else.
    if (desired.forget.has(subject) && recorded !== undefined) {
      this.#accept(subject, ['forget']);
      return;
    }
    const isDeclared = !destroy && desired.triggers.has(subject);
    const isShown =
      recorded?.id !== undefined && view.shownTriggers.has(toObjectSubject(subject, recorded.id));
    // Without a readable list, the pair is unknown. A Show of a recorded trigger is enough to delete it.
    if (lists === 0 && (isDeclared || !isShown)) {
      if (isDeclared || recorded !== undefined) this.#accept(subject, ['unknown']);
      // The row of a line with an unknown name says it too.
      if (!isDeclared && mayBeMeant(this.situation, subject)) this.#accept(subject, ['nothing']);
      return;
    }
    const context: PairContext = {
      subject,
      recordedId: recorded?.id,
      isRecorded: recorded !== undefined,
      isShown,
      isCovered: this.#isCovered(target, source),
      doubt: lists < 2 ? ['unknown'] : [],
    };
    if (isDeclared) this.#declaredPair(pair, context);
    else this.#undeclaredPair(pair, context);
  }

  /** An existing trigger is recorded without a call, and a missing one is created. The oldest of a pair counts. */
  #declaredPair({ target, seen }: Pair, context: PairContext): void {
    const { subject, recordedId, isRecorded, isShown, isCovered, doubt } = context;
    const [oldest, ...younger] = seen;
    const isKept = isRecorded && (recordedId === oldest?.id || (isShown && oldest === undefined));
    const adoption: Outcome[] = isRecorded ? ['adopt', 'nothing'] : ['adopt'];
    const existing: Outcome[] = isKept ? ['nothing'] : adoption;
    const exists = oldest !== undefined || isShown;
    this.#accept(subject, [...(exists ? existing : this.#orTargetFull(target, ['create'])), ...doubt]);
    for (const trigger of younger) this.#unwantedTrigger(trigger, context);
    // A Show finds a recorded trigger that the lists do not show yet.
    const isUnlisted = isShown && !seen.some(({ id }) => id === recordedId);
    const isRecordedYounger = isUnlisted || younger.some(({ id }) => id === recordedId);
    if (oldest === undefined || !isRecordedYounger) return;
    this.#accept(subject, ['nothing']);
    for (const { id } of seen) {
      this.#accept(toObjectSubject(subject, id), ['nothing', ...outcomesIf(isCovered, 'delete')]);
    }
  }

  /** A recorded trigger is deleted, or forgotten if it is missing. An unmanaged one stays, unless an exact set covers it. */
  #undeclaredPair({ seen }: Pair, context: PairContext): void {
    const { subject, recordedId, isRecorded, isShown, doubt } = context;
    if (isRecorded && !seen.some(({ id }) => id === recordedId)) {
      const isKept = isShown || mayBeMeant(this.situation, subject);
      const missing: Outcome[] = isKept ? ['nothing', 'unknown'] : [];
      this.#accept(subject, [...missing, ...outcomesIf(!isShown, 'forget'), ...doubt]);
      if (isShown) this.#accept(toObjectSubject(subject, recordedId ?? ''), ['delete', 'nothing']);
    }
    for (const trigger of seen) this.#unwantedTrigger(trigger, context);
    if (doubt.length > 0) this.#accept(subject, ['nothing', 'unknown']);
  }

  /** Decides about a trigger that no line asks for. */
  #unwantedTrigger({ id }: RealTrigger, { subject, recordedId, isCovered, doubt }: PairContext): void {
    const { desired } = this.situation;
    const neighbours = this.#outcomesOfNeighbours(subject);
    // No link is deleted while a name is unknown, or beside a declared link that is left alone.
    const isHeld = desired.hasUnknownNames || neighbours.includes('unknown');
    const isKept = isHeld || desired.forget.has(subject) || (recordedId !== id && !isCovered);
    const mayStay =
      doubt.length > 0 || this.#isFull(subject.split('/')[1] ?? '') || neighbours.includes('problem');
    if (isHeld) this.#accept(subject, leftAlone);
    this.#accept(
      toObjectSubject(subject, id),
      isKept
        ? ['nothing', ...outcomesIf(isHeld, 'unknown')]
        : ['delete', ...outcomesIf(mayStay, 'nothing', 'unknown')],
    );
    if (!isKept && mayStay) this.#accept(subject, ['nothing', 'unknown']);
  }

  /** Returns the plan's outcomes of the declared pairs that have an end in common with this one. */
  #outcomesOfNeighbours(pair: string): readonly string[] {
    const { destroy, desired } = this.situation;
    const [, target = '', source = ''] = pair.split('/');
    const neighbours = [...desired.triggers.keys()].filter((declared) => {
      const [, itsTarget, itsSource] = declared.split('/');
      return itsTarget === target || itsSource === source;
    });
    return destroy ? [] : neighbours.map((neighbour) => this.plan.outcomes.get(neighbour) ?? 'nothing');
  }

  /** True if the target may be full of triggers that others made. */
  #isFull(target: string): boolean {
    const { desired, reality, view, profile } = this.situation;
    const wanted = [...desired.triggers.keys()].filter((pair) => pair.startsWith(triggerPair(target, '')));
    const existing = reality.triggers.filter((trigger) => trigger.target === target);
    // A list may still show a trigger that is deleted.
    const visible = [...existing, ...(view.inbound.get(target) ?? [])];
    const pairs = new Set([...wanted, ...visible.map(({ source }) => triggerPair(target, source))]);
    const triggers = new Set(visible.map(({ id }) => id));
    return pairs.size > maxSources[profile] || triggers.size >= maxSources[profile];
  }

  /** Adds the outcomes of a target that may be full. */
  #orTargetFull(target: string, outcomes: readonly Outcome[]): Outcome[] {
    return this.#isFull(target) ? [...outcomes, 'problem', 'unknown'] : [...outcomes];
  }
}

/** Returns the outcomes of links, given those of the clients. */
export function expectLinks(situation: Situation, plan: PlanOutcomes): Outcomes {
  const all: Outcomes = new Map();
  expectAttachments(situation, plan, all);
  new TriggerOracle(situation, plan, all).decide();
  for (const subject of situation.desired.unknownLinks) all.set(subject, new Set(['unknown', 'problem']));
  for (const kind of ['ProjectAttachment', 'RunTrigger']) holdForLines(situation, plan, all, kind);
  return all;
}

/** True if the token may lack a permission that a link needs. */
export function lacksPermission({ rights }: Situation, subject: string): boolean {
  const [kind, target = '', source = ''] = addressIn(subject).split('/');
  if (kind !== 'RunTrigger') return rights === 'no-vcs' || rights === 'revoked';
  const isRead = rights.startsWith('reads ') && rights.split(' ')[1] === target;
  return isRead || !isReadable(rights, target) || !isReadable(rights, source);
}
