/** The oracle for clients: each acceptable outcome of each address, after the table in design.md. */
import type { Values, WantedClient } from './desired';
import { type LedgerObject, type PendingCreate } from './outcome';
import type { RealClient } from './reality';
import {
  clientKey,
  defaults,
  differs,
  differsInFixed,
  isSameCreate,
  isYoung,
  ledgerField,
  madeBy,
  possibleMatches,
  presenceOf,
  recordedClients,
  recordedIds,
  type Situation,
  secretsToWrite,
  seenClient,
} from './situation';
import { readableFields } from './manifests';

/** By subject, what may become of it: `nothing`, `unknown`, `problem`, or actions such as `delete oc-1`. */
export type Outcomes = Map<string, Set<string>>;

type Recorded = LedgerObject & { readonly id: string };

/** The predecessor of a client, as a subject of its own. */
export const retiringOf = (key: string, id: string): string => `${key}#${id}`;

/** What an undeclared object may become by an automatic move: none, one for sure, or perhaps one. */
interface Move {
  readonly to: string;
  readonly isSure: boolean;
}

class ClientOracle {
  readonly outcomes: Outcomes = new Map();
  readonly #recorded: Map<string, Recorded>;
  readonly #moves = new Map<string, Move[]>();

  constructor(private readonly situation: Situation) {
    this.#recorded = recordedClients(situation);
  }

  decide(): Outcomes {
    const { situation } = this;
    const { desired, ledger, destroy } = situation;
    const pending = Object.keys(ledger.pending).map((key) => key.replace('OAuthClient/', ''));
    if (!destroy) this.#findMoves();
    const declared = destroy ? [] : [...desired.clients.keys()];
    for (const name of new Set([...declared, ...this.#recorded.keys(), ...pending])) {
      const wanted = destroy ? undefined : desired.clients.get(name);
      const outcomes = wanted === undefined ? this.#undeclared(name) : this.#declared(wanted);
      this.#accept(clientKey(name), outcomes);
    }
    for (const [name, { retiring = [] }] of this.#recorded) {
      for (const id of retiring) this.#retiring(name, id);
    }
    return this.outcomes;
  }

  #accept(subject: string, outcomes: readonly string[]): void {
    const before = this.outcomes.get(subject) ?? [];
    this.outcomes.set(subject, new Set([...before, ...outcomes]));
  }

  #pendingOf(name: string): PendingCreate | undefined {
    return this.situation.ledger.pending[clientKey(name)];
  }

  /** A declared address of no entry, and an undeclared entry of the same fields. */
  #findMoves(): void {
    const { situation } = this;
    const { desired } = situation;
    const found: { from: string; to: string; isStrict: boolean }[] = [];
    for (const [from, object] of this.#recorded) {
      const key = clientKey(from);
      const isApproved = desired.approved.some((line) => 'destroy' in line && line.destroy === key);
      const isFree = !desired.clients.has(from) && !desired.forget.has(key);
      if (!isFree || isApproved || this.#pendingOf(from) !== undefined) continue;
      const isPresent = presenceOf(situation, object.id, object.createdAt) === 'present';
      for (const wanted of desired.clients.values()) {
        if (this.#recorded.has(wanted.name) || this.#pendingOf(wanted.name) !== undefined) continue;
        if (wanted.entry.id !== undefined && !this.#isInert(wanted.entry.id)) continue;
        if (!isAlike(wanted.values, object)) continue;
        const isStrict = isPresent && isEqual(wanted, object) && !this.#isChanged(object);
        found.push({ from, to: wanted.name, isStrict });
      }
    }
    for (const { from, to, isStrict } of found) {
      const isOnly = found.filter((one) => one.from === from || one.to === to).length === 1;
      const moves = this.#moves.get(from) ?? [];
      this.#moves.set(from, [...moves, { to, isSure: isOnly && isStrict }]);
    }
  }

  #isChanged({ id, values = {} }: Recorded): boolean {
    const seen = seenClient(this.situation, id);
    return seen === undefined || readableFields.some((field) => (values[ledgerField(field)] ?? seen[field]) !== seen[field]);
  }

  /** A line that names what the ledger lets go, or what is gone, says nothing. */
  #isInert(id: string): boolean {
    const isRetiring = [...this.#recorded.values()].some(({ retiring = [] }) => retiring.includes(id));
    return isRetiring;
  }

  #undeclared(name: string): string[] {
    const { situation } = this;
    const key = clientKey(name);
    const object = this.#recorded.get(name);
    const pending = this.#pendingOf(name);
    const isForgotten = situation.desired.forget.has(key);
    if (isForgotten) return object === undefined ? ['forget', 'nothing'] : ['forget'];
    if (pending !== undefined) {
      if (situation.view.list === null) return ['unknown', 'problem', 'nothing'];
      const made = madeBy(situation, pending);
      const [only] = made;
      if (made.length > 1) return ['problem'];
      if (only !== undefined) return [`delete ${only.id}`];
      if (object === undefined) {
        return isYoung(situation, pending.attemptedAt) ? ['nothing', 'problem', 'unknown'] : ['forget', 'nothing'];
      }
    }
    const moves = this.#moves.get(name) ?? [];
    if (moves.some(({ isSure }) => isSure)) return ['nothing'];
    const maybe = moves.length > 0 ? ['nothing'] : [];
    if (object === undefined) return maybe.length > 0 ? maybe : ['nothing'];
    const presence = presenceOf(situation, object.id, object.createdAt);
    const usual = { present: `delete ${object.id}`, missing: 'forget', unknown: 'unknown' }[presence];
    return [usual, ...maybe];
  }

