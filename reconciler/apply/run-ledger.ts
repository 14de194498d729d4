/** The ledger during an apply. Each step changes it, and each save writes the whole document. */
import { OperationalError } from '../../client/errors';
import type { Found } from '../../resources/kind';
import { isTime, refuseInvalid } from '../ledger/document';
import { type Author, type Ledger, type LedgerObject, nextSerial, type Pending } from '../ledger/ledger';
import type { LedgerStore } from '../ledger/store';
import { inheritedKeys } from '../plan/carried-sets';
import type { ToRecord } from '../plan/plan';

/** The ledger was not saved. No further step may start, because it could not be recorded. */
export class LedgerNotSaved extends OperationalError {}

export class RunLedger {
  readonly objects: Map<string, LedgerObject>;
  readonly pending: Map<string, Pending>;
  private hasSaved = false;
  private savedAt: number;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: LedgerStore,
    private saved: Ledger,
    /** The service of this run. Each save notes it. */
    private readonly address: string,
    private readonly now: () => number,
    private isDirty: boolean,
    private readonly author?: Author,
  ) {
    this.objects = new Map(Object.entries(saved.objects));
    this.pending = new Map(Object.entries(saved.pending));
    this.savedAt = now();
  }

  /** Drops a `createdAt` that is not a time. Throws `LedgerError` if the ledger could not be read again. */
  set(key: string, object: Omit<LedgerObject, 'createdAt'> & { readonly createdAt?: unknown }): void {
    const { createdAt, retiring = [], ...rest } = object;
    const entry = {
      ...rest,
      ...(isTime(createdAt) && { createdAt }),
      ...(retiring.length > 0 && { retiring }),
    };
    refuseInvalid({ ...nextSerial(this.saved, this.address), objects: { [key]: entry }, pending: {} });
    this.objects.set(key, entry);
    this.isDirty = true;
  }

  setValues({ address, objectId, values }: ToRecord): void {
    const object = this.objects.get(address);
    if (object?.id === objectId) this.set(address, { ...object, values });
  }

  remove(key: string): void {
    this.objects.delete(key);
    this.isDirty = true;
  }

  setPending(address: string, pending: Pending): void {
    refuseInvalid({ ...nextSerial(this.saved, this.address), objects: {}, pending: { [address]: pending } });
    this.pending.set(address, pending);
    this.isDirty = true;
  }

  removePending(address: string): void {
    if (this.pending.delete(address)) this.isDirty = true;
  }

  /** Removes one id of an address, and its links. A predecessor takes the place of a recorded id. */
  removeClient(address: string, id: string): void {
    const { retiring = [], ...recorded } = this.objects.get(address) ?? {};
    const remaining = retiring.filter((retiringId) => retiringId !== id);
    const [predecessor] = remaining;
    if (recorded.id !== undefined && recorded.id !== id)
      this.set(address, { ...recorded, retiring: remaining });
    else if (predecessor === undefined) this.remove(address);
    else this.set(address, { id: predecessor, values: {}, digests: {}, retiring: remaining.slice(1) });
    this.removeLinks(id);
  }

  /** Records links of a client at its successor, which was created with them. The other keys stay. */
  inheritLinks(keys: Iterable<string>, oldId: string, successor: Pick<Found, 'id' | 'values'>): void {
    for (const [key, newKey] of inheritedKeys(keys, oldId, successor)) {
      this.set(newKey, this.objects.get(key) ?? {});
      this.remove(key);
    }
  }

  removeLinks(clientId: string): void {
    // This is safe, because no name in an address looks like an id.
    const keys = [...this.objects.keys()].filter((key) => key.split('/').includes(clientId));
    for (const key of keys) this.remove(key);
  }

  /** Resolves when all changes until now are saved. Rejects with `LedgerNotSaved`, as does every later save. */
  save(): Promise<void> {
    // After a failure, every later save is skipped and has the same rejection.
    this.last = this.last.then(() => this.write());
    return this.last;
  }

  /** Saves links if the last save is old enough. Each step of a client is saved at once. */
  async saveSoon(): Promise<void> {
    if (this.now() - this.savedAt >= this.store.saveEveryMs) await this.save();
  }

  private async write(): Promise<void> {
    if (!this.isDirty) return;
    this.isDirty = false;
    const { saved, store, address, author } = this;
    const objects = Object.fromEntries(this.objects);
    const ledger = {
      ...nextSerial(saved, address, author),
      objects,
      pending: Object.fromEntries(this.pending),
    };
    try {
      await store.save(ledger, saved.serial === 0 ? null : saved);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const state = this.hasSaved
        ? 'No further step was started. The last steps may be missing in it. Run the same command again: it finds the objects that exist'
        : 'Nothing was changed: run the same command again';
      throw new LedgerNotSaved(`The ledger ${store.place} could not be saved: ${why}. ${state}`);
    }
    this.hasSaved = true;
    this.saved = ledger;
    this.savedAt = this.now();
  }
}
