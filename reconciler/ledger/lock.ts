/** One writer at a time: taking, waiting for, taking over and releasing the lock of a ledger. */
import { readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import process from 'node:process';
import { LedgerError } from './ledger-error';
import {
  describeHolder,
  heldHere,
  type LockHolder,
  placeLock,
  readLock,
  stateOf,
  thisHolder,
} from './lock-file';

/** Time, so that tests can own it; milliseconds. */
export interface LockClock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface LockOptions {
  /** Who we are, for those who find the lock: `tether apply`. */
  readonly command: string;
  /** Seconds to wait for another holder; 0 fails at once. */
  readonly timeout: number;
  readonly clock: LockClock;
  /** Hears that we wait, and that a dead holder's lock was taken over. */
  readonly onNote: (note: string) => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** A lock that is ours until it is released. */
export interface Lock {
  readonly holder: LockHolder;
  /** Removes the lock, if it still is ours. */
  release(): Promise<void>;
}

const pollEvery = 200;

/** Takes the lock. Throws `LedgerError` that names the holder when it stays taken, and the signal's reason when stopped. */
export async function acquireLock(file: string, options: LockOptions): Promise<Lock> {
  const { clock, onNote } = options;
  const waited = patience(options);
  for (;;) {
    options.signal?.throwIfAborted();
    const holder = thisHolder(options.command, clock.now());
    heldHere.add(holder.token);
    if (await placeLock(file, holder).catch(forgetToken(holder.token))) return hold(file, holder);
    heldHere.delete(holder.token);

    const other = await readLock(file);
    if (other === null) continue;
    if (stateOf(other) === 'dead') {
      if (await removeLock(file, other, options)) {
        onNote(`Took over the lock of a process that is gone: ${describeHolder(other)}.`);
      }
      continue;
    }
    if (!(await waited(other))) throw locked(file, other, options.timeout);
  }
}

/** Waits while a running holder has the lock, without taking it; resolves with the one that still has it at the end, else null. */
export async function awaitRelease(
  file: string,
  options: Omit<LockOptions, 'command'>,
): Promise<LockHolder | null> {
  const waited = patience(options);
  for (;;) {
    options.signal?.throwIfAborted();
    // A lock that cannot be read keeps nobody from reading the ledger.
    const holder = await readLock(file).catch(() => null);
    if (holder === null || stateOf(holder) === 'dead') return null;
    if (!(await waited(holder))) return holder;
  }
}

/** Waits a little for a holder, and says so once for each; false when the time is up. */
function patience({
  clock,
  timeout,
  onNote,
}: Omit<LockOptions, 'command'>): (holder: LockHolder) => Promise<boolean> {
  const giveUpAt = clock.now() + timeout * 1000;
  let told = '';
  return async (holder) => {
    if (clock.now() >= giveUpAt) return false;
    if (told !== holder.token) onNote(`Waiting for the ledger's lock: ${describeHolder(holder)}.`);
    told = holder.token;
    await clock.sleep(Math.max(1, Math.min(pollEvery, giveUpAt - clock.now())));
    return true;
  };
}

/** Removes the lock if it still is that holding's; true when this call removed it. Only the holder of a lock's own lock may remove it from outside, so that of two that try, none removes what a third has placed since. */
export async function removeLock(file: string, holder: LockHolder, options: LockOptions): Promise<boolean> {
  const claim = await acquireLock(`${file}.${holder.token}`, { ...options, onNote: () => {} });
  try {
    const now = await readLock(file);
    if (now?.token !== holder.token) return false;
    await rm(file, { force: true });
    return true;
  } finally {
    await claim.release();
  }
}

function forgetToken(token: string): (error: unknown) => never {
  return (error) => {
    heldHere.delete(token);
    throw error;
  };
}

function locked(file: string, holder: LockHolder, timeout: number): LedgerError {
  const waited = timeout > 0 ? ` after ${timeout} s` : '';
  const gone =
    stateOf(holder) === 'elsewhere'
      ? 'If that process is gone, which cannot be seen from here, remove the lock with `tether ledger unlock`.'
      : 'That process is running.';
  return new LedgerError(
    'locked',
    file,
    `The ledger is still locked${waited} by ${describeHolder(holder)}.`,
    `Wait for it, or let this run wait with --lock-timeout SECONDS. ${gone}`,
  );
}

function hold(file: string, holder: LockHolder): Lock {
  const onExit = () => {
    if (isOurs(file, holder)) rmSync(file, { force: true });
  };
  process.on('exit', onExit);
  return {
    holder,
    release: async () => {
      process.off('exit', onExit);
      if (!heldHere.delete(holder.token)) return;
      const now = await readLock(file).catch(() => null);
      if (now?.token === holder.token) await rm(file, { force: true });
    },
  };
}

/** At exit nothing may throw; what cannot be read is not removed. */
function isOurs(file: string, holder: LockHolder): boolean {
  try {
    return readFileSync(file, 'utf8').includes(`"${holder.token}"`);
  } catch {
    return false;
  }
}
