/** The shared part of all homes of a ledger, which store a text and have a lock. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../../client/text';
import { unlessItFails } from '../../resources/plain-file';
import { parseLedger, renderLedger } from './document';
import type { Ledger } from './ledger';
import { LedgerError, LedgerLocked, type LedgerStore, type LockHolder } from './store';

/** Times in milliseconds, of which the second is for servers. Tests change them. */
export const homeTimes = { poll: 1000, request: 30_000 };

/** No ledger is that large, but a device or an answer may never end. */
export const mostBytes = 100_000_000;

/** The stored document. `tag` names this version of it. */
export interface Stored {
  readonly text: string;
  readonly tag: string;
}

export abstract class Home implements LedgerStore {
  abstract readonly saveEveryMs: number;
  #lock: LockHolder | null = null;
  #attempt: Promise<unknown> = Promise.resolve();

  constructor(
    readonly place: string,
    private readonly organization: string,
  ) {}

  /** Resolves to null if there is no document. Rejects with `LedgerError` in any doubtful case. */
  protected abstract load(): Promise<Stored | null>;
  /** Returns null on success, or else the reason. Even then, the document may have been written. */
  protected abstract store(text: string, before: Stored | null, lock: LockHolder): Promise<string | null>;
  /** Asks for the lock, and returns its holder. That is the given holder if the lock was free. */
  protected abstract takeLock(lock: LockHolder): Promise<LockHolder | null>;
  protected abstract removeLock(id: string): Promise<void>;

  async read(): Promise<Ledger | null> {
    return this.#parse(await this.load());
  }

  #parse(stored: Stored | null): Ledger | null {
    const { place, organization } = this;
    return stored && parseLedger(stored.text, { place, organization });
  }

  async lock({ who }: Pick<LockHolder, 'who'>, timeoutMs: number): Promise<void> {
    const lock = { id: randomUUID(), who, since: `${new Date().toISOString().slice(0, 19)}Z` };
    // The id is noted before the first attempt, because an interrupted one may have taken the lock.
    this.#lock = lock;
    try {
      for (const deadline = performance.now() + timeoutMs; ; ) {
        const attempt = this.takeLock(lock);
        this.#attempt = attempt.catch(() => {});
        const holder = await attempt;
        if (holder?.id !== lock.id) {
          const left = deadline - performance.now();
          if (left <= 0) throw new LedgerLocked(this.place, holder);
          await sleep(Math.min(left, homeTimes.poll));
        }
        if (this.#lock !== lock) throw new LedgerError(`${this.place} was unlocked by an interruption`);
        if (holder?.id === lock.id) return;
      }
    } catch (error) {
      if (error instanceof LedgerLocked) this.#lock = null;
      else await this.unlock().catch(() => {});
      throw error;
    }
  }

  async save(ledger: Ledger, before: Ledger | null): Promise<void> {
    if (this.#lock === null) throw new Error('a ledger is saved under its lock');
    const stored = await this.loadUnchanged(before);
    const text = renderLedger(ledger);
    const failure = await this.store(text, stored, this.#lock);
    if (failure !== null) {
      // The answer may be lost or belong to a second attempt, so the stored document decides.
      const now = await this.load();
      if (now?.text !== text && now?.text !== stored?.text) throw this.changed();
      if (now?.text !== text) throw new LedgerError(`${failure}, and it still holds what it held before`);
    }
  }

  /** Rejects if the home holds another ledger. */
  async loadUnchanged(before: Ledger | null): Promise<Stored | null> {
    const stored = await this.load();
    const expected = textOf(before);
    // A user may have formatted the stored text differently.
    if (stored?.text !== expected && textOf(this.#parse(stored)) !== expected) throw this.changed();
    return stored;
  }

  protected changed(): LedgerError {
    return new LedgerError(`${this.place} was changed by somebody else during this run`);
  }

  async unlock(id?: string): Promise<void> {
    const own = id ?? this.#lock?.id;
    this.#lock = null;
    if (own === undefined) return;
    // After an interruption, an attempt in flight may still take the lock.
    await this.#attempt;
    try {
      await this.removeLock(own);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new LedgerError(
        `${why}. It stays locked: run \`tether ledger unlock ${own}\` in the folder of the manifests when no run needs it`,
      );
    }
  }
}

function textOf(ledger: Ledger | null): string {
  return ledger === null || ledger.serial === 0 ? '' : renderLedger(ledger);
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
