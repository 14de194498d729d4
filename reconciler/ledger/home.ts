/** The shared part of all homes of a ledger, which store a text and have a lock. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../../client/text';
import { parseLedger, renderLedger } from './document';
import type { Ledger } from './ledger';
import {
  howToUnlock,
  LedgerError,
  LedgerLocked,
  type LedgerStore,
  type LockHolder,
  LockLost,
  type StoreContext,
} from './store';

/**
 * Times in milliseconds: between two looks at a lock, and before a request is tried a second time (`poll`); until a request, a save or an unlock is
 * given up (`request`); and until a server that hangs is given up after Ctrl-C (`interrupted`). Tests change them.
 */
export const homeTimes = { poll: 1000, request: 30_000, interrupted: 5000 };

/** A command that begins may have a wrong address. A run with work done waits longer. */
const [triesAtStart, triesOfRun] = [3, 5];

/** No ledger is larger. The parser needs up to forty times the size, and a device or an answer may never end. */
export const maxBytes = 32_000_000;

/** The stored document. `tag` names this version of it. */
export interface Stored {
  readonly text: string;
  readonly tag: string;
}

/** The home may serve the same request soon. */
class LedgerOutage extends LedgerError {
  override readonly name = 'LedgerError';
}

export abstract class Home implements LedgerStore {
  abstract readonly saveEveryMs: number;
  #lock: LockHolder | null = null;
  #lockAtExit: string | null = null;
  /** It resolves to undefined if nobody knows who has the lock. */
  #attempt: Promise<LockHolder | null | undefined> = Promise.resolve(undefined);

  constructor(
    readonly place: string,
    private readonly context: Pick<StoreContext, 'organization' | 'signal'>,
  ) {}

  get lockAtExit(): string | null {
    return this.#lockAtExit;
  }

  refuseUnlessHeld(): void {}

  /** The protocol over HTTP shows a lock only to who asks for it. */
  async holder(): Promise<LockHolder | null> {
    return null;
  }

  /** Resolves to null if there is no document. Rejects with `LedgerError` in any doubtful case. */
  protected abstract load(): Promise<Stored | null>;
  /** Returns null if the answer proves the save, or else the reason. Even then, the document may have been written. */
  protected abstract store(text: string, before: Stored | null, lock: LockHolder): Promise<string | null>;
  /** Asks for the lock, and returns its holder. That is the given holder if the lock was free. */
  protected abstract takeLock(lock: LockHolder): Promise<LockHolder | null>;
  /** A repeated request may find the lock of another run, because the answer to an earlier one was lost. */
  protected abstract removeLock(id: string, isRepeated: boolean): Promise<void>;

  async read(): Promise<Ledger | null> {
    return this.#parse(await this.#repeat(() => this.load(), triesAtStart));
  }

