/** One writer at a time: the lock of a ledger. */

/*
 * It protects one host: no copy elsewhere, and no network disk without exclusive creation of files.
 *
 * 1. The lock is read. A holder that runs, or that cannot be seen from here, is waited for.
 * 2. Where there is none, whoever creates it holds it. If another was first, back to 1.
 * 3. One that is certainly dead is taken over by whoever creates the claim, a file beside the lock; the others wait.
 * 4. With the claim, the lock is read again. If it has another holder by now, the claim goes, and back to 1.
 * 5. Otherwise the claim is renamed to the lock, which takes the lock and ends the claim in one step.
 *
 * Between 4 and 5 nobody changes the lock: its holder is dead, a newcomer finds it (2), another taker finds the claim (3).
 * So each may be stopped between any two steps. A taker killed between 3 and 5 leaves its claim, which nobody takes over:
 * `tether ledger unlock` removes it.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, platform } from 'node:os';
import process from 'node:process';
import { systemCode } from '../../client/errors';
import { type Clock, systemClock } from '../../client/pace';
import { plain } from '../../client/text';
import { unlessItFails } from '../../resources/plain-file';
import { inaccessible, LedgerError, readBytes } from './disk';
import { type LockHolder, shapeProblems } from './ledger';

export interface WaitOptions {
  /** Seconds to wait for another holder; by default not at all. */
  readonly lockTimeout?: number;
  /** Who is waited for, and of a stale lock. */
  readonly onNote?: (note: string) => void;
  /** A holder is waited for, so many milliseconds at most. */
  readonly onWait?: (milliseconds: number) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export type Lock = ReturnType<typeof hold>;

const pollEvery = 200;

const claimOf = (lockFile: string) => `${lockFile}.claim`;

/** Throws a `LedgerError` with the holder when it stays taken, and the signal's reason. */
export function acquireLock(file: string, command: string, options: WaitOptions): Promise<Lock> {
  const { clock = systemClock, onNote } = options;
  const take = (other: LockHolder | null) => {
    const own = thisHolder(command, clock.now());
    if (other === null) return place(file, own) ? hold(file, own) : undefined;
    if (stateOf(other) !== 'dead' || !takeOver(file, other, own)) return undefined;
    onNote?.(`Removed a stale lock (${describeHolder(other)} no longer runs).`);
    return hold(file, own);
  };
  const read = () => readLock(file, options);
  return waitFor(read, pollEvery, options, take, (other) => refuseToWait(file, other, options));
}

function refuseToWait(file: string, other: LockHolder, options: WaitOptions): never {
  const { lockTimeout = 0 } = options;
  const waited = lockTimeout > 0 ? ` after ${lockTimeout} s` : '';
  throw new LedgerError(
    'locked',
    file,
    `The ledger is still locked${waited} by ${describeHolder(other)}.`,
    `Wait for it, or let this run wait with --lock-timeout SECONDS.${doubt(other)}`,
  );
}

/** Waits for a running holder without taking the lock; returns who has it in the end, else null. */
export async function awaitRelease(file: string, options: WaitOptions): Promise<LockHolder | null> {
  const seeFree = (other: LockHolder | null) =>
    other === null || stateOf(other) === 'dead' ? null : undefined;
  try {
    const read = () => readLock(file, options);
    return await waitFor<LockHolder | null>(read, pollEvery, options, seeFree, (other) => other);
  } catch (error) {
    // A lock that cannot be read keeps nobody from reading the ledger.
    if (error instanceof LedgerError) return null;
    throw error;
  }
}

/** Notes each holder it waits for once, and looks every so many milliseconds. When the time is up, `late` decides. */
async function waitFor<Result>(
  read: () => Promise<LockHolder | null>,
  every: number,
  options: WaitOptions,
  attempt: (other: LockHolder | null) => Result | undefined,
  late: (other: LockHolder) => Result,
): Promise<Result> {
  const { clock = systemClock, lockTimeout = 0, onNote, onWait, signal } = options;
  const giveUpAt = clock.now() + lockTimeout * 1000;
  for (let noted = ''; ; ) {
    signal?.throwIfAborted();
    const other = await read();
    const result = attempt(other);
    if (result !== undefined) return result;
    if (other === null) continue;
    const left = giveUpAt - clock.now();
    if (left <= 0) return late(other);
    if (noted !== other.token) {
      noted = other.token;
      onNote?.(`Waiting for the ledger's lock: ${describeHolder(other)}.${doubt(other)}`);
      onWait?.(left);
    }
    await clock.sleep(Math.max(1, Math.min(every, left)), signal);
  }
}

/** Removes a lock that you know to be dead; returns whose it was. Throws `LedgerError` for another or a running holder. */
export async function freeLock(file: string, token: string): Promise<LockHolder | null> {
  const holder = await readLock(file);
  if (holder === null) return null;
  refuseToFree(file, holder, token);
  const taker = await readLock(claimOf(file));
  if (taker !== null && stateOf(taker) !== 'alive') rmSync(claimOf(file), { force: true });
  const own = thisHolder('tether ledger unlock', systemClock.now());
  if (!takeOver(file, holder, own)) {
    throw new LedgerError('locked', file, 'Another process is taking the lock right now.', 'Look again.');
  }
  removeOwn(file, own);
  return holder;
}

