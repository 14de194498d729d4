/** The oracle for links: each acceptable outcome of each pair: RULES.md, "Recorded, declared, seen" and RULES.md, "Links that stay". */
import { triggerPair } from './desired';
import { expectAttachments } from './expect-attachments';
import type { Outcomes } from './expect-clients';
import { leftAlone } from './fates';
import { holdForLines } from './forget-lines';
import { isReadable, maxSources, workspaces } from './organization';
import type { PlanOutcomes } from './plan-outcomes';
import type { RealTrigger } from './reality';
import type { Situation } from './situation';

interface Pair {
  readonly target: string;
  readonly source: string;
  /** The triggers that can be seen, oldest first. */
  readonly seen: readonly RealTrigger[];
  /** The number of readable lists that would show it. */
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

  /** True if an exact set covers the pair. */
  #covered(target: string, source: string): boolean {
    const { desired, destroy } = this.situation;
    return !destroy && (desired.inSets.has(target) || desired.outSets.has(source));
  }

  #pair({ target, source, seen, lists }: Pair): void {
    const { situation } = this;
    const { desired, ledger, view, destroy } = situation;
    const pair = triggerPair(target, source);
    const recorded = ledger.objects[pair];
    const isDeclared = !destroy && desired.triggers.has(pair);
    const isForgotten = desired.forget.has(pair);
    const [oldest] = seen;
    if (isForgotten && recorded !== undefined) {
      this.#accept(pair, ['forget']);
      return;
    }
    const isShown = recorded?.id !== undefined && view.shownTriggers.has(recorded.id);
    if (lists === 0 && !(isShown && !isDeclared)) {
      if (isDeclared || recorded !== undefined) this.#accept(pair, ['unknown']);
      return;
    }
    const unsure = lists < 2 ? ['unknown'] : [];
    const covered = this.#covered(target, source);
    const isThere = seen.length > 0 || isShown;
    if (isDeclared) {
      const isHeld =
        recorded !== undefined && (recorded.id === oldest?.id || (isShown && oldest === undefined));
      const adoption = recorded === undefined ? ['adopt'] : ['adopt', 'nothing'];
      const making = this.#room(target, ['create']);
      this.#accept(pair, [...(isThere ? (isHeld ? ['nothing'] : adoption) : making), ...unsure]);
      for (const other of seen.slice(1)) this.#other(pair, other, recorded?.id === other.id, covered, unsure);
      // A Show finds a recorded trigger that the lists do not show yet.
      const isLater = isShown && !seen.some(({ id }) => id === recorded?.id);
      const isOlder = isLater || seen.slice(1).some(({ id }) => id === recorded?.id);
      if (oldest !== undefined && isOlder) {
        this.#accept(pair, ['nothing']);
        for (const { id } of seen) this.#accept(`${pair}#${id}`, ['nothing', ...(covered ? ['delete'] : [])]);
      }
      return;
    }
    if (recorded !== undefined && !seen.some(({ id }) => id === recorded.id)) {
      const gone = isShown ? ['nothing', 'unknown'] : ['forget'];
      this.#accept(pair, [...gone, ...unsure]);
      if (isShown) this.#accept(`${pair}#${recorded.id}`, ['delete', 'nothing']);
    }
    for (const one of seen) this.#other(pair, one, recorded?.id === one.id, covered, unsure);
    if (unsure.length > 0) this.#accept(pair, ['nothing', 'unknown']);
  }

  /** A trigger that no line asks for. */
  #other(
    pair: string,
    { id }: RealTrigger,
    isRecorded: boolean,
    covered: boolean,
    unsure: readonly string[],
  ): void {
    const { desired } = this.situation;
    const subject = `${pair}#${id}`;
    const besides = this.#besides(pair);
    const isHeld = desired.hasUnknownNames || besides.includes('unknown');
    const isKept = isHeld || desired.forget.has(pair) || (!isRecorded && !covered);
    const maybe = unsure.length > 0 || this.#isFull(pair.split('/')[1] ?? '') || besides.includes('problem');
    if (isHeld) this.#accept(pair, leftAlone);
    this.#accept(subject, isKept ? ['nothing'] : ['delete', ...(maybe ? ['nothing'] : [])]);
    if (!isKept && maybe) this.#accept(pair, ['nothing', 'unknown']);
  }

  /** The plan's outcomes of the declared pairs that have an end in common with this one. */
  #besides(pair: string): readonly string[] {
    const { destroy, desired } = this.situation;
    const [, target = '', source = ''] = pair.split('/');
    const others = [...desired.triggers.keys()].filter((one) => {
      const [, itsTarget, itsSource] = one.split('/');
      return itsTarget === target || itsSource === source;
    });
    return destroy ? [] : others.map((one) => this.plan.outcomes.get(one) ?? 'nothing');
  }

  /** True if the target may be full of triggers that others made. */
  #isFull(target: string): boolean {
    const { desired, reality, view, profile } = this.situation;
    const wanted = [...desired.triggers.keys()].filter((pair) => pair.startsWith(triggerPair(target, '')));
    const there = reality.triggers.filter((one) => one.target === target);
    // A list may still show a trigger that is deleted.
    const seen = [...there, ...(view.inbound.get(target) ?? [])];
    const pairs = new Set([...wanted, ...seen.map((one) => triggerPair(target, one.source))]);
    return pairs.size > maxSources[profile] || there.length >= maxSources[profile];
  }

  #room(target: string, outcomes: readonly string[]): string[] {
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
export function isHindered({ rights }: Situation, subject: string): boolean {
  const [kind, target = '', source = ''] = subject.replace(/#.*$/u, '').split('/');
  if (kind !== 'RunTrigger') return rights === 'no-vcs' || rights === 'revoked';
  const isRead = rights.startsWith('reads ') && rights.split(' ')[1] === target;
  return isRead || !isReadable(rights, target) || !isReadable(rights, source);
}
