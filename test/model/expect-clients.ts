/** The oracle for clients: each acceptable outcome of each address: RULES.md, "Recorded, declared, seen". */
import { createOutcomes, replaceOutcomes } from './creates';
import type { WantedClient } from './desired';
import { entriesOf, type Move, movesOf } from './moves';
import { type Outcome, type Outcomes, outcomesIf, toObjectSubject } from './outcomes';
import type { SeenClient } from './reality';
import {
  clientKey,
  clientsOfInterruptedCreate,
  differs,
  differsInFixed,
  findPresence,
  hasUnknownProject,
  isForgotten,
  isHidden,
  isScopeHeld,
  isYoung,
  keepsPredecessor,
  type Presence,
  type RecordedClient,
  recordedClients,
  recordedIds,
  type Situation,
  secretsToWrite,
  seenClient,
} from './situation';
import type { PendingCreate } from './tool';

class ClientOracle {
  readonly outcomes: Outcomes = new Map();
  readonly #recorded: ReadonlyMap<string, RecordedClient>;
  readonly #moves: ReadonlyMap<string, readonly Move[]>;

  constructor(private readonly situation: Situation) {
    this.#recorded = recordedClients(situation);
    this.#moves = movesOf(situation);
  }

  decide(): Outcomes {
    const { situation } = this;
    const { desired, ledger, destroy } = situation;
    const pending = Object.keys(ledger.pending).map((key) => key.replace('OAuthClient/', ''));
    const declared = destroy ? [] : [...desired.clients.keys()];
    for (const name of new Set([...declared, ...this.#recorded.keys(), ...pending])) {
      const wanted = destroy ? undefined : desired.clients.get(name);
      const outcomes = wanted === undefined ? this.#undeclared(name) : this.#declared(wanted);
      const isHeld = wanted !== undefined && hasUnknownProject(situation, name);
      this.#accept(clientKey(name), isHeld ? [...outcomes, 'unknown'] : outcomes);
    }
    for (const [name, { retiring = [] }] of this.#recorded) {
      for (const id of retiring) this.#retiring(name, id);
    }
    return this.outcomes;
  }

  #accept(subject: string, outcomes: readonly Outcome[]): void {
    const before = this.outcomes.get(subject) ?? [];
    this.outcomes.set(subject, new Set([...before, ...outcomes]));
  }

  #pendingOf(name: string): PendingCreate | undefined {
    return this.situation.ledger.pending[clientKey(name)];
  }

  /** Returns the address whose client had this id before it was replaced. */
  #retiredBy(id: string): string | undefined {
    return [...this.#recorded].find(([, { retiring = [] }]) => retiring.includes(id))?.[0];
  }

