/** The ledger as it is while an apply runs: every change is journaled first, then seen by the steps that follow. */
import type {
  JournalRecord,
  Ledger,
  LedgerObject,
  LedgerOrganization,
  PendingIntent,
  Tombstone,
} from '../ledger/ledger';

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

interface Page {
  readonly objects: Map<string, LedgerObject>;
  /** Ledger key by kind and id. */
  readonly keys: Map<string, string>;
  readonly pending: Map<string, PendingIntent>;
  readonly tombstones: Map<string, Tombstone>;
}

/** The running state. */
export class Book {
  private readonly pages = new Map<string, Page>();

  constructor(
    ledger: Ledger,
    private readonly journal: JournalSink,
    private readonly now: () => Date,
  ) {
    for (const [name, organization] of Object.entries(ledger.organizations)) {
      this.pages.set(name, openPage(organization));
    }
  }

  /** What is ours under that key; absent when nothing is. */
  object(organization: string, key: string): LedgerObject | undefined {
    return this.page(organization).objects.get(key);
  }

  objects(organization: string): readonly (readonly [string, LedgerObject])[] {
    return [...this.page(organization).objects];
  }

  /** The create of that key that was begun and not finished. */
  pending(organization: string, key: string): PendingIntent | undefined {
    return this.page(organization).pending.get(key);
  }

  /** The keys whose unfinished create carries that nonce. */
  pendingUnder(organization: string, nonce: string): readonly string[] {
    return [...this.page(organization).pending].filter(([, one]) => one.nonce === nonce).map(([key]) => key);
  }

  /** Whether something may still appear under that nonce after its answer was lost. */
  hasTombstone(organization: string, nonce: string): boolean {
    return this.page(organization).tombstones.has(nonce);
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
  async endIntent(organization: string, key: string): Promise<void> {
    if (this.pending(organization, key) === undefined) return;
    const object = this.object(organization, key);
    await this.write(
      object === undefined
        ? { event: 'removed', organization, key }
        : { event: 'object', organization, key, object },
    );
  }

  /** Takes an object out, if that key still names that very object. */
  async remove(organization: string, key: string, id: string | undefined): Promise<void> {
    const object = this.object(organization, key);
    const isIt = object !== undefined && (id === undefined || object.id === id);
    if (isIt) await this.write({ event: 'removed', organization, key });
  }

  /** The time for records and tombstones. */
  stamp(): string {
    return this.now().toISOString();
  }

  private page(organization: string): Page {
    const known = this.pages.get(organization);
    if (known !== undefined) return known;
    const fresh = openPage({ objects: {}, pending: {}, tombstones: [] });
    this.pages.set(organization, fresh);
    return fresh;
  }

  private take(entry: Entry): void {
    const page = this.page(entry.organization);
    if (entry.event === 'intent') page.pending.set(entry.key, entry.intent);
    if (entry.event === 'late') page.tombstones.set(entry.tombstone.nonce, entry.tombstone);
    if (entry.event === 'object') put(page, entry.key, entry.object);
    if (entry.event === 'removed') drop(page, entry.key);
    if (entry.event === 'object' || entry.event === 'removed') page.pending.delete(entry.key);
    if (entry.event === 'moved') move(page, entry.from, entry.to);
  }
}

function openPage(organization: Pick<LedgerOrganization, 'objects' | 'pending' | 'tombstones'>): Page {
  const objects = Object.entries(organization.objects);
  return {
    objects: new Map(objects),
    keys: new Map(objects.map(([key, object]) => [identity(object), key])),
    pending: new Map(Object.entries(organization.pending)),
    tombstones: new Map(organization.tombstones.map((one) => [one.nonce, one])),
  };
}

function identity(object: LedgerObject): string {
  return `${object.kind} ${object.id}`;
}

/** One object stands under one key: the latest to claim it has it. */
function put(page: Page, key: string, object: LedgerObject): void {
  const holder = page.keys.get(identity(object));
  if (holder !== undefined) drop(page, holder);
  drop(page, key);
  page.objects.set(key, object);
  page.keys.set(identity(object), key);
}

function drop(page: Page, key: string): void {
  const object = page.objects.get(key);
  if (object === undefined) return;
  page.objects.delete(key);
  page.keys.delete(identity(object));
}

function move(page: Page, from: string, to: string): void {
  const object = page.objects.get(from);
  if (object !== undefined) put(page, to, object);
  const intent = page.pending.get(from);
  page.pending.delete(from);
  if (intent !== undefined) page.pending.set(to, intent);
}
