/** Who holds a lock, and what can be known of that process from here. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, platform } from 'node:os';
import { kill, pid } from 'node:process';
import { systemCode } from './ledger-error';

/** A process among all machines and containers. What a system does not tell is null. */
export interface LockHolder {
  readonly host: string;
  /** Of this start of the machine. */
  readonly boot: string | null;
  /** Containers of one machine share its boot, and count their processes each on their own. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: a number that was given again is another process. */
  readonly started: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** For people: `tether apply`. */
  readonly command: string;
  /** Random; tells one holding from the next. */
  readonly token: string;
}

/** For people: `tether apply, process 4711 on build-3, since 2026-01-31T10:00:00.000Z`. */
export function describeHolder(holder: LockHolder): string {
  return `${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
}

/** The holder that a lock's text names; null when it is not the text of a lock. */
export function parseHolder(text: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : null;
  } catch {
    return null;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const of = (name: string): unknown => Reflect.get(value, name);
  const isText = (text: unknown) => typeof text === 'string' && text !== '';
  return (
    ['host', 'since', 'command'].every((name) => isText(of(name))) &&
    ['boot', 'pidNamespace', 'started'].every((name) => of(name) === null || isText(of(name))) &&
    /^[0-9a-f]{16}$/.test(String(of('token'))) &&
    Number.isSafeInteger(of('pid')) &&
    Number(of('pid')) > 0
  );
}

/** This process, from now on. */
export function thisHolder(command: string, now: number): LockHolder {
  return {
    host: hostname(),
    ...thisPlace(),
    pid,
    started: processAt('self')?.started ?? null,
    since: new Date(now).toISOString(),
    command,
    token: randomBytes(8).toString('hex'),
  };
}

/** Tokens of the locks that this very process holds. */
export const heldHere = new Set<string>();

/** `elsewhere`: on another machine, in another container, or before a restart; such a process may be alive or not. */
export function stateOf(holder: LockHolder): 'alive' | 'dead' | 'elsewhere' {
  const here = thisPlace();
  if (holder.boot !== here.boot || holder.pidNamespace !== here.pidNamespace) return 'elsewhere';
  // Only Linux says which start of which machine this is; elsewhere there is the name of the host.
  if (here.boot === null && (platform() === 'linux' || holder.host !== hostname())) return 'elsewhere';
  // Our own number in a lock that we do not hold: it was given to us after the holder died.
  if (holder.pid === pid) return heldHere.has(holder.token) ? 'alive' : 'dead';
  try {
    kill(holder.pid, 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : 'alive';
  }
  const running = isOwnProc() ? processAt(String(holder.pid)) : null;
  if (running === null) return 'alive';
  // Killed, and nobody has taken notice yet.
  if (running.state === 'Z' || running.state === 'X') return 'dead';
  return holder.started === null || running.started === holder.started ? 'alive' : 'dead';
}

function thisPlace(): { readonly boot: string | null; readonly pidNamespace: string | null } {
  return {
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Whether /proc counts processes as we do: a container may see its machine's. */
function isOwnProc(): boolean {
  return attempt(() => readlinkSync('/proc/self')) === String(pid);
}

/** State and start of a process by its name in /proc; null where that does not tell. */
function processAt(name: string): { readonly state: string; readonly started: string } | null {
  const stat = attempt(() => readFileSync(`/proc/${name}/stat`, 'utf8'));
  if (stat === null) return null;
  // The second field is the program's name in brackets, with whatever it holds.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? null : { state, started };
}

function attempt<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch {
    return null;
  }
}
