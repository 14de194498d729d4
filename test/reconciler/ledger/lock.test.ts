/** The lock: who holds it, waiting for it, taking it over from the dead, and never from the living. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execPath, pid, ppid } from 'node:process';
import { mock as mocked } from 'node:test';
import { LedgerError } from '../../../reconciler/ledger/disk';
import type { LockHolder } from '../../../reconciler/ledger/ledger';
import {
  acquireLock,
  awaitRelease,
  freeLock,
  type Lock,
  thisHolder,
  type WaitOptions,
} from '../../../reconciler/ledger/lock';
import { until } from '../../support/background';
import { endedProcess } from '../../support/ended-process';
import { at } from '../../support/ledger-samples';
import { holderWith } from '../../support/lock-holders';
import { temporaryFolder } from '../../support/temporary-folder';

describe('the lock of a ledger', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const held: Lock[] = [];
  const file = () => join(folder(), 'x.lock');

  /** Takes the lock with a clock that only `sleep` moves. */
  async function acquire(options: WaitOptions & { onSleep?: () => void } = {}) {
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
      taken.lock = await acquireLock(file(), 'tether apply', { clock, onNote, ...options });
      held.push(taken.lock);
    } catch (error) {
      taken.error = error;
    }
    return { notes, sleeps, ...taken };
  }

  function place(members: Partial<LockHolder>, name = file()): LockHolder {
    const holder = holderWith(members);
    writeFileSync(name, JSON.stringify(holder));
    return holder;
  }

  const lockNow = (): LockHolder => JSON.parse(readFileSync(file(), 'utf8'));

  afterEach(async () => {
    for (const lock of held.splice(0)) await lock.release();
  });

  it('names machine, container, process, time and command, is readable by its owner only, and goes with its release', async () => {
    const { lock } = await acquire();
    const own = thisHolder('tether apply', Date.parse(at));
    assert.deepEqual({ ...lockNow(), token: '' }, { ...own, token: '' });
    assert.equal(own.pid, pid);
    assert.equal(own.host, hostname());
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
    assert.equal(lockNow().command, 'tether destroy');
  });

  it('is refused while this very process has it', async () => {
    await acquire();
    assert.match(String((await acquire()).error), /locked/);
  });

  it('is waited for as long as was asked, and said so once', async () => {
    place({});
    const { error, sleeps, notes } = await acquire({ lockTimeout: 5 });
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
    const wait = () => awaitRelease(file(), { lockTimeout: 5, clock });
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
    const { lock } = await acquire({ lockTimeout: 60, onSleep });
    assert.equal(lockNow().token, lock?.holder.token);
    assert.equal(polls, 3);
  });

  it('is not waited for any longer once the run is stopped', async () => {
    place({});
    const stop = new AbortController();
    const { error } = await acquire({
      lockTimeout: 60,
      signal: stop.signal,
      onSleep: () => stop.abort(new Error('stop')),
    });
    assert.equal(String(error), 'Error: stop');
  });

  it('is taken over from a process of this host that is gone, with a note', async () => {
    place({ pid: dead });
    const { lock, notes } = await acquire();
    assert.equal(lockNow().token, lock?.holder.token);
    assert.match(
      notes.join(),
      new RegExp(`Removed a stale lock \\(tether apply, process ${dead} on .* no longer runs\\)`),
    );
    assert.deepEqual(readdirSync(folder()), ['x.lock']);
  });

  it('is taken over when it bears our number but is not ours', async () => {
    place({ pid });
    assert.ok((await acquire()).lock);
  });

  const unseen: [string, Partial<LockHolder>][] = [
    ['another machine', { host: 'elsewhere', boot: 'another' }],
    ['before a restart of this one', { boot: 'another' }],
    ['another container', { pidNamespace: 'pid:[1]' }],
    ['a container, where both are process 1', { pidNamespace: 'pid:[1]', pid: 1 }],
    ['a container, with our own number', { pidNamespace: 'pid:[1]', pid }],
    ['a system that does not say which machine it is', { boot: null, pidNamespace: null }],
  ];
  for (const [where, members] of unseen) {
    it(`is waited for and never taken over from ${where}, and says what to do when that has ended`, async () => {
      const found = place({ pid: dead, ...members });
      const { error, notes } = await acquire({ lockTimeout: 1 });
      for (const text of [String(error), notes.join()]) {
        assert.match(text, /of another machine or container, or from before a restart/);
        assert.match(text, /`tether ledger unlock 0123456789abcdef`/);
      }
      assert.deepEqual(lockNow(), found);
    });
  }

  describe('where the system tells when a process began', () => {
    before(function () {
      if (!existsSync('/proc/self/stat')) this.skip();
    });

    it('is taken over from a number that belongs to another process by now', async () => {
      place({ started: '1' });
      assert.ok((await acquire()).lock);
    });

    it('that cannot be removed is left to the next run, which takes it over', async () => {
      const { lock } = await acquire();
      const { mock } = mocked.method(fs, 'rmSync', () => assert.fail('EIO'));
      try {
        await lock?.release();
        assert.equal(mock.calls.length, 1);
      } finally {
        mock.restore();
      }
      assert.ok((await acquire()).lock);
    });

    const real = fs.readFileSync;
    const unreadable: [string, () => string][] = [
      ['cannot be read', () => assert.fail('EACCES')],
      ['does not say it', () => `${ppid} (node) S`],
    ];
    for (const [what, stat] of unreadable) {
      it(`is not taken over from a running process whose entry ${what}`, async () => {
        place({ started: '1' });
        const { mock } = mocked.method(fs, 'readFileSync', (...given: Parameters<typeof real>) =>
          given[0] === `/proc/${ppid}/stat` ? stat() : real(...given),
        );
        try {
          assert.match(String((await acquire()).error), /still locked/);
          assert.ok(mock.calls.some((call) => call.arguments[0] === `/proc/${ppid}/stat`));
        } finally {
          mock.restore();
        }
      });
    }

    it('is taken over from a process that was killed and whose parent has not noticed', async () => {
      // The shell becomes a process that never asks what its child came to; the child ends after that, when its input does.
      const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60']);
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const zombie = Number(String(line));
      await until('the shell became another program', () =>
        readFileSync(`/proc/${parent.pid}/comm`, 'utf8').startsWith('sleep'),
      );
      parent.stdin.end();
      await until('it has ended', () => readFileSync(`/proc/${zombie}/stat`, 'utf8').includes(') Z '));
      place({ pid: zombie });
      try {
        assert.ok((await acquire()).lock);
      } finally {
        parent.kill();
      }
    });
  });

  it('is waited for while another takes it over from a process that has ended, and not taken twice', async () => {
    const found = place({ pid: dead });
    place({ token: 'fedcba9876543210' }, `${file()}.claim`);
    const { error } = await acquire({ lockTimeout: 1 });
    assert.match(String(error), /another one is taking the lock over or was killed at it/);
    assert.match(String(error), /`tether ledger unlock 0123456789abcdef`/);
    assert.deepEqual(lockNow(), found);
  });

  describe('that a person frees', () => {
    const token = '0123456789abcdef';

    it('is not there', async () => {
      assert.equal(await freeLock(file(), token), null);
    });

    const locks: [string, Partial<LockHolder>][] = [
      ['of a process that has ended', { pid: dead }],
      ['of another machine', { host: 'elsewhere', boot: 'another' }],
      ['of another container', { pidNamespace: 'pid:[1]' }],
    ];
    for (const [whose, members] of locks) {
      it(`goes when it is ${whose}, also when a taker died at it`, async () => {
        const found = place(members);
        place({ ...members, token: 'fedcba9876543210' }, `${file()}.claim`);
        assert.deepEqual(await freeLock(file(), token), found);
        assert.deepEqual(readdirSync(folder()), []);
      });
    }

    it('stays while its holder runs', async () => {
      place({});
      await assert.rejects(freeLock(file(), token), /in use: tether apply, process/);
      assert.deepEqual(readdirSync(folder()), ['x.lock']);
    });

    it('stays when it is another one by now, and its token is named', async () => {
      place({ pid: dead, token: 'fedcba9876543210' });
      await assert.rejects(freeLock(file(), token), /`tether ledger unlock fedcba9876543210`/);
      assert.deepEqual(readdirSync(folder()), ['x.lock']);
    });

    it('stays while another process takes it over', async () => {
      place({ pid: dead });
      place({ token: 'fedcba9876543210' }, `${file()}.claim`);
      await assert.rejects(freeLock(file(), token), /taking the lock right now/);
      assert.deepEqual(readdirSync(folder()), ['x.lock', 'x.lock.claim']);
    });
  });

  const corrupt: [string, string][] = [
    ['empty', ''],
    ['not JSON', 'pid 7'],
    ['null', 'null'],
    ['of a shape we do not know', '{"pid":7}'],
    ['with a number that is none', JSON.stringify(holderWith({ pid: 0 }))],
    ['with a token that is a path', JSON.stringify(holderWith({ token: '../../etc/x' }))],
  ];
  for (const [what, text] of corrupt) {
    it(`is refused and left alone when it is ${what}`, async () => {
      writeFileSync(file(), text);
      const { error } = await acquire({ lockTimeout: 60 });
      assert.match(String(error), /does not say who holds it.*delete this file/s);
      assert.equal(readFileSync(file(), 'utf8'), text);
    });
  }

  it('is not removed by a release when somebody else has it by now', async () => {
    const { lock } = await acquire();
    place({ command: 'other' });
    await lock?.release();
    assert.equal(lockNow().command, 'other');
  });

  it('says what is wrong with the folder', async () => {
    const { error } = await acquire();
    assert.equal(error, undefined);
    const missing = acquireLock(join(folder(), 'missing', 'x.lock'), 'c', {});
    await assert.rejects(missing, /Could not lock the ledger/);
  });

  it('goes when its process exits without releasing it', () => {
    const module = join(__dirname, '../../../reconciler/ledger/lock.js');
    const script = `
      require(${JSON.stringify(module)})
        .acquireLock(${JSON.stringify(file())}, 'c', {})
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
  });
});
