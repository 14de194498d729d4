/** The lock of a ledger file: a folder beside it with a heartbeat, and a file that says who holds it. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type * as Lockfile from 'proper-lockfile';
import { systemCode } from '../../client/errors';
import { oneLine } from '../../client/text';
import { readPlainFile, unlessItFails } from '../../resources/plain-file';
import { LedgerError, LedgerLocked, type LockHolder, LockLost, lockWithin } from './store';

/** Times in milliseconds. Tests change them. */
export const lockTimes = {
  /** A lock without a heartbeat for so long is free. Process ids prove nothing, because containers share them. */
  stale: 30_000,
  heartbeat: 5_000,
  poll: 250,
};

interface Held {
  readonly id: string;
  readonly release: () => Promise<void>;
  isLost: boolean;
}

export class FileLock {
  #held: Held | null = null;

  /** `place` names the file in messages. */
  constructor(
    private readonly file: string,
    private readonly place: string,
  ) {}

  /** Waits at most `timeoutMs`, then throws `LedgerLocked`. */
  async take(who: string, timeoutMs: number): Promise<void> {
    const since = `${new Date().toISOString().slice(0, 19)}Z`;
    const holder = { id: randomBytes(4).toString('hex'), who, since };
    await lockWithin(timeoutMs, lockTimes.poll, async () => {
      try {
        this.#held = await this.#acquire(holder);
        return null;
      } catch (error) {
        // If two runs take over a stale lock at once, the slower one finds the file of the other.
        if (['ELOCKED', 'EEXIST'].includes(systemCode(error))) {
          return new LedgerLocked(this.place, readHolder(this.file));
        }
        throw new LedgerError(
          `could not lock ${this.place} (${systemCode(error)}): check its folder's permissions`,
        );
      }
    });
  }

  async #acquire(holder: LockHolder): Promise<Held> {
    // The package listens to the end of the process, so only a run that writes loads it.
    const { lock } = require('proper-lockfile') as typeof Lockfile;
    const { file } = this;
    let isTaken = false;
    const removeOwn = (): void => {
      if (readHolder(file)?.id === holder.id) removeLock(file);
    };
    const rmdir = (path: string, done: fs.NoParamCallback): void => {
      const other = readHolder(file);
      if (isTaken && other !== null && other.id !== holder.id) done(null);
      else fs.rmdir(path, done);
    };
    const held: Held = {
      id: holder.id,
      isLost: false,
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
      fs.rmSync(holderFile(file), { force: true });
      fs.writeFileSync(holderFile(file), `${JSON.stringify(holder)}\n`, { flag: 'wx' });
    } catch (error) {
      await held.release();
      throw error;
    }
    return held;
  }

  /** Throws `LockLost` if another run took over the lock or a user freed it. */
  refuseUnlessHeld(): void {
    if (this.#held === null) throw new Error('a ledger is saved under its lock');
    const holder = readHolder(this.file);
    if (this.#held.isLost || holder?.id !== this.#held.id) throw new LockLost(this.place, holder);
  }

  /** Releases the lock of this run. An id also releases the lock of another run, if that lock still has the id. */
  async release(id?: string): Promise<void> {
    if (id !== undefined && readHolder(this.file)?.id === id) removeLock(this.file);
    const held = this.#held;
    this.#held = null;
    if (held === null || held.isLost || readHolder(this.file)?.id !== held.id) return;
    fs.rmSync(holderFile(this.file), { force: true });
    // Everything is saved by now, and a lock that cannot be removed expires.
    await held.release().catch(() => {});
  }
}

function removeLock(file: string): void {
  for (const path of [holderFile(file), `${file}.lock`]) fs.rmSync(path, { force: true, recursive: true });
}

function holderFile(file: string): string {
  return `${file}.lock.json`;
}

const mostBytes = 10_000;

/** Returns null if there is no holder, or none that can be read. */
function readHolder(file: string): LockHolder | null {
  const text = unlessItFails(() => readPlainFile(holderFile(file), mostBytes).toString());
  const value: unknown = unlessItFails(() => JSON.parse(text ?? ''));
  const { id, who, since } = Object(value) as Partial<Record<string, unknown>>;
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id)) return null;
  return { id, who: oneLine(String(who), 100), since: oneLine(String(since), 30) };
}
