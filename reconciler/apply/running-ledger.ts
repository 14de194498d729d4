/** The ledger as it is while an apply runs: every change is journaled first, then seen by the steps that follow. */
import type { JournalSink, Ledger, LedgerChange } from '../ledger/ledger';
import { LedgerState } from '../ledger/state';

/** A record could not be written, so nothing more may be done: the ledger would not know of it. */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
}

export class RunningLedger extends LedgerState {
  constructor(
    ledger: Ledger,
    private readonly journal: JournalSink,
    private readonly now: () => Date,
  ) {
    super(ledger);
  }

  /** Journals the change, then takes it. Rejects with `JournalFailed`. */
  async write(change: LedgerChange): Promise<void> {
    try {
      await this.journal.append({ ...change, at: this.stamp() });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new JournalFailed(`the journal of the ledger could not be written: ${why}`, { cause });
    }
    const refusal = this.take(change);
    if (refusal !== null) throw new JournalFailed(`the journal contradicts itself: ${refusal}`);
  }

  /** Ends an unfinished create and leaves what stands under the key as it is. */
  async endIntent(key: string): Promise<void> {
    if (!this.pending.has(key)) return;
    const object = this.objects.get(key);
    await this.write(object === undefined ? { event: 'removed', key } : { event: 'object', key, object });
  }

  /** Takes an object out, if that key still names that very object. */
  async remove(key: string, id: string | undefined): Promise<void> {
    const object = this.objects.get(key);
    const isIt = object !== undefined && (id === undefined || object.id === id);
    if (isIt) await this.write({ event: 'removed', key });
  }

  /** Remembers that something may still appear under a temporary name, or link. */
  async recordUnconfirmed(kind: string, address: string, nonce: string): Promise<void> {
    if (this.isUnconfirmed(nonce)) return;
    await this.write({ event: 'late', tombstone: { kind, address, nonce, since: this.stamp() } });
  }

  private stamp(): string {
    return this.now().toISOString();
  }
}
