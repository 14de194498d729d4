/** Where a ledger lives: four methods, whatever the home. */
import { OperationalError } from '../../client/errors';
import type { Ledger } from './ledger';

export interface LockHolder {
  readonly id: string;
  /** `user@host`, and the command. */
  readonly who: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface StoreContext {
  readonly folder: string;
  readonly organization: string;
  /** Paths in messages are relative to it. */
  readonly cwd: string;
}

/** All reject with an `OperationalError` that says what to do. */
export interface LedgerStore {
  /** For people: `tether.ledger.json`. */
  readonly place: string;
  /** The document, or null where there is none. A document that cannot be read, or of another organization, is an error. */
  read(): Promise<Ledger | null>;
  /** Waits at most `timeoutMs`. Rejects with `LedgerLocked`, which names the holder. */
  lock(holder: Omit<LockHolder, 'id' | 'since'>, timeoutMs: number): Promise<void>;
  /** The whole document, whose `serial` is one more than that of `before`; rejects where the home holds something else than `before`, or the lock was lost. */
  save(ledger: Ledger, before: Ledger | null): Promise<void>;
  unlock(): Promise<void>;
}

/** The ledger cannot be used. What is stored was left as it is. */
export class LedgerError extends OperationalError {}

/** Another run holds the lock. */
export class LedgerLocked extends LedgerError {
  constructor(
    place: string,
    /** Null where nobody wrote down who it is. */
    readonly holder: LockHolder | null,
  ) {
    const who = holder === null ? 'another run' : `${holder.who} since ${holder.since}`;
    const unlock =
      holder === null
        ? ''
        : `, or run \`tether ledger unlock ${holder.id}\` if you know that this run is dead`;
    super(`${place} is locked by ${who}: wait with --lock-timeout${unlock}`);
  }
}

/** The lock was taken over, or somebody freed it: this run must stop. */
export class LockLost extends LedgerError {
  constructor(place: string, holder: LockHolder | null) {
    const by = holder === null ? '' : `, and ${holder.who} has it since ${holder.since}`;
    super(
      `the lock of ${place} was lost${by}: this run stops, and nothing more is recorded. Run apply again`,
    );
  }
}
