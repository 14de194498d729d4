/** Where a ledger lives: four methods, whatever the home. */
import type { Ledger } from './ledger';

export interface LockHolder {
  readonly id: string;
  /** `user@host`, and the command. */
  readonly who: string;
  /** ISO 8601. */
  readonly since: string;
}

/** All reject with an `OperationalError` that says what to do. */
export interface LedgerStore {
  /** For people: `tether.ledger.json`, `s3://bucket/key`. */
  readonly place: string;
  /** The document, or null where there is none. A document that cannot be read, or of another organization, is an error. */
  read(): Promise<Ledger | null>;
  /** Waits at most `timeoutMs`. Rejects with `LedgerLocked`, which names the holder. */
  lock(holder: Omit<LockHolder, 'id' | 'since'>, timeoutMs: number): Promise<void>;
  /** The whole document, whose `serial` is one more than that of `before`; rejects where the home holds something else than `before`, or the lock was lost. */
  save(ledger: Ledger, before: Ledger | null): Promise<void>;
  unlock(): Promise<void>;
}
