/** A lock as a file that appears whole, with its holder's name in it, or not at all. */
import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { readText } from './file';
import { inaccessible, LedgerError, systemCode } from './ledger-error';

/** Who holds a lock. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** For people: `tether apply`. */
  readonly command: string;
  /** Random; tells one holding from the next. */
  readonly token: string;
}

/** Where the lock of a ledger lies. */
export function lockOf(ledgerFile: string): string {
  return `${ledgerFile}.lock`;
}

/** For people: `tether apply, process 4711 on build-3, since 2026-01-31T10:00:00.000Z`. */
export function describeHolder(holder: LockHolder): string {
  return `${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const texts = ['host', 'since', 'command', 'token'].map((name) => Reflect.get(value, name));
  const number: unknown = Reflect.get(value, 'pid');
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    /^[0-9a-f]{16}$/.test(String(Reflect.get(value, 'token'))) &&
    Number.isSafeInteger(number) &&
    Number(number) > 0
  );
}

/** Who holds the lock; null when nobody does. Throws `LedgerError` when the file is not a lock of ours. */
export async function readLock(file: string): Promise<LockHolder | null> {
  const text = await readText(file);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isHolder(value)) return value;
  throw new LedgerError(
    'corrupt',
    file,
    'This lock does not say who holds it.',
    'Make sure that no apply is running, then remove it with `tether ledger unlock`.',
  );
}

/** This process, from now on. */
export function thisHolder(command: string, now: number): LockHolder {
  return {
    host: hostname(),
    pid,
    since: new Date(now).toISOString(),
    command,
    token: randomBytes(8).toString('hex'),
  };
}

/** Makes the lock ours unless there is one; false asks to look again. `link` is as exclusive as O_EXCL, and the file is whole from the start. */
export async function placeLock(file: string, holder: LockHolder): Promise<boolean> {
  const temporary = `${file}.${holder.token}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 });
    return await linked(temporary, file);
  } catch (error) {
    throw inaccessible(file, 'lock the ledger', error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A temporary file that is gone was cleared away by the holder, who could not see yet whose it is. */
async function linked(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

/** Tokens of the locks that this very process holds. */
export const heldHere = new Set<string>();

/** What can be known of a holder from here: a process of another host may be alive or not. */
export function stateOf(holder: LockHolder): 'alive' | 'dead' | 'elsewhere' {
  if (holder.host !== hostname()) return 'elsewhere';
  // Our own number in a lock that we do not hold: it was given to us after the holder died.
  if (holder.pid === pid) return heldHere.has(holder.token) ? 'alive' : 'dead';
  try {
    kill(holder.pid, 0);
    return 'alive';
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : 'alive';
  }
}