  /** Repeats the work during an outage, with longer and longer waits. `tries` counts from 1. */
  async #repeat<Result>(
    work: (tries: number) => Promise<Result>,
    maxTries: number,
    signal?: AbortSignal,
  ): Promise<Result> {
    const deadline = performance.now() + homeTimes.request;
    for (let [tries, wait] = [1, homeTimes.poll]; ; tries += 1, wait *= 2) {
      try {
        return await work(tries);
      } catch (error) {
        const isOver = tries === maxTries || performance.now() + wait > deadline || signal?.aborted;
        if (isOver || !(error instanceof LedgerOutage)) throw error;
      }
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }

  #parse(stored: Stored | null): Ledger | null {
    return stored && parseLedger(stored.text, { place: this.place, ...this.context });
  }

  async lock(
    { who, id = randomUUID() }: Parameters<LedgerStore['lock']>[0],
    timeoutMs: number,
  ): Promise<void> {
    const lock = { id, who, since: `${new Date().toISOString().slice(0, 19)}Z` };
    // The id is noted before the first attempt, because an interrupted one may have taken the lock.
    this.#lock = lock;
    this.#lockAtExit = id;
    try {
      for (const deadline = performance.now() + timeoutMs; ; ) {
        const attempt = this.#repeat(() => this.takeLock(lock), triesAtStart, this.context.signal);
        this.#attempt = attempt.catch(() => undefined);
        const holder = await this.#withinPatience(attempt);
        if (holder?.id !== lock.id) {
          const left = deadline - performance.now();
          if (left <= 0) throw new LedgerLocked(this.place, holder);
          await sleep(Math.min(left, homeTimes.poll));
        }
        if (this.#lock !== lock) throw new LedgerError(`${this.place} was unlocked by an interruption`);
        if (holder?.id === lock.id) return;
      }
    } catch (error) {
      if (error instanceof LedgerLocked) this.#lock = this.#lockAtExit = null;
      else {
        await this.unlock().catch((failure: unknown) => {
          // An interrupted attempt may still take the lock, and this failure names it.
          if (this.context.signal?.aborted) throw failure;
        });
      }
      throw error;
    }
  }

  async save(ledger: Ledger, before: Ledger | null): Promise<void> {
    if (this.#lock === null) throw new Error('a ledger is saved under its lock');
    await this.#withinPatience(this.#save(renderLedger(ledger), before, this.#lock));
  }

  async #save(text: string, before: Ledger | null, lock: LockHolder): Promise<void> {
    if (Buffer.byteLength(text) > maxBytes) throw this.tooLarge();
    // An interruption ends the waits, because no save may follow the unlock.
    const { signal } = this.context;
    const stored = await this.#repeat(() => this.#loadUnchanged(before), triesOfRun, signal);
    const attempt = async (): Promise<void> => {
      const failure = await this.store(text, stored, lock);
      if (failure === null) return;
      // The answer may be lost or belong to a second attempt, so the stored document decides.
      const now = await this.load();
      if (now?.text === text) return;
      if (now?.text !== stored?.text || now?.tag !== stored?.tag) throw this.changed();
      throw new LedgerOutage(`${failure}, and it still holds what it held before`);
    };
    await this.#repeat(attempt, triesOfRun, signal);
  }

  /** After an interruption, a home that hangs is not awaited for long. */
  async #withinPatience<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.context;
    if (signal === undefined) return work;
    const ended = new AbortController();
    const impatience = async (): Promise<never> => {
      if (!signal.aborted) await once(signal, 'abort', { signal: ended.signal });
      await sleep(homeTimes.interrupted, undefined, { signal: ended.signal });
      throw new LedgerError(`no answer from ${this.place} after the interruption`);
    };
    try {
      return await Promise.race([work, impatience()]);
    } finally {
      ended.abort();
    }
  }

  /** Rejects if the home holds another ledger. */
  async #loadUnchanged(before: Ledger | null): Promise<Stored | null> {
    const stored = await this.load();
    const expected = toText(before);
    // A user may have formatted the stored text differently.
    if (stored?.text !== expected && toText(this.#parse(stored)) !== expected) throw this.changed();
    return stored;
  }

  /** The status is 0 where there was no answer. */
  protected refusal(verb: string, status: number, why: string): LedgerError {
    return new (isOutage(status) ? LedgerOutage : LedgerError)(`could not ${verb} ${this.place}: ${why}`);
  }

  protected tooLarge(): LedgerError {
    const advice = 'restore an earlier version, or give parts of it folders of their own';
    return new LedgerError(`${this.place} has more than ${maxBytes / 1_000_000} MB: ${advice}`);
  }

  protected changed(): LedgerError {
    return new LedgerError(`${this.place} was changed by somebody else during this run`);
  }

  async unlock(id?: string): Promise<void> {
    const lockId = id ?? this.#lock?.id;
    this.#lock = null;
    if (lockId === undefined) return;
    const free = async (): Promise<void> => {
      // After an interruption, an attempt in flight may still take the lock.
      const holder = await this.#attempt;
      const isOfAnother = id === undefined && holder !== undefined && holder?.id !== lockId;
      const maxTries = holder === undefined || this.context.signal?.aborted ? triesAtStart : triesOfRun;
      if (!isOfAnother) await this.#repeat((tries) => this.removeLock(lockId, tries > 1), maxTries);
      this.#lockAtExit = null;
    };
    try {
      await this.#withinPatience(free());
    } catch (error) {
      if (error instanceof LockLost) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const advice = id === undefined ? howToUnlock(lockId) : 'try again, or remove the lock there by hand';
      throw new LedgerError(`${why}. It may stay locked: ${advice}`);
    }
  }
}

function toText(ledger: Ledger | null): string {
  return ledger === null || ledger.serial === 0 ? '' : renderLedger(ledger);
}

/** Says what to do about an answer that is no success. The settings name what the user can change. */
export function wayOut(
  status: number,
  location: string | undefined,
  { address, credentials }: Readonly<Record<'address' | 'credentials', string>>,
): string {
  if (status === 401 || status === 403) return `check ${credentials}`;
  if (isOutage(status)) return 'try again later';
  if (isConflict(status)) return 'another run may have the lock';
  if (status < 300 || status >= 400) return `check ${address} and ${credentials}`;
  // A query could hold a secret.
  const target = oneLine(location?.replace(/[?#].*/s, '') ?? 'an unnamed place', 200);
  return `it redirects to ${target}, which Tether does not follow: check ${address}`;
}

function isOutage(status: number): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

/** GitLab answers 409 and Gitea answers 423. */
export function isConflict(status: number): boolean {
  return status === 409 || status === 423;
}