  /** True if another entry adopts the client, which is recorded here. Then it is not deleted. */
  #isClaimed(name: string, id: string): boolean {
    const { desired, destroy } = this.situation;
    return (
      !destroy &&
      [...desired.clients.values()].some((client) => client.entry.id === id && client.name !== name)
    );
  }

  /** Whether a client that is seen has links. It is `maybe` if no answer shows them. */
  #hasLinks({ id }: RecordedClient): 'no' | 'maybe' | 'yes' {
    const seen = seenClient(this.situation, id);
    if (seen === undefined || seen.projects?.length === 0) return 'no';
    return seen.projects === undefined ? 'maybe' : 'yes';
  }

  #undeclared(name: string): Outcome[] {
    const { situation } = this;
    const object = this.#recorded.get(name);
    const pending = this.#pendingOf(name);
    const isRecent = pending !== undefined && isYoung(situation, pending.attemptedAt);
    const dropped: Outcome[] = isRecent ? ['nothing', 'problem', 'unknown', 'forget'] : ['forget', 'nothing'];
    // A line also drops a pending create at once.
    if (isForgotten(situation, name, object?.id))
      return object === undefined && pending === undefined ? ['nothing'] : ['forget'];
    const moves = this.#moves.get(name) ?? [];
    if (moves.some(({ isSure }) => isSure)) return ['nothing'];
    const maybe: Outcome[] = moves.length > 0 ? ['nothing'] : [];
    if (pending !== undefined) {
      if (situation.view.list === null) return ['unknown', 'problem', 'nothing'];
      const [only, ...others] = clientsOfInterruptedCreate(situation, pending);
      if (others.length > 0) return ['problem'];
      if (only !== undefined) return [`delete ${only.id}`, ...maybe];
      if (object === undefined) return [...dropped, ...maybe];
    }
    if (object === undefined) return maybe.length > 0 ? maybe : ['nothing'];
    const presence = findPresence(situation, object.id, object.createdAt);
    const links = this.#hasLinks(object);
    const isKept = this.#isClaimed(name, object.id) || (situation.desired.hasUnknownNames && links === 'yes');
    const end: Outcome = isKept ? 'unknown' : `delete ${object.id}`;
    const usual = ({ present: end, missing: 'forget', unknown: 'unknown' } as const)[presence];
    // It is kept too if a declared link with the same project is left alone.
    return [usual, ...maybe, ...outcomesIf(links !== 'no', 'unknown')];
  }

  #declared(wanted: WantedClient): Outcome[] {
    const object = this.#recorded.get(wanted.name);
    const pending = this.#pendingOf(wanted.name);
    const { id } = wanted.entry;
    if (wanted.isUnknown) return ['unknown', 'problem', ...this.#namedBefore(id)];
    const retiredBy = id === undefined ? undefined : this.#retiredBy(id);
    const isRetiring = retiredBy !== undefined && retiredBy !== wanted.name;
    if (isRetiring && id !== undefined && seenClient(this.situation, id) !== undefined) return ['problem'];
    if (id !== undefined && id !== object?.id && retiredBy === undefined) {
      const decided = object === undefined ? this.#adoption(wanted, id) : this.#otherId(wanted, object, id);
      if (decided !== undefined) return decided;
    }
    const usual =
      pending === undefined
        ? this.#withoutPending(wanted, object)
        : this.#withPending(wanted, object, pending);
    const isHeld = id !== object?.id && [...this.#recorded.values()].some((client) => client.id === id);
    return isHeld || isRetiring ? [...usual, 'problem'] : usual;
  }

  #withoutPending(wanted: WantedClient, object: RecordedClient | undefined): Outcome[] {
    const { situation } = this;
    if (object !== undefined) {
      const presence = findPresence(situation, object.id, object.createdAt);
      if (presence === 'unknown') return ['unknown'];
      if (presence === 'missing') return createOutcomes(situation, wanted);
      if (this.#isClaimed(wanted.name, object.id)) return ['unknown'];
      return this.#difference(wanted, object.id, object.digests);
    }
    const moves = [...this.#moves].flatMap(([from, list]) =>
      list.filter(({ to }) => to === wanted.name).map((move) => ({ ...move, from })),
    );
    const moved = moves.flatMap(({ from }) => {
      const old = entriesOf(situation).get(from);
      return old === undefined ? [] : this.#moved(wanted, old);
    });
    if (moves.some(({ isSure }) => isSure)) return moved;
    return [...moved, ...createOutcomes(situation, wanted)];
  }

  /** An `id:` line moves a recorded client also while a name is unknown. */
  #namedBefore(id: string | undefined): Outcome[] {
    const [holder] = [...this.#recorded].find(([, client]) => client.id === id) ?? [];
    if (holder === undefined || this.situation.desired.clients.has(holder)) return [];
    this.#accept(clientKey(holder), ['nothing']);
    return [`move ${id}`];
  }

  /** The outcomes of an entry without a record that names an id to adopt. */
  #adoption(wanted: WantedClient, id: string): Outcome[] | undefined {
    const { situation } = this;
    const holder = [...this.#recorded].find(([, client]) => client.id === id);
    if (holder !== undefined) {
      const [name, object] = holder;
      const isDeclared = situation.desired.clients.has(name);
      if (isDeclared) return ['problem'];
      // The old address has nothing left to do.
      this.#accept(clientKey(name), ['nothing']);
      return [...this.#moved(wanted, object), ...outcomesIf(this.#isFixed(wanted, id), 'problem')];
    }
    const seen = seenClient(situation, id);
    if (situation.view.list === null) return ['unknown', 'problem'];
    // It may be too young for the lists.
    if (seen === undefined) return ['problem', ...outcomesIf(situation.reality.clients.has(id), 'unknown')];
    return differsInFixed(wanted.values, seen) || isHidden(situation, wanted) ? ['problem'] : [`adopt ${id}`];
  }

  #isFixed(wanted: WantedClient, id: string): boolean {
    const seen = seenClient(this.situation, id);
    return seen !== undefined && differsInFixed(wanted.values, seen);
  }

  /** The outcomes of a client that moves here, seen or not. A changed secret may need a replacement. */
  #moved(wanted: WantedClient, { id, digests, createdAt }: RecordedClient): Outcome[] {
    const isMissing = findPresence(this.situation, id, createdAt) === 'missing';
    const after = isMissing ? createOutcomes(this.situation, wanted) : this.#difference(wanted, id, digests);
    const isMade = after.some((outcome) => /^(?:create|replace)/u.test(outcome));
    // It moves even if a problem stops its successor.
    if (after.includes('problem')) return [...after, `move ${id}`];
    return isMade ? after : [`move ${id}`, `adopt ${id}`];
  }

  /** The outcomes of an entry with a record that names another id. It is undefined if the line is inert. */
  #otherId(wanted: WantedClient, object: RecordedClient, id: string): Outcome[] | undefined {
    const { situation } = this;
    const presence = findPresence(situation, object.id, object.createdAt);
    const other = seenClient(situation, id);
    if (situation.view.list === null) return ['unknown', 'problem'];
    if (other === undefined) return undefined;
    if (presence === 'present') return ['problem'];
    if (presence === 'unknown') return ['unknown', 'problem'];
    if (recordedIds(situation).has(id)) return ['problem', `adopt ${id}`, `move ${id}`];
    return differsInFixed(wanted.values, other) || isHidden(situation, wanted)
      ? ['problem']
      : [`adopt ${id}`];
  }

  #withPending(wanted: WantedClient, object: RecordedClient | undefined, pending: PendingCreate): Outcome[] {
    const { situation } = this;
    if (situation.view.list === null) return ['unknown', 'problem'];
    const [only, ...more] = clientsOfInterruptedCreate(situation, pending);
    if (more.length > 0) return ['problem'];
    if (only !== undefined) return this.#takeOver(wanted, object, only, pending);
    const usual = this.#withoutPending(wanted, object);
    if (!isYoung(situation, pending.attemptedAt)) return usual;
    const isMade = usual.some((outcome) => outcome === 'create' || outcome.startsWith('replace'));
    return isMade ? ['problem', 'unknown'] : [...usual, 'problem'];
  }

  /** The outcomes if the client of an interrupted create exists. */
  #takeOver(
    wanted: WantedClient,
    object: RecordedClient | undefined,
    createdClient: SeenClient,
    pending: PendingCreate,
  ): Outcome[] {
    const { situation } = this;
    const key = clientKey(wanted.name);
    const after = this.#difference(wanted, createdClient.id, pending.digests);
    const isReplaced = after.some(isReplaceOrProblem);
    // It is recorded even if a problem stops what comes after.
    const adoption: Outcome = `adopt ${createdClient.id}`;
    const takeOver = isReplaced ? after.map((one) => (one === 'problem' ? adoption : one)) : [adoption];
    const old = object === undefined ? undefined : seenClient(situation, object.id);
    if (object === undefined || old === undefined) return takeOver;
    const now = this.#difference(wanted, object.id, object.digests);
    const stays = !now.some(isReplaceOrProblem);
    // The declaration went back: the recorded one stays, and the found one goes.
    if (stays) this.#accept(toObjectSubject(key, createdClient.id), [`delete ${createdClient.id}`]);
    if (!stays) this.#accept(toObjectSubject(key, object.id), [`delete ${object.id}`, 'nothing']);
    if (stays && isReplaced) return now;
    if (!stays) return takeOver;
    this.#accept(toObjectSubject(key, object.id), [`delete ${object.id}`, 'nothing']);
    this.#accept(toObjectSubject(key, createdClient.id), ['nothing']);
    return [...now, ...takeOver];
  }

  /** The outcomes of an existing client with its entry. */
  #difference(wanted: WantedClient, id: string, digests: RecordedClient['digests']): Outcome[] {
    const { situation } = this;
    const seen = seenClient(situation, id);
    if (seen === undefined) return ['unknown'];
    if (isHidden(situation, wanted)) return ['problem'];
    const { update, replace } = secretsToWrite(situation, wanted, digests);
    if (differsInFixed(wanted.values, seen) || replace.length > 0) {
      return replaceOutcomes(situation, wanted, seen, digests);
    }
    if (isScopeHeld(situation, wanted, seen.organizationScoped)) return ['unknown'];
    return differs(wanted.values, seen) || update.length > 0 ? ['update'] : ['nothing'];
  }

  #retiring(name: string, id: string): void {
    const { situation } = this;
    const { desired } = situation;
    const moved = (this.#moves.get(name) ?? []).map(({ to }) => clientKey(to));
    const outcomesOfAddress = this.outcomes.get(clientKey(name)) ?? new Set<Outcome>();
    const isStaying = [...outcomesOfAddress].every((outcome) =>
      /^(?:nothing|update|adopt|delete|move)/u.test(outcome),
    );
    const isForgottenHere = isForgotten(situation, name, id) || outcomesOfAddress.has('forget');
    const presence = findPresence(situation, id);
    const isKept =
      this.#isClaimed(name, id) ||
      (desired.clients.has(name) && keepsPredecessor(situation, name, id, this.#recorded.get(name)?.id));
    if (isKept && !isForgottenHere) this.#accept(clientKey(name), ['unknown']);
    const end: Outcome[] = isKept ? [] : [`delete ${id}`];
    const outcomesByPresence: Record<Presence, Outcome[]> = {
      present: isStaying && !isKept ? end : [...end, 'nothing', 'unknown', 'problem'],
      missing: ['forget', 'nothing'],
      unknown: ['unknown', 'nothing'],
    };
    const outcomes = outcomesByPresence[presence];
    if (presence === 'unknown') this.#accept(clientKey(name), ['unknown']);
    const subjects = moved.length > 0 && !situation.destroy ? [...moved, clientKey(name)] : [clientKey(name)];
    for (const subject of subjects) {
      const isElsewhere = subjects.length > 1;
      const here: Outcome[] = isForgottenHere ? ['forget', 'nothing'] : outcomes;
      this.#accept(toObjectSubject(subject, id), isElsewhere ? [...here, 'nothing'] : here);
    }
  }
}

const isReplaceOrProblem = (outcome: string): boolean =>
  outcome.startsWith('replace') || outcome === 'problem';

export function expectClients(situation: Situation): Outcomes {
  return new ClientOracle(situation).decide();
}
