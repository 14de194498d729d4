/** The one reducer of the ledger: while a run records, at its end, and after one was killed. */
import { OperationalError } from '../../client/errors';
import {
  type JournalRecord,
  type JournalSink,
  type Ledger,
  type LedgerChange,
  type LedgerObject,
  type PendingIntent,
  serializeLedger,
  shapeProblems,
  type UnconfirmedCreate,
} from './ledger';

/** A ledger that one run works on. */
export interface OpenLedger {
  /** As it was, with the journal of an interrupted run taken in. */
  readonly ledger: Ledger;
  /** Rejects all when opened for reading. */
  readonly journal: JournalSink;
  /** Folds the records into the ledger, which ends the journal, and returns the ledger as it is then. */
  finish(): Promise<Ledger>;
  /** Releases the lock; without `finish`, the journal stays for the next run. */
  close(): Promise<void>;
}

/** Under which a create begins; `key` in the ledger. */
export type TemporaryName = Pick<PendingIntent, 'kind' | 'nonce'> & { readonly key: string };

/** A ledger that changes record by record; knows neither files nor time. */
export class LedgerState {
  readonly #before: Ledger;
  readonly #objects: Map<string, LedgerObject>;
  readonly #pending: Map<string, PendingIntent>;
  #unconfirmed: readonly UnconfirmedCreate[];
  #names: Ledger['names'];
  #hasDeleted = false;
  /** Ledger key by kind and id. */
  readonly #keys: Map<string, string>;
  /** Ledger keys by the values of fields, from the first question on; some have changed since. */
  #keysByValue: Map<string, Set<string>> | undefined;
  /** By ledger key. */
  readonly objects: ReadonlyMap<string, LedgerObject>;
  /** Unfinished creates, by ledger key. */
  readonly pending: ReadonlyMap<string, PendingIntent>;

  constructor(ledger: Ledger) {
    this.#before = ledger;
    this.objects = this.#objects = new Map(Object.entries(ledger.objects));
    this.pending = this.#pending = new Map(Object.entries(ledger.pending));
    this.#unconfirmed = ledger.tombstones;
    this.#names = ledger.names;
    this.#keys = new Map([...this.#objects].map(([key, object]) => [identity(object), key]));
  }

  manages(kind: string, id: string) {
    return this.#keys.has(identity({ kind, id }));
  }

  /** The keys of what has that value in a field. */
  keysWith(value: string): readonly string[] {
    if (this.#keysByValue === undefined) {
      this.#keysByValue = new Map();
      for (const [key, object] of this.#objects) this.#index(key, object);
    }
    return [...(this.#keysByValue.get(value) ?? [])];
  }

  #index(key: string, { values }: LedgerObject) {
    for (const value of Object.values(values)) {
      const keys = this.#keysByValue?.get(String(value));
      if (keys) keys.add(key);
      else this.#keysByValue?.set(String(value), new Set([key]));
    }
  }

  /** Whether an object may still appear under that temporary name, or a link. */
  isUnconfirmed(nonce: string) {
    return this.#unconfirmed.some((one) => one.nonce === nonce);
  }

  /** A change that contradicts those before is not taken; returns why. */
  take(change: LedgerChange): string | null {
    switch (change.event) {
      case 'moved':
        return this.#move(change.from, change.to);
      case 'late': {
        const { kind, address, nonce } = change.tombstone;
        const others = this.#unconfirmed.filter(
          (one) => one.kind !== kind || one.address !== address || one.nonce !== nonce,
        );
        this.#unconfirmed = [...others, change.tombstone];
        break;
      }
      case 'deleted':
        this.#hasDeleted = true;
        break;
      case 'names':
        this.#names = change.names;
        break;
      case 'intent':
        this.#pending.set(change.key, change.intent);
        break;
      case 'object':
        this.#put(change.key, change.object);
        this.#pending.delete(change.key);
        break;
      case 'removed':
        this.#remove(change.key);
        this.#pending.delete(change.key);
    }
    return null;
  }

  /** Throws, with nothing changed, for what could not be read or folded again. */
  accept(record: JournalRecord) {
    const wrong = shapeProblems(record.event, record);
    const why = wrong.length > 0 ? wrong.join('; ') : this.take(record);
    if (why !== null) throw new Error(`This ${record.event} record cannot be journaled: ${why}.`);
  }

  /**
   * With all that was taken (from the journal of this id) and without unconfirmed creates of before `oldest`, in ms: at the
   * next serial, or the very same ledger when nothing changed.
   */
  ledger(journal: string | null, oldest = 0): Ledger {
    const after: Ledger = {
      ...this.#before,
      objects: Object.fromEntries(this.#objects),
      pending: Object.fromEntries(this.#pending),
      // A time that cannot be read is not known to be old.
      tombstones: this.#unconfirmed.filter(({ since }) => !(Date.parse(since) < oldest)),
      ...(this.#names && { names: this.#names }),
    };
    const isSame = serializeLedger(after) === serializeLedger(this.#before);
    if (isSame && !this.#hasDeleted) return this.#before;
    return { ...after, serial: this.#before.serial + 1, ...(journal === null ? {} : { journal }) };
  }

  /** One object stands under one key: the latest. */
  #put(key: string, object: LedgerObject) {
    const holder = this.#keys.get(identity(object));
    if (holder !== undefined) this.#remove(holder);
    this.#remove(key);
    this.#objects.set(key, object);
    this.#keys.set(identity(object), key);
    this.#index(key, object);
  }

  #remove(key: string) {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    this.#keys.delete(identity(object));
  }

  #move(from: string, to: string) {
    const object = this.#objects.get(from);
    const intent = this.#pending.get(from);
    if (object === undefined && intent === undefined) return `${from} was moved but is not there`;
    if (this.#objects.has(to) || this.#pending.has(to)) return `${from} was moved to ${to}, which is taken`;
    if (object !== undefined) this.#put(to, object);
    if (intent !== undefined) {
      this.#pending.delete(from);
      this.#pending.set(to, intent);
    }
    return null;
  }
}

function identity({ kind, id }: Pick<LedgerObject, 'kind' | 'id'>) {
  return `${kind} ${id}`;
}

/** Nothing more may be done: the ledger would not know of it. */
export class JournalFailed extends OperationalError {}

/** Of a running apply: a change is journaled, then seen by later steps. Writes reject with `JournalFailed`. */
export class RunningLedger extends LedgerState {
  constructor(
    ledger: Ledger,
    private readonly journal: JournalSink,
    private readonly now: () => Date,
  ) {
    super(ledger);
  }

  async write(change: LedgerChange) {
    try {
      await this.journal.append({ ...change, at: this.now().toISOString() });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new JournalFailed(`the journal of the ledger could not be written: ${why}`, { cause });
    }
    const refusal = this.take(change);
    if (refusal !== null) throw new JournalFailed(`the journal contradicts itself: ${refusal}`);
  }

  /** Ends an unfinished create; what stands under the key stays. */
  async endIntent(key: string) {
    if (!this.pending.has(key)) return;
    const object = this.objects.get(key);
    await this.write(object === undefined ? { event: 'removed', key } : { event: 'object', key, object });
  }

  /** If the key still names that very object. */
  async remove(key: string, id: string | undefined) {
    const object = this.objects.get(key);
    if (object === undefined || (id !== undefined && object.id !== id)) return;
    await this.write({ event: 'removed', key });
  }

  async recordUnconfirmed(kind: string, address: string, nonce: string) {
    const since = this.now().toISOString();
    await this.write({ event: 'late', tombstone: { kind, address, nonce, since } });
  }
}