  #declared(wanted: WantedClient): string[] {
    const object = this.#recorded.get(wanted.name);
    const pending = this.#pendingOf(wanted.name);
    if (wanted.isUnknown) return ['unknown', 'problem'];
    const { id } = wanted.entry;
    if (id !== undefined && id !== object?.id && !this.#isInert(id)) {
      const decided = object === undefined ? this.#adoption(wanted, id) : this.#otherId(wanted, object, id);
      if (decided !== undefined) return decided;
    }
    if (pending !== undefined) return this.#withPending(wanted, object, pending);
    return this.#withoutPending(wanted, object);
  }

  #withoutPending(wanted: WantedClient, object: Recorded | undefined): string[] {
    const { situation } = this;
    if (object !== undefined) {
      const presence = presenceOf(situation, object.id, object.createdAt);
      if (presence === 'unknown') return ['unknown'];
      if (presence === 'missing') return this.#create(wanted);
      return this.#difference(wanted, object.id, object.digests);
    }
    const moves = [...this.#moves].flatMap(([from, list]) =>
      list.filter(({ to }) => to === wanted.name).map((move) => ({ ...move, from })),
    );
    const moved = moves.flatMap(({ from }) => {
      const old = this.#recorded.get(from);
      return old === undefined ? [] : [`move ${old.id}`];
    });
    if (moves.some(({ isSure }) => isSure)) return moved;
    return [...moved, ...this.#create(wanted)];
  }

  /** The entry has no record, and names the id of what it adopts. */
  #adoption(wanted: WantedClient, id: string): string[] | undefined {
    const { situation } = this;
    const holder = [...this.#recorded].find(([, one]) => one.id === id);
    if (holder !== undefined) {
      const [name, object] = holder;
      const isDeclared = situation.desired.clients.has(name);
      if (isDeclared) return ['problem'];
      const presence = presenceOf(situation, id, object.createdAt);
      if (presence !== 'present') return ['problem', 'unknown', ...this.#create(wanted)];
      // The old address has nothing left to do.
      this.#accept(clientKey(name), ['nothing']);
      return [`move ${id}`, `adopt ${id}`, ...this.#fixed(wanted, id)];
    }
    const seen = seenClient(situation, id);
    if (situation.view.list === null) return ['unknown', 'problem'];
    if (seen === undefined) return ['problem', ...(isYoungId(situation, id) ? ['unknown'] : [])];
    return differsInFixed(wanted.values, seen) ? ['problem'] : [`adopt ${id}`];
  }

  #fixed(wanted: WantedClient, id: string): string[] {
    const seen = seenClient(this.situation, id);
    return seen !== undefined && differsInFixed(wanted.values, seen) ? ['problem', `replace ${id}`] : [];
  }

  /** The entry has a record, and names another id. Undefined where the line is inert. */
  #otherId(wanted: WantedClient, object: Recorded, id: string): string[] | undefined {
    const { situation } = this;
    const presence = presenceOf(situation, object.id, object.createdAt);
    const other = seenClient(situation, id);
    if (situation.view.list === null) return ['unknown', 'problem'];
    if (other === undefined) return undefined;
    if (presence === 'present') return ['problem'];
    if (presence === 'unknown') return ['unknown', 'problem'];
    if (recordedIds(situation).has(id)) return ['problem', `adopt ${id}`, `move ${id}`];
    return differsInFixed(wanted.values, other) ? ['problem'] : [`adopt ${id}`];
  }

  #withPending(wanted: WantedClient, object: Recorded | undefined, pending: PendingCreate): string[] {
    const { situation } = this;
    if (situation.view.list === null) return ['unknown', 'problem'];
    const made = madeBy(situation, pending);
    const [only] = made;
    if (made.length > 1) return ['problem'];
    if (only !== undefined) return this.#taken(wanted, object, only, pending);
    const usual = this.#withoutPending(wanted, object);
    if (!isYoung(situation, pending.attemptedAt)) return usual;
    const isMade = usual.some((one) => one === 'create' || one.startsWith('replace'));
    return isMade ? ['problem', 'unknown'] : [...usual, 'problem'];
  }

  /** What the interrupted create made is there. */
  #taken(
    wanted: WantedClient,
    object: Recorded | undefined,
    made: RealClient,
    pending: PendingCreate,
  ): string[] {
    const { situation } = this;
    const key = clientKey(wanted.name);
    const after = this.#difference(wanted, made.id, pending.digests);
    const isReplaced = after.some((one) => one.startsWith('replace') || one === 'problem');
    const taken = isReplaced ? after : [`adopt ${made.id}`];
    const old = object === undefined ? undefined : seenClient(situation, object.id);
    if (object === undefined || old === undefined) return taken;
    const now = this.#difference(wanted, object.id, object.digests);
    const stays = !now.some((one) => one.startsWith('replace') || one === 'problem');
    // The declaration went back: the recorded one stays, and the found one goes.
    if (stays) this.#accept(retiringOf(key, made.id), [`delete ${made.id}`]);
    if (!stays) this.#accept(retiringOf(key, object.id), [`delete ${object.id}`, 'nothing']);
    if (stays && isReplaced) return now;
    if (!stays) return taken;
    this.#accept(retiringOf(key, object.id), [`delete ${object.id}`, 'nothing']);
    this.#accept(retiringOf(key, made.id), ['nothing']);
    return [...now, ...taken];
  }

  /** An existing client against its entry. */
  #difference(wanted: WantedClient, id: string, digests: Recorded['digests']): string[] {
    const { situation } = this;
    const seen = seenClient(situation, id);
    if (seen === undefined) return ['unknown'];
    const { update, replace } = secretsToWrite(situation, wanted, digests);
    if (differsInFixed(wanted.values, seen) || replace.length > 0) {
      return this.#replace(wanted, seen, digests);
    }
    return differs(wanted.values, seen) || update.length > 0 ? ['update'] : ['nothing'];
  }

  #replace(wanted: WantedClient, seen: RealClient, digests: Recorded['digests'] = {}): string[] {
    const { situation } = this;
    const carried: Values = {};
    for (const field of readableFields) carried[field] = wanted.values[field] ?? seen[field];
    if (wanted.values.name === null) carried.name = null;
    if (wanted.values.agentPool === null) carried.agentPool = null;
    const blocked = this.#blocked(wanted, carried);
    const { secrets } = wanted.entry;
    const held = situation.reality.secrets.get(seen.id);
    const isLost = (['oauthTokenString', 'secret', 'privateKey'] as const).some(
      (field) => secrets[field] === undefined && (held?.[field] !== null || digests[field] !== undefined),
    );
    return [...(isLost && !blocked.isSure ? ['problem'] : []), ...blocked.outcomes(`replace ${seen.id}`)];
  }

  #create(wanted: WantedClient): string[] {
    if (this.situation.view.list === null) return ['unknown', 'problem'];
    return this.#blocked(wanted, { ...defaults, ...wanted.values }).outcomes('create');
  }

  /** What stands in the way of a POST with these values. */
  #blocked(wanted: WantedClient, values: Values) {
    const { situation } = this;
    const needsKey = ['provider_c_server', 'ado_server'].includes(wanted.entry.serviceProvider);
    const lacksKey = needsKey && wanted.entry.secrets.privateKey === undefined;
    const matches = possibleMatches(situation, wanted, values.name as string | null);
    const adopted = new Set([...situation.desired.clients.values()].flatMap(({ entry }) => entry.id ?? []));
    const strange = matches.filter(({ id }) => !adopted.has(id) && !this.#isTaken(id));
    const others = Object.entries(situation.ledger.pending).filter(
      ([key, pending]) => key !== clientKey(wanted.name) && isSameCreate(values, pending),
    );
    const waits = others.some(
      ([, pending]) => madeBy(situation, pending).length === 0 && isYoung(situation, pending.attemptedAt),
    );
    const isSure = lacksKey || strange.length > 0 || waits;
    const isMaybe = matches.length > 0 || others.length > 0;
    return {
      isSure,
      outcomes: (usual: string): string[] =>
        isSure ? ['problem', ...(waits ? ['unknown'] : [])] : isMaybe ? [usual, 'problem', 'unknown'] : [usual],
    };
  }

  /** An interrupted create at some address made it. */
  #isTaken(id: string): boolean {
    return Object.values(this.situation.ledger.pending).some((pending) =>
      madeBy(this.situation, pending).some((one) => one.id === id),
    );
  }

  #retiring(name: string, id: string): void {
    const { situation } = this;
    const { desired } = situation;
    const moved = (this.#moves.get(name) ?? []).map(({ to }) => clientKey(to));
    const own = this.outcomes.get(clientKey(name)) ?? new Set<string>();
    const stands = [...own].every((one) => /^(?:nothing|update|adopt|delete|move)/u.test(one));
    const isForgotten =
      desired.forget.has(clientKey(name)) || desired.forget.has(clientKey(id)) || own.has('forget');
    const presence = presenceOf(situation, id);
    const outcomes = {
      present: stands ? [`delete ${id}`] : [`delete ${id}`, 'nothing', 'unknown', 'problem'],
      missing: ['forget', 'nothing'],
      unknown: ['unknown', 'nothing'],
    }[presence];
    if (presence === 'unknown') this.#accept(clientKey(name), ['unknown']);
    const subjects = moved.length > 0 && !situation.destroy ? [...moved, clientKey(name)] : [clientKey(name)];
    for (const subject of subjects) {
      const isElsewhere = subjects.length > 1;
      const here = isForgotten ? ['forget', 'nothing'] : outcomes;
      this.#accept(retiringOf(subject, id), isElsewhere ? [...here, 'nothing'] : here);
    }
  }
}

/** What was shown a moment ago may only be late. */
function isYoungId({ reality }: Situation, id: string): boolean {
  return reality.clients.has(id);
}

/** The provider and the URLs agree, and no other field contradicts. */
function isAlike(wanted: Values, { values = {} }: Recorded): boolean {
  return readableFields.every((field) => {
    const one = wanted[field];
    const other = values[ledgerField(field)];
    return one === undefined || other === undefined || one === other;
  });
}

/** Every field agrees, the secrets too. */
function isEqual({ values: wanted, entry }: WantedClient, { values = {}, digests = {} }: Recorded): boolean {
  const isSame = readableFields.every((field) => wanted[field] === values[ledgerField(field)]);
  const secrets = Object.keys(entry.secrets).sort().join();
  return isSame && secrets === Object.keys(digests).sort().join();
}

export function expectClients(situation: Situation): Outcomes {
  return new ClientOracle(situation).decide();
}
