/** A process that takes a lock and releases it, and stops before each of its system calls on the lock until it is told to go on. */

/* Each line of its input is one permission: at first the file of a lock, for one round, then one for each stop. */
import fs from 'node:fs';
import { acquireLock } from '../../reconciler/ledger/lock';

let watched = '';
const opened = new Set<unknown>();

function readLine(): string {
  const byte = Buffer.alloc(1);
  let line = '';
  while (readByte(0, byte) === 1 && byte[0] !== 0x0a) line += byte.toString('latin1');
  return line;
}

const readByte = fs.readSync.bind(fs) as (fd: number, buffer: Buffer) => number;

function report(event: string): void {
  fs.writeSync(1, `${event}\n`);
}

function stop(call: string): void {
  report(`before ${call}`);
  readLine();
}

/** Stops before each call of these that is about the lock or its claim, by path or by what was opened. */
for (const name of ['openSync', 'writeFileSync', 'readSync', 'renameSync', 'rmSync'] as const) {
  const original: unknown = Reflect.get(fs, name);
  if (typeof original !== 'function') continue;
  Reflect.set(fs, name, (...values: unknown[]): unknown => {
    const [first] = values;
    const isLock = watched !== '' && (opened.has(first) || String(first).startsWith(watched));
    if (isLock) stop(name);
    const result: unknown = Reflect.apply(original, fs, values);
    if (isLock && name === 'openSync') opened.add(result);
    return result;
  });
}
const close = fs.closeSync;
fs.closeSync = (descriptor) => {
  opened.delete(descriptor);
  close(descriptor);
};

async function round(): Promise<void> {
  let now = Date.now();
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
      stop('sleep');
    },
  };
  try {
    const lock = await acquireLock(watched, 'taker', { clock, lockTimeout: 1 });
    report('has it');
    await lock.release();
  } catch (error) {
    report(`failed: ${String(error)}`);
  }
  report('end');
}

async function main(): Promise<void> {
  for (let file = readLine(); file !== ''; file = readLine()) {
    watched = file;
    await round();
    watched = '';
  }
}

void main();
