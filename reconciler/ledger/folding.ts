/** Takes journal records into a ledger, one by one; knows neither files nor time. */
import type { JournalRecord, Ledger, LedgerObject, PendingIntent, Tombstone } from './ledger';
import { orderLedger } from './order';

/** A ledger into which records are taken. */
export class Folding {
  readonly objects: Map<string, LedgerObject>;
  readonly pending: Map<string, PendingIntent>;
  tombstones: readonly Tombstone[];
  private readonly keys: Map<string, string>;

  constructor(private readonly before: Ledger) {
    this.objects = new Map(Object.entries(before.objects));
    this.pending = new Map(Object.entries(before.pending));
    this.tombstones = before.tombstones;
    this.keys = new Map(Object.entries(before.objects).map(([key, object]) => [identity(object), key]));
  }

  /** Takes one record; one that contradicts those before changes nothing, and why is returned. */
  take(record: JournalRecord): string | null {
    return change(this, record);
  }

  /** One object stands under one key: the latest to claim it has it. */
  put(key: string, object: LedgerObject): void {
    const holder = this.keys.get(identity(object));
    if (holder !== undefined && holder !== key) this.remove(holder);
    this.remove(key);
    this.objects.set(key, object);
    this.keys.set(identity(object), key);
  }

  remove(key: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    this.objects.delete(key);
    this.keys.delete(identity(object));
  }

  /** The ledger with all that was taken. The serial grows by one where something changed; the very same ledger when nothing did. */
  result(journal: string): Ledger {
    const after: Ledger = {
      ...this.before,
      objects: Object.fromEntries(this.objects),
      pending: Object.fromEntries(this.pending),
      tombstones: this.tombstones,
    };
    if (text(after) === text(this.before)) return this.before;
    return { ...after, serial: this.before.serial + 1, journal };
  }
}

function identity(object: LedgerObject): string {
  return `${object.kind} ${object.id}`;
}

function text(ledger: Ledger): string {
  return JSON.stringify(orderLedger(ledger));
}

function change(folding: Folding, record: JournalRecord): string | null {
  switch (record.event) {
    case 'intent':
      folding.pending.set(record.key, record.intent);
      return null;
    case 'late': {
      const { kind, address, nonce } = record.tombstone;
      const others = folding.tombstones.filter(
        (one) => one.kind !== kind || one.address !== address || one.nonce !== nonce,
      );
      folding.tombstones = [...others, record.tombstone];
      return null;
    }
    case 'object':
      folding.put(record.key, record.object);
      folding.pending.delete(record.key);
      return null;
    case 'removed':
      folding.remove(record.key);
      folding.pending.delete(record.key);
      return null;
    case 'moved':
      return move(folding, record.from, record.to);
  }
}

function move(folding: Folding, from: string, to: string): string | null {
  const object = folding.objects.get(from);
  const intent = folding.pending.get(from);
  if (object === undefined && intent === undefined) return `${from} was moved but is not there`;
  if (folding.objects.has(to) || folding.pending.has(to)) return `${from} was moved to ${to}, which is taken`;
  if (object !== undefined) folding.put(to, object);
  if (intent !== undefined) {
    folding.pending.delete(from);
    folding.pending.set(to, intent);
  }
  return null;
}
