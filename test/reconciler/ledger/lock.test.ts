/** The lock: who holds it, waiting for it, taking it over from the dead, and never from the living. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execPath, pid, ppid } from 'node:process';
import { LedgerError } from '../../../reconciler/ledger/ledger-error';
import {
  acquireLock,
  awaitRelease,
  type Lock,
  type LockOptions,
  removeLock,
} from '../../../reconciler/ledger/lock';
import { type LockHolder, readLock } from '../../../reconciler/ledger/lock-file';
import { endedProcess } from '../../support/ended-process';
import { at } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

describe('the lock of a ledger', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const held: Lock[] = [];
  const file = () => join(folder(), 'x.lock');

  /** Takes the lock with a clock that only `sleep` moves. */
  async function acquire(options: Partial<LockOptions> & { onSleep?: () => void } = {}) {
    let now = Date.parse(at);
    const notes: string[] = [];
    const sleeps: number[] = [];
    const clock = {
      now: () => now,
      sleep: async (milliseconds: number) => {
        sleeps.push(milliseconds);
        now += milliseconds;
        options.onSleep?.();
      },
    };
    const onNote = (note: string) => notes.push(note);
    const taken: { lock?: Lock; error?: unknown } = {};
    try {
      taken.lock = await acquireLock(file(), {
        command: 'tether apply',
        timeout: 0,
        clock,
        onNote,
        ...options,
      });
      held.push(taken.lock);
    } catch (error) {
      taken.error = error;
    }
    return { notes, sleeps, ...taken };
  }

  function place(holder: Partial<LockHolder>): LockHolder {
    const token = '0123456789abcdef';
    const whole = { host: hostname(), pid: ppid, since: at, command: 'tether apply', token, ...holder };
    writeFileSync(file(), JSON.stringify(whole));
    return whole;
  }

  afterEach(async () => {
    for (const lock of held.splice(0)) await lock.release();
  });

  it('names host, process, time and command, is readable by its owner only, and goes with its release', async () => {
    const { lock } = await acquire();
    const holder = await readLock(file());
    assert.deepEqual(
      { ...holder, token: '' },
      { host: hostname(), pid, since: at, command: 'tether apply', token: '' },
    );
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder()), ['x.lock']);
    await lock?.release();
    assert.deepEqual(readdirSync(folder()), []);
    await lock?.release();
  });

  it('is refused while another process has it, saying who and since when', async () => {
    place({ command: 'tether destroy' });
    const { error, sleeps } = await acquire();
    assert.ok(error instanceof LedgerError);
    assert.equal(error.code, 'locked');
    assert.match(
      error.message,
      new RegExp(`by tether destroy, process ${ppid} on ${hostname()}, since ${at}`),
    );
    assert.match(error.message, /--lock-timeout SECONDS/);
    assert.deepEqual(sleeps, []);
    assert.equal((await readLock(file()))?.command, 'tether destroy');
  });

  it('is refused while this very process has it', async () => {
    await acquire();
    assert.match(String((await acquire()).error), /locked/);
  });

  it('is waited for as long as was asked, and said so once', async () => {
    place({});
    const { error, sleeps, notes } = await acquire({ timeout: 5 });
    assert.match(String(error), /still locked after 5 s/);
    assert.equal(
      sleeps.reduce((sum, one) => sum + one, 0),
      5000,
    );
    assert.equal(notes.length, 1);
    assert.match(notes.join(), /Waiting for the ledger's lock: tether apply, process/);
  });

  it('can be waited for without being taken, and then names who still has it', async () => {
    let now = Date.parse(at);
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
    };
    const clock = { now: () => now, sleep };
    const wait = () => awaitRelease(file(), { timeout: 5, clock, onNote: () => {} });
    assert.equal(await wait(), null);
    const holder = place({});
    assert.deepEqual(await wait(), holder);
    assert.equal(now, Date.parse(at) + 5000);
    place({ pid: dead });
    assert.equal(await wait(), null);
    assert.deepEqual(readdirSync(folder()), ['x.lock']);
  });

  it('is taken when it comes free while we wait', async () => {
    place({});
    let polls = 0;
    const onSleep = () => {
      polls += 1;
      if (polls === 3) rmSync(file());
    };
    const { lock } = await acquire({ timeout: 60, onSleep });
    assert.equal((await readLock(file()))?.token, lock?.holder.token);
    assert.equal(polls, 3);
  });

  it('is not waited for any longer once the run is stopped', async () => {
    place({});
    const stop = new AbortController();
    const { error } = await acquire({
      timeout: 60,
      signal: stop.signal,
      onSleep: () => stop.abort(new Error('stop')),
    });
    assert.equal(String(error), 'Error: stop');
  });

  it('is taken over from a process of this host that is gone, with a note', async () => {
    place({ pid: dead });
    const { lock, notes } = await acquire();
    assert.equal((await readLock(file()))?.token, lock?.holder.token);
    assert.match(
      notes.join(),
      new RegExp(`Took over the lock of a process that is gone: tether apply, process ${dead}`),
    );
    assert.deepEqual(readdirSync(folder()), ['x.lock']);
  });

  it('is taken over when it bears our number but is not ours', async () => {
    place({ pid });
    assert.ok((await acquire()).lock);
  });

  it('is never taken over from another host', async () => {
    place({ host: 'elsewhere', pid: dead });
    const { error } = await acquire({ timeout: 1 });
    assert.match(String(error), /on elsewhere.*cannot be seen from here.*tether ledger unlock/s);
  });

  it('is taken over although an earlier taker died on the way', async () => {
    const { token } = place({ pid: dead });
    const claim = { host: hostname(), pid: dead, since: at, command: 'taker', token: 'fedcba9876543210' };
    writeFileSync(`${file()}.${token}`, JSON.stringify(claim));
    assert.ok((await acquire()).lock);
    assert.deepEqual(readdirSync(folder()), ['x.lock']);
  });

  describe('of a dead process, removed by two takers', () => {
    const options = {
      command: 'taker',
      timeout: 0,
      clock: { now: () => 0, sleep: async () => {} },
      onNote: () => {},
    };

    it('goes once: the slower one leaves what stands there by then', async () => {
      const found = place({ pid: dead });
      assert.equal(await removeLock(file(), found, options), true);
      const { lock } = await acquire();
      assert.equal(await removeLock(file(), found, options), false);
      assert.equal((await readLock(file()))?.token, lock?.holder.token);
    });

    it('stays while another taker is at it', async () => {
      const found = place({ pid: dead });
      const claim = { host: hostname(), pid: ppid, since: at, command: 'taker', token: 'fedcba9876543210' };
      writeFileSync(`${file()}.${found.token}`, JSON.stringify(claim));
      await assert.rejects(removeLock(file(), found, options), /locked/);
      assert.deepEqual(await readLock(file()), found);
    });
  });

  const corrupt: [string, string][] = [
    ['empty', ''],
    ['not JSON', 'pid 7'],
    ['null', 'null'],
    ['of a shape we do not know', '{"pid":7}'],
    [
      'with a number that is none',
      JSON.stringify({ host: 'h', pid: 0, since: at, command: 'c', token: '0123456789abcdef' }),
    ],
    [
      'with a token that is a path',
      JSON.stringify({ host: 'h', pid: 7, since: at, command: 'c', token: '../../etc/x' }),
    ],
  ];
  for (const [what, text] of corrupt) {
    it(`is refused and left alone when it is ${what}`, async () => {
      writeFileSync(file(), text);
      const { error } = await acquire({ timeout: 60 });
      assert.match(String(error), /does not say who holds it.*tether ledger unlock/s);
      assert.equal(readFileSync(file(), 'utf8'), text);
    });
  }

  it('is not removed by a release when somebody else has it by now', async () => {
    const { lock } = await acquire();
    place({ command: 'other' });
    await lock?.release();
    assert.equal((await readLock(file()))?.command, 'other');
  });

  it('says what is wrong with the folder', async () => {
    const { error } = await acquire();
    assert.equal(error, undefined);
    const missing = acquireLock(join(folder(), 'missing', 'x.lock'), {
      command: 'c',
      timeout: 0,
      clock: { now: () => 0, sleep: async () => {} },
      onNote: () => {},
    });
    await assert.rejects(missing, /Could not lock the ledger/);
  });

  it('goes when its process exits without releasing it', () => {
    const module = join(__dirname, '../../../reconciler/ledger/lock.js');
    const script = `
      const clock = { now: () => Date.now(), sleep: async () => {} };
      require(${JSON.stringify(module)})
        .acquireLock(${JSON.stringify(file())}, { command: 'c', timeout: 0, clock, onNote() {} })
        .then(() => { console.log(require('node:fs').existsSync(${JSON.stringify(file())})); process.exit(3); });`;
    const { status, stdout } = spawnSync(execPath, ['-e', script], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [3, 'true\n']);
    assert.equal(existsSync(file()), false);
  });

  it('has one holder at a time when processes race to take it over from dead ones', async () => {
    const [contenders, rounds] = [3, 25];
    place({ pid: dead });
    writeFileSync(`${file()}.count`, '0');
    const script = join(__dirname, '../../support/lock-contender.js');
    const outcomes = await Promise.all(
      Array.from({ length: contenders }, async () => {
        const child = spawn(execPath, [script, file(), String(rounds), String(dead)]);
        let complaint = '';
        child.stderr.on('data', (chunk) => {
          complaint += String(chunk);
        });
        const [code] = await once(child, 'close');
        return `${code} ${complaint}`;
      }),
    );
    assert.deepEqual(outcomes, Array(contenders).fill('0 '));
    assert.equal(readFileSync(`${file()}.count`, 'utf8'), String(contenders * rounds));
  }).timeout(60_000);
});
