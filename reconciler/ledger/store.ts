/** The interface of every home of a ledger, the text of its lock, and its errors. */
import { OperationalError } from '../../client/errors';
import { oneLine } from '../../client/text';
import type { LedgerPlace } from '../../manifest/ledger-place';
import { unlessItFails } from '../../resources/plain-file';
import type { Ledger } from './ledger';

export interface LockHolder {
  readonly id: string;
  /** The user, the host and the command. */
  readonly who: string;
  /** The time in ISO 8601. */
  readonly since: string;
}

/** Writes the lock in Terraform's format. */
export function renderLock({ id, who, since }: LockHolder): string {
  const more = { Operation: 'tether', Info: '', Version: '', Path: '' };
  return JSON.stringify({ ID: id, Who: who, Created: since, ...more });
}

/** Returns null for a text that names no holder. */
export function parseLock(text: string): LockHolder | null {
  const value = unlessItFails<unknown>(() => JSON.parse(text));
  const { ID: id, Who: who, Created: since } = Object(value) as Partial<Record<string, unknown>>;
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) return null;
  return {
    id,
    who: oneLine(String(who || 'another run'), 100),
    since: oneLine(String(since || 'long ago'), 30),
  };
}

export interface StoreContext {
  readonly folder: string;
  readonly organization: string;
  /** The `ledger:` line of the manifest. The default is a file in the folder. */
  readonly ledger?: LedgerPlace | null;
  /** Credentials for a home on a server. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Paths in messages are relative to it. */
  readonly cwd: string;
  /** After its abort, saves and unlocks wait for a home on a server for some seconds only. */
  readonly signal?: AbortSignal;
}

/** All reject with an `OperationalError` that says what to do. */
export interface LedgerStore {
  /** The name for messages, such as `tether.ledger.json`. */
  readonly place: string;
  /** A sentence about a stale lock that this run removed. It is absent if there was none. */
  readonly note?: string | undefined;
  /** The run whose stale lock this is about. */
  readonly staleHolder?: LockHolder | null;
  /** The shortest time between two saves of links, in milliseconds. */
  readonly saveEveryMs: number;
  /** Resolves to null if there is no document. A document that is invalid or of another organization is an error. */
  read(): Promise<Ledger | null>;
  /** Resolves to the run that has the lock. It is null if nobody has it, or if a read cannot show it. */
  holder(): Promise<LockHolder | null>;
  /** The id of a lock that would stay if the process ended now, or null. */
  readonly lockAtExit: string | null;
  /** Waits at most `timeoutMs`. Rejects with `LedgerLocked`, which names the holder. */
  lock(holder: Pick<LockHolder, 'who'> & Partial<Pick<LockHolder, 'id'>>, timeoutMs: number): Promise<void>;
  /** Called before each write to the service. Throws `LockLost` if another run may have the lock by now. */
  refuseUnlessHeld(): void;
  /** Saves the whole document. Rejects if the home does not hold `before`, or if the lock was lost. */
  save(ledger: Ledger, before: Ledger | null): Promise<void>;
  /** Releases the lock of this run, or with an id the lock of another run that is dead. */
  unlock(id?: string): Promise<void>;
}

/** The ledger cannot be used. What is stored was left as it is. */
export class LedgerError extends OperationalError {}

/** If no folders are given, the command is to be run in the folder of the manifests. */
export function howToUnlock(id: string, folders: readonly string[] = []): string {
  const command = ['tether ledger unlock', id, ...folders].join(' ');
  const where = folders.length === 0 ? ' in the folder of the manifests' : '';
  return `run \`${command}\`${where} when no run needs it`;
}

export class LedgerLocked extends LedgerError {
  constructor(
    place: string,
    /** It is null if the holder is not recorded. */
    readonly holder: LockHolder | null,
  ) {
    const who = holder === null ? 'another run' : `${holder.who} since ${holder.since}`;
    const unlock =
      holder === null ? 'if no run is alive, remove the lock there by hand' : howToUnlock(holder.id);
    super(`${place} is locked by ${who}: wait with --lock-timeout, or ${unlock}`);
  }
}

/** Another run took over the lock, or a user freed it. This run must stop. */
export class LockLost extends LedgerError {
  constructor(place: string, holder: LockHolder | null) {
    const by =
      holder === null
        ? ': somebody freed it, or this machine slept'
        : `, and ${holder.who} has it since ${holder.since}`;
    super(`the lock of ${place} was lost${by}`);
  }
}

/** Frees the lock of a run that the user knows to be dead. A run that is alive stops at its next save. */
export async function freeLock(store: LedgerStore, id: string, who: string): Promise<LockHolder> {
  const refusal = await lockedBy(store, who);
  // To look has freed a lock without a heartbeat.
  if (refusal === null && store.staleHolder?.id === id) return store.staleHolder;
  if (refusal === null)
    throw new LedgerError([`${store.place} is not locked`, store.note ?? []].flat().join('. '));
  // For another id, this error names the holder and its id.
  if (refusal.holder?.id !== id) throw refusal;
  await store.unlock(id);
  // A server may refuse without saying so.
  const still = await lockedBy(store, who);
  if (still?.holder?.id === id)
    throw new LedgerError(
      `${store.place} is still locked: its server did not free it. Remove the lock there by hand`,
    );
  return refusal.holder;
}

/** Returns null if nobody holds the lock. Only an attempt to take it shows its holder, and this holds in every home. */
async function lockedBy(store: LedgerStore, who: string): Promise<LedgerLocked | null> {
  try {
    await store.lock({ who }, 0);
  } catch (error) {
    if (error instanceof LedgerLocked) return error;
    throw error;
  }
  await store.unlock();
  return null;
}
