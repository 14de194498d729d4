/** One writer at a time: taking, waiting for, taking over and releasing the lock of a ledger. */
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { readBytes } from './file';
import { inaccessible, LedgerError, systemCode } from './ledger-error';
import { describeHolder, heldHere, type LockHolder, parseHolder, stateOf, thisHolder } from './lock-holder';

/** Time, so that tests can own it; milliseconds. */
export interface LockClock {
  now(): number;
  /** Resolves after that long, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
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

/** Where the lock of a ledger lies. */
export function lockOf(ledgerFile: string): string {
  return `${ledgerFile}.lock`;
}

/** Takes the lock. Throws `LedgerError` that names the holder when it stays taken, and the signal's reason when stopped. */
export async function acquireLock(file: string, options: LockOptions): Promise<Lock> {
  const { clock, onNote } = options;
  const waited = patience(options);
  for (;;) {
    options.signal?.throwIfAborted();
    const holder = thisHolder(options.command, clock.now());
    if (place(file, holder)) return hold(file, holder);
    const other = await readLock(file, options);
    if (other === null) continue;
    if (stateOf(other) === 'dead' && replace(file, other, holder)) {
      onNote(`Removed a stale lock (${describeHolder(other)} no longer runs).`);
      return hold(file, holder);
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
    const holder = await readLock(file, options).catch(() => null);
    if (holder === null || stateOf(holder) === 'dead') return null;
    if (!(await waited(holder))) return holder;
  }
}

/** Removes a lock that a person knows to be dead, and returns whose it was; null when there is none. Throws `LedgerError` for another token, and while its holder is seen to run. */
export async function unlock(file: string, token: string, clock: LockClock): Promise<LockHolder | null> {
  const holder = await readLock(file, { clock });
  if (holder === null) return null;
  const refuse = (what: string, remedy: string) => new LedgerError('locked', file, what, remedy);
  if (holder.token !== token) {
    throw refuse(
      `The lock has another token than ${token}: ${describeHolder(holder)}.`,
      `If that process has ended too, free it with \`tether ledger unlock ${holder.token}\`.`,
    );
  }
  if (stateOf(holder) === 'alive') {
    throw refuse(`The lock is in use: ${describeHolder(holder)}.`, 'Wait for that process, or stop it.');
  }
  // What a taker left that was killed on the way.
  const taker = await readLock(claimOf(file), { clock });
  if (taker !== null && stateOf(taker) !== 'alive') rmSync(claimOf(file), { force: true });
  const own = thisHolder('tether ledger unlock', clock.now());
  if (!replace(file, holder, own)) {
    throw refuse('Another process is taking the lock right now.', 'Look again.');
  }
  removeOwn(file, own);
  return holder;
}

/** The right to replace a dead holder's lock: whoever made this file has it. */
function claimOf(file: string): string {
  return `${file}.claim`;
}

/** Puts our lock in the place of a dead holder's; false when it is another's by now, or another is at it. */
function replace(file: string, dead: LockHolder, own: LockHolder): boolean {
  const claim = claimOf(file);
  if (!place(claim, own)) return false;
  // Only the one with the claim replaces a dead holder's lock, so that what is read here stays.
  if (tokenIn(file) === dead.token) {
    renameSync(claim, file);
    return true;
  }
  rmSync(claim, { force: true });
  return false;
}

/** Null when there is no lock, undefined when it does not say whose it is. */
function holderIn(file: string): LockHolder | null | undefined {
  const bytes = readBytes(file);
  return bytes === null ? null : (parseHolder(bytes.toString('utf8')) ?? undefined);
}

/** The token of the lock as it is now; undefined without one. */
function tokenIn(file: string): string | undefined {
  try {
    return holderIn(file)?.token;
  } catch {
    return undefined;
  }
}

/** Removes the lock if it is ours; throws nothing, so that it can be done at exit. */
function removeOwn(file: string, holder: LockHolder): void {
  if (tokenIn(file) === holder.token) rmSync(file, { force: true });
}

/** Makes the file unless there is one. */
function place(file: string, holder: LockHolder): boolean {
  let opened: number;
  try {
    opened = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw inaccessible(file, 'lock the ledger', error);
  }
  try {
    writeFileSync(opened, `${JSON.stringify(holder)}\n`);
    return true;
  } catch (error) {
    rmSync(file, { force: true });
    throw inaccessible(file, 'lock the ledger', error);
  } finally {
    closeSync(opened);
  }
}

/** Who holds the lock; null when nobody does. Throws `LedgerError` when the file does not say. */
async function readLock(
  file: string,
  { clock, signal }: { readonly clock: Pick<LockClock, 'sleep'>; readonly signal?: AbortSignal },
): Promise<LockHolder | null> {
  for (const last of [false, true]) {
    const holder = holderIn(file);
    if (holder !== undefined) return holder;
    // It may be seen in the moment between its making and its writing.
    if (!last) await clock.sleep(pollEvery, signal);
  }
  throw new LedgerError(
    'corrupt',
    file,
    'This lock does not say who holds it.',
    'Make sure that no apply is running, then delete this file.',
  );
}

/** Waits a little for a holder, and says so once for each; false when the time is up. */
function patience({
  clock,
  timeout,
  onNote,
  signal,
}: Omit<LockOptions, 'command'>): (holder: LockHolder) => Promise<boolean> {
  const giveUpAt = clock.now() + timeout * 1000;
  let told = '';
  return async (holder) => {
    if (clock.now() >= giveUpAt) return false;
    if (told !== holder.token) {
      onNote(`Waiting for the ledger's lock: ${describeHolder(holder)}.${doubt(holder)}`);
    }
    told = holder.token;
    await clock.sleep(Math.max(1, Math.min(pollEvery, giveUpAt - clock.now())), signal);
    return true;
  };
}

function locked(file: string, holder: LockHolder, timeout: number): LedgerError {
  const waited = timeout > 0 ? ` after ${timeout} s` : '';
  return new LedgerError(
    'locked',
    file,
    `The ledger is still locked${waited} by ${describeHolder(holder)}.`,
    `Wait for it, or let this run wait with --lock-timeout SECONDS.${doubt(holder)}`,
  );
}

/** What to do about a holder that may not run any more; empty for one that does. */
function doubt(holder: LockHolder): string {
  const state = stateOf(holder);
  if (state === 'alive') return '';
  const why =
    state === 'dead'
      ? 'That process has ended, and another one is taking the lock over or was killed at it'
      : `That process cannot be seen from here: ${holder.host} was restarted, or this is another machine of that name (a container counts as one)`;
  return ` ${why}. If it has ended, free the lock with \`tether ledger unlock ${holder.token}\`.`;
}

function hold(file: string, holder: LockHolder): Lock {
  heldHere.add(holder.token);
  const onExit = () => removeOwn(file, holder);
  process.on('exit', onExit);
  return {
    holder,
    release: async () => {
      process.off('exit', onExit);
      removeOwn(file, holder);
      heldHere.delete(holder.token);
    },
  };
}
