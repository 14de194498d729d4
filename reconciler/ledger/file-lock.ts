/** The lock of a ledger file: a folder beside it with a heartbeat, and a file that says who holds it. */
import fs from 'node:fs';
import type * as Lockfile from 'proper-lockfile';
import { systemCode } from '../../client/errors';
import { readPlainFile, unlessItFails } from '../../resources/plain-file';
import { type LockHolder, parseLock, renderLock } from './store';

/** Times in milliseconds. */
export const lockTimes = {
  /** A lock without a heartbeat for so long is free. Process ids prove nothing, because containers share them. */
  stale: 30_000,
  heartbeat: 5_000,
};

interface Held {
  readonly id: string;
  readonly release: () => Promise<void>;
  isLost: boolean;
  /** True once its heartbeat was found to be too old. */
  hasExpired: boolean;
}

export class FileLock {
  #held: Held | null = null;
  /** The holder whose lock had no heartbeat any more. */
  dead: LockHolder | null = null;

  constructor(private readonly file: string) {}

  /** Returns false if another run holds the lock. */
  async take(lock: LockHolder): Promise<boolean> {
    try {
      this.#held = await this.#acquire(lock);
      return true;
    } catch (error) {
      // If two runs take over a stale lock at once, the slower one finds the file of the other.
      if (['ELOCKED', 'EEXIST'].includes(systemCode(error))) return false;
      throw error;
    }
  }

  async #acquire(holder: LockHolder): Promise<Held> {
    // The package listens to the end of the process, so only a run that writes loads it.
    const { lock } = require('proper-lockfile') as typeof Lockfile;
    const { file } = this;
    let isTaken = false;
    const removeOwn = (): void => {
      if (this.holder()?.id === holder.id) this.#remove();
    };
    // The package calls it in two cases: to take over a stale lock, and later to release this one. A run releases no lock of another.
    const rmdir = (path: string, done: fs.NoParamCallback): void => {
      const recorded = this.holder();
      // It is a takeover. The earlier run may wake up, and must not find its name beside this lock.
      if (!isTaken) this.#removeHolder();
      if (isTaken && recorded !== null && recorded.id !== holder.id) done(null);
      else fs.rmdir(path, done);
    };
    const held: Held = {
      id: holder.id,
      isLost: false,
      hasExpired: false,
      release: await lock(file, {
        realpath: false,
        stale: lockTimes.stale,
        update: lockTimes.heartbeat,
        // The package calls these at a release and at the end of the process. By then, another run may hold the lock.
        fs: { ...fs, rmdir, rmdirSync: removeOwn },
        onCompromised: () => {
          held.isLost = true;
        },
      }),
    };
    isTaken = true;
    try {
      this.#removeHolder();
      fs.writeFileSync(holderFile(file), `${renderLock(holder)}\n`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      await held.release();
      throw error;
    }
    return held;
  }

  /** False if another run took over the lock or may do so, or if a user freed it. */
  isHeld(): boolean {
    const isYoung = this.#isYoung();
    // The next heartbeat makes the lock young again, and calls that wait for their turn must not be sent then.
    if (this.#held && !isYoung) this.#held.hasExpired = true;
    const { isLost, hasExpired, id } = this.#held ?? { isLost: true };
    return !isLost && !hasExpired && this.holder()?.id === id;
  }

  #isYoung(): boolean {
    const beatAt = unlessItFails(() => fs.statSync(`${this.file}.lock`).mtimeMs) ?? 0;
    // A monotonic clock stands still while the machine sleeps.
    return Date.now() - beatAt < lockTimes.stale;
  }

  /** Returns the run that has the lock. A run without a recent heartbeat does not count. */
  currentHolder(): LockHolder | null {
    return this.#isYoung() ? this.holder() : null;
  }

  /** A run that ends by itself removes its file before its lock, so this one is of a dead run. */
  #removeHolder(): void {
    this.dead ??= this.holder();
    fs.rmSync(holderFile(this.file), { force: true });
  }

  /** Returns null if there is no holder, or none that can be read. */
  holder(): LockHolder | null {
    const text = unlessItFails(() => readPlainFile(holderFile(this.file), 10_000).toString());
    return parseLock(text ?? '');
  }

  /** Returns null unless another run is known to have the lock. */
  successor(): LockHolder | null {
    const holder = this.holder();
    return holder?.id === this.#held?.id ? null : holder;
  }

  /** Releases the lock with that id, of this run or of another one. */
  async release(id: string): Promise<void> {
    const held = this.#held;
    const isRecorded = this.holder()?.id === id;
    if (held?.id !== id) {
      if (isRecorded) this.#remove();
      return;
    }
    this.#held = null;
    if (!isRecorded || held.isLost) return;
    fs.rmSync(holderFile(this.file), { force: true });
    // Everything is saved by now, and a lock that cannot be removed expires.
    await held.release().catch(() => {});
  }

  #remove(): void {
    for (const path of [holderFile(this.file), `${this.file}.lock`]) {
      fs.rmSync(path, { force: true, recursive: true });
    }
  }
}

function holderFile(file: string): string {
  return `${file}.lock.json`;
}
