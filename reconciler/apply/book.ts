/** The ledger as it is while an apply runs: every change is journaled first, then seen by the steps that follow. */
import type { JournalRecord, Ledger, LedgerObject, PendingIntent, Tombstone } from '../ledger/ledger';

/** Where records go: resolves when the record is on disk. */
export interface JournalSink {
  append(record: JournalRecord): Promise<void>;
}

/** A record could not be written, so nothing more may be done: the ledger would not know of it. */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
}

type Unstamped<Record> = Record extends JournalRecord ? Omit<Record, 'at'> : never;
/** A journal record before it gets its time. */
export type Entry = Unstamped<JournalRecord>;

/** The running state. */
export class Book {
  private readonly held: Map<string, LedgerObject>;
  /** Ledger key by kind and id. */
  private readonly keys: Map<string, string>;
  private readonly intents: Map<string, PendingIntent>;
  private readonly tombstones: Map<string, Tombstone>;

  constructor(
    ledger: Ledger,
    private readonly journal: JournalSink,
    private readonly now: () => Date,
  ) {
    this.held = new Map(Object.entries(ledger.objects));
    this.keys = new Map([...this.held].map(([key, object]) => [identity(object), key]));
    this.intents = new Map(Object.entries(ledger.pending));
    this.tombstones = new Map(ledger.tombstones.map((one) => [one.nonce, one]));
  }

  /** What is ours under that key; absent when nothing is. */
  object(key: string): LedgerObject | undefined {
    return this.held.get(key);
  }

  objects(): readonly (readonly [string, LedgerObject])[] {
    return [...this.held];
  }

  /** The create of that key that was begun and not finished. */
  pending(key: string): PendingIntent | undefined {
    return this.intents.get(key);
  }

  /** The keys whose unfinished create carries that nonce. */
  pendingUnder(nonce: string): readonly string[] {
    return [...this.intents].filter(([, one]) => one.nonce === nonce).map(([key]) => key);
  }

  /** Whether something may still appear under that nonce after its answer was lost. */
  hasTombstone(nonce: string): boolean {
    return this.tombstones.has(nonce);
  }

  /** Journals the entry, then takes it over. Rejects with `JournalFailed`. */
  async write(entry: Entry): Promise<void> {
    try {
      await this.journal.append({ ...entry, at: this.now().toISOString() });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new JournalFailed(`the journal of the ledger could not be written: ${why}`, { cause });
    }
    this.take(entry);
  }

  /** Ends an unfinished create and leaves what stands under the key as it is. */
  async endIntent(key: string): Promise<void> {
    if (this.pending(key) === undefined) return;
    const object = this.object(key);
    await this.write(object === undefined ? { event: 'removed', key } : { event: 'object', key, object });
  }

  /** Takes an object out, if that key still names that very object. */
  async remove(key: string, id: string | undefined): Promise<void> {
    const object = this.object(key);
    const isIt = object !== undefined && (id === undefined || object.id === id);
    if (isIt) await this.write({ event: 'removed', key });
  }

  /** The time for records and tombstones. */
  stamp(): string {
    return this.now().toISOString();
  }

  private take(entry: Entry): void {
    if (entry.event === 'intent') this.intents.set(entry.key, entry.intent);
    if (entry.event === 'late') this.tombstones.set(entry.tombstone.nonce, entry.tombstone);
    if (entry.event === 'object') this.put(entry.key, entry.object);
    if (entry.event === 'removed') this.drop(entry.key);
    if (entry.event === 'object' || entry.event === 'removed') this.intents.delete(entry.key);
    if (entry.event === 'moved') this.move(entry.from, entry.to);
  }

  /** One object stands under one key: the latest to claim it has it. */
  private put(key: string, object: LedgerObject): void {
    const holder = this.keys.get(identity(object));
    if (holder !== undefined) this.drop(holder);
    this.drop(key);
    this.held.set(key, object);
    this.keys.set(identity(object), key);
  }

  private drop(key: string): void {
    const object = this.held.get(key);
    if (object === undefined) return;
    this.held.delete(key);
    this.keys.delete(identity(object));
  }

  private move(from: string, to: string): void {
    const object = this.held.get(from);
    if (object !== undefined) this.put(to, object);
    const intent = this.intents.get(from);
    this.intents.delete(from);
    if (intent !== undefined) this.intents.set(to, intent);
  }
}

function identity(object: LedgerObject): string {
  return `${object.kind} ${object.id}`;
}