/** Throws unless the lock has this token, and a holder that is not known to run. */
function refuseToFree(file: string, holder: LockHolder, token: string) {
  const refuse = (what: string, remedy: string) => new LedgerError('locked', file, what, remedy);
  if (holder.token !== token) {
    throw refuse(
      `The lock has another token than ${token}: ${describeHolder(holder)}.`,
      `If that process has ended too, free it with \`${unlockCommand(holder)}\`.`,
    );
  }
  if (stateOf(holder) === 'alive') {
    throw refuse(`The lock is in use: ${describeHolder(holder)}.`, 'Wait for that process, or stop it.');
  }
}

/** Steps 3 to 5; false when the lock is another's by now, or has a claim. */
function takeOver(file: string, dead: LockHolder, own: LockHolder) {
  const claim = claimOf(file);
  if (!place(claim, own)) return false;
  if (isLockOf(file, dead)) {
    renameSync(claim, file);
    return true;
  }
  rmSync(claim, { force: true });
  return false;
}

/** False when there is such a file. */
function place(file: string, holder: LockHolder) {
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

/** Null when there is no lock, undefined when it does not say whose it is. */
function holderIn(file: string): LockHolder | null | undefined {
  const bytes = readBytes(file);
  return bytes === null ? null : parseHolder(bytes.toString('utf8'));
}

/** Undefined for a text that does not say who holds a lock. */
function parseHolder(text: string) {
  const value = unlessItFails((): unknown => JSON.parse(text));
  return shapeProblems('lock', value).length === 0 ? (value as LockHolder) : undefined;
}

function isLockOf(file: string, { token }: LockHolder) {
  return unlessItFails(() => holderIn(file)?.token) === token;
}

/** Throws nothing, so that it can be done at exit. */
function removeOwn(file: string, own: LockHolder) {
  if (isLockOf(file, own)) unlessItFails(() => rmSync(file, { force: true }));
}

/** Throws `LedgerError` when the file does not say who holds the lock. */
async function readLock(file: string, { clock = systemClock, signal }: WaitOptions = {}) {
  let holder = holderIn(file);
  if (holder === undefined) {
    // It may be seen in the moment between its making and its writing.
    await clock.sleep(pollEvery, signal);
    holder = holderIn(file);
  }
  if (holder !== undefined) return holder;
  const remedy = 'Make sure that no apply is running, then delete this file.';
  throw new LedgerError('corrupt', file, 'This lock does not say who holds it.', remedy);
}

/** What to do about a holder that may have ended. */
function doubt(holder: LockHolder) {
  const state = stateOf(holder);
  if (state === 'alive') return '';
  const why =
    state === 'dead'
      ? 'That process has ended, and another one is taking the lock over or was killed at it'
      : 'That process cannot be seen from here: it is of another machine or container, or from before a restart';
  return ` ${why}. If it has ended, free the lock with \`${unlockCommand(holder)}\`.`;
}

function unlockCommand({ token }: LockHolder) {
  return `tether ledger unlock ${token}`;
}

/** `tether apply, process 4711 on build-3, since 2026-01-31T10:00:00.000Z`. */
export function describeHolder({ command, pid, host, since }: LockHolder) {
  return plain(`${command}, process ${pid} on ${host}, since ${since}`);
}

export function thisHolder(command: string, now: number): LockHolder {
  return {
    host: hostname(),
    ...thisMachine(),
    pid: process.pid,
    started: processAt('self').started,
    since: new Date(now).toISOString(),
    command,
    token: randomBytes(8).toString('hex'),
  };
}

const heldHere = new Set<string>();

function hold(file: string, holder: LockHolder) {
  heldHere.add(holder.token);
  const onExit = () => removeOwn(file, holder);
  process.on('exit', onExit);
  return {
    holder,
    /** Removes the lock, if it is still the holder's. */
    release: async () => {
      process.off('exit', onExit);
      removeOwn(file, holder);
      heldHere.delete(holder.token);
    },
  };
}

/** `elsewhere`: of another machine, container or boot; nobody can tell whether it lives. */
function stateOf(holder: LockHolder): 'alive' | 'dead' | 'elsewhere' {
  const here = thisMachine();
  if (holder.boot !== here.boot || holder.pidNamespace !== here.pidNamespace) return 'elsewhere';
  // Only Linux tells the boot; elsewhere there is the name of the host.
  if (here.boot === null && (platform() === 'linux' || holder.host !== hostname())) return 'elsewhere';
  // Our own number in a lock that is not ours: its holder had it before us.
  if (holder.pid === process.pid) return heldHere.has(holder.token) ? 'alive' : 'dead';
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : 'alive';
  }
  // A container may see the /proc of its machine, with other process numbers.
  if (unlessItFails(() => readlinkSync('/proc/self')) !== String(process.pid)) return 'alive';
  const { state, started } = processAt(String(holder.pid));
  // Ended; only its exit code is left.
  if (state === 'Z' || state === 'X') return 'dead';
  const isAnother = started !== null && holder.started !== null && started !== holder.started;
  return isAnother ? 'dead' : 'alive';
}

function thisMachine() {
  return {
    boot: unlessItFails(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: unlessItFails(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** By its name in /proc; null where that is silent. */
function processAt(name: string) {
  const stat = unlessItFails(() => readFileSync(`/proc/${name}/stat`, 'utf8')) ?? '';
  // The second field is the program's name in brackets, with whatever it holds.
  const [state = null, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, started: fields[18] ?? null };
}
