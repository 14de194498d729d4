/** The ledger in a file: a save is whole or not at all, and one run writes at a time. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { lockTimes } from '../../../reconciler/ledger/file-lock';
import { FileStore } from '../../../reconciler/ledger/file-store';
import { homeTimes } from '../../../reconciler/ledger/home';
import { emptyLedger, nextSerial } from '../../../reconciler/ledger/ledger';
import { freeLock, LedgerLocked, LockLost } from '../../../reconciler/ledger/store';
import { runProcess } from '../../support/run-process';
import { temporaryFolder } from '../../support/temporary-folder';
import { alice, bob, first, second } from '../../support/two-ledgers';

const child = join(__dirname, '../../support/ledger-process.js');

describe('a ledger in a file', () => {
  const folder = temporaryFolder();
  const context = () => ({ folder: folder(), organization: 'acme', env: {}, cwd: join(folder(), '..') });
  const open = () => new FileStore(context());
  const file = (ending = '') => join(folder(), `tether.ledger.json${ending}`);
  const work = (job: string, number = 0) =>
    runProcess(execPath, [child, folder(), job, String(number)], { cwd: folder(), env: {} });
  /** A store that holds the lock and saved the first ledger. */
  const locked = async () => {
    const store = open();
    await store.lock(alice, 0);
    await store.save(first, emptyLedger('acme'));
    return store;
  };
  /** As if the heartbeat had stopped so long ago. */
  const age = (milliseconds: number) => {
    const then = new Date(Date.now() - milliseconds);
    fs.utimesSync(file('.lock'), then, then);
  };
  const stored = () => open().read();

  it('names its place as a person would', () => {
    const { folder: own } = context();
    assert.equal(new FileStore({ ...context(), cwd: own }).place, 'tether.ledger.json');
    assert.match(open().place, /^tether-test-\w+\/tether\.ledger\.json$/);
  });

  it('is for its owner alone at first, and keeps the permissions that somebody gave it', async () => {
    const mode = () => fs.statSync(file()).mode & 0o777;
    const store = await locked();
    assert.equal(mode(), 0o600);
    fs.chmodSync(file(), 0o664);
    const umask = process.umask(0o077);
    await store.save(second, first).finally(() => process.umask(umask));
    assert.equal(mode(), 0o664);
    await store.unlock();
  });

  it('says where the ledger is when its file cannot be deleted after a move', async () => {
    const store = await locked();
    const original = promises.rm;
    Reflect.set(promises, 'rm', () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })));
    await assert
      .rejects(store.remove('s3://ledgers/acme.json'), {
        name: 'LedgerError',
        message:
          /^the ledger is at s3:\/\/ledgers\/acme\.json now, but \S+ could not be deleted \(EACCES\): delete it, in version control too$/,
      })
      .finally(() => Reflect.set(promises, 'rm', original));
    await store.unlock();
  });

  const unreadable: [what: string, make: (path: string) => void, says: RegExp][] = [
    [
      'a link to a file outside',
      (path) => fs.symlinkSync('/etc/hostname', path),
      /is a link: put the file itself/,
    ],
    ['a link to a device', (path) => fs.symlinkSync('/dev/zero', path), /is a link/],
    ['a link to nothing', (path) => fs.symlinkSync('nothing', path), /is a link/],
    ['a folder', (path) => fs.mkdirSync(path), /is a folder, not a file/],
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /is a named pipe, not a file/],
    [
      'too large',
      (path) => fs.writeFileSync(path, '') === fs.truncateSync(path, 32_000_001),
      /has more than 32 MB: restore an earlier version/,
    ],
    ['damaged', (path) => fs.writeFileSync(path, '{'), /is not valid JSON/],
  ];
  for (const [what, make, says] of unreadable) {
    it(`is refused where it is ${what}`, async () => {
      make(file());
      await assert.rejects(async () => open().read(), { name: 'LedgerError', message: says });
    });
  }

  it('says that there is no such folder', () => {
    const nowhere = { ...context(), folder: join(folder(), 'nowhere') };
    assert.throws(() => new FileStore(nowhere), {
      name: 'LedgerError',
      message: /no folder .*nowhere$/,
    });
  });

  describe('at a save', () => {
    const { poll, request } = homeTimes;
    beforeEach(() => {
      homeTimes.poll = 1;
      homeTimes.request = 100;
    });
    afterEach(() => {
      Object.assign(homeTimes, { poll, request });
    });

    it('saves again after an error that passes, and believes what it finds after an error', async () => {
      const store = await locked();
      const original = promises.rename;
      let calls = 0;
      const failAtFirst = (isDone: boolean) => async (from: string, to: string) => {
        calls += 1;
        if (calls > 1 || isDone) await original(from, to);
        if (calls === 1) throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      };
      for (const isDone of [false, true]) {
        calls = 0;
        const before = (await stored()) ?? first;
        Reflect.set(promises, 'rename', failAtFirst(isDone));
        await store
          .save(nextSerial(before, before.address), before)
          .finally(() => Reflect.set(promises, 'rename', original));
        assert.deepEqual([calls, (await stored())?.serial], [isDone ? 1 : 2, before.serial + 1]);
      }
      await store.unlock();
    });

    it('refuses a ledger that it could not read again', async () => {
      const store = await locked();
      const values = { name: 'x'.repeat(32_000_000) };
      const large = { ...second, objects: { 'OAuthClient/github': { id: 'oc-1', values } } };
      await assert.rejects(store.save(large, first), { name: 'LedgerError', message: /has more than 32 MB/ });
      assert.deepEqual(await stored(), first);
      await store.unlock();
    });

    for (const name of ['writeFile', 'rename'] as const) {
      it(`leaves the old file when ${name} fails, and can be tried again`, async () => {
        const store = await locked();
        const original = promises[name];
        Reflect.set(promises, name, () =>
          Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
        );
        try {
          await assert.rejects(store.save(second, first), {
            name: 'LedgerError',
            message: /ENOSPC.*free space, and it still holds what it held before/,
          });
        } finally {
          Reflect.set(promises, name, original);
        }
        assert.deepEqual(await stored(), first);
        await store.save(second, first);
        assert.deepEqual(await stored(), second);
        await store.unlock();
        assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json']);
      });
    }

    it('is the old or the new ledger when the process is killed, at whatever call, and the next run goes on', async () => {
      const seen = new Set<number>();
      for (let call = 0; ; call += 1) {
        fs.rmSync(file(), { force: true });
        const before = await locked();
        await before.unlock();
        const { code, stderr } = await work('die', call);
        assert.equal(stderr, '');
        const found = await stored();
        assert.ok(found?.serial === 1 || found?.serial === 2, `serial ${found?.serial} after call ${call}`);
        seen.add(found.serial);
        if (code === 0) {
          assert.ok(call > 10, `only ${call} calls`);
          break;
        }
        if (fs.existsSync(file('.lock'))) age(lockTimes.stale + 1000);
        const next = open();
        await next.lock(bob, 0);
        await next.save(nextSerial(found, first.address), found);
        await next.unlock();
        assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json']);
      }
      assert.deepEqual([...seen], [1, 2]);
    });
  });

  describe('under its lock', () => {
    it('is not taken over while its heartbeat goes on, by one with the same host and process id either (79)', async () => {
      const store = await locked();
      age(lockTimes.stale - 10_000);
      await assert.rejects(open().lock(bob, 0), LedgerLocked);
      age(lockTimes.stale + 1000);
      const other = open();
      await other.lock(bob, 0);
      assert.match(other.note ?? '', /^Removed a stale lock \(alice@host .*, since .*\): that run no longer/);
      await assert.rejects(store.save(second, first), {
        name: 'LockLost',
        message: /and bob@host .* has it since/,
      });
      await other.save(second, first);
      await assert.rejects(store.save(second, first), { name: 'LockLost', message: /and bob@host/ });
      // Its end leaves the lock to the other.
      await store.unlock();
      await other.unlock();
      assert.deepEqual(await stored(), second);
    });

    it('is freed for a person who gives the id of a run without a heartbeat, and says of another id whose it was', async () => {
      await locked();
      age(lockTimes.stale + 1000);
      const { ID: id = '' } = JSON.parse(fs.readFileSync(file('.lock.json'), 'utf8')) as { ID?: string };
      assert.equal((await freeLock(open(), id, 'carol')).who, alice.who);
      assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json']);
      fs.rmSync(file());
      await locked();
      age(lockTimes.stale + 1000);
      await assert.rejects(freeLock(open(), 'other', 'carol'), {
        message: /is not locked\. Removed a stale lock \(alice@host/,
      });
    });

    it('writes nothing when its heartbeat is older than the stale time by the wall clock, as after a sleep of the machine', async () => {
      const store = await locked();
      const { now } = Date;
      store.refuseUnlessHeld();
      Date.now = () => now() + lockTimes.stale - 1000;
      store.refuseUnlessHeld();
      Date.now = () => now() + lockTimes.stale + 2000;
      try {
        const lost = (error: Error) =>
          error instanceof LockLost && /lost: somebody freed it, or this machine slept$/.test(error.message);
        assert.throws(() => store.refuseUnlessHeld(), lost);
        await assert.rejects(store.save(second, first), lost);
      } finally {
        Date.now = now;
      }
      // A heartbeat after the sleep does not make it young again.
      assert.throws(() => store.refuseUnlessHeld(), { name: 'LockLost' });
      assert.deepEqual(await stored(), first);
      await store.unlock();
      assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json']);
    });

    it('writes nothing when another run has just taken the lock, and not yet written its name', async () => {
      const store = await locked();
      age(lockTimes.stale + 1000);
      const { mkdir } = fs;
      let takeovers = 0;
      Reflect.set(fs, 'mkdir', (path: string, done: fs.NoParamCallback) => {
        mkdir(path, (error) => {
          if (error === null) {
            takeovers += 1;
            assert.throws(() => store.refuseUnlessHeld(), { name: 'LockLost' });
          }
          done(error);
        });
      });
      const other = open();
      await other.lock(bob, 0).finally(() => Reflect.set(fs, 'mkdir', mkdir));
      assert.equal(takeovers, 1);
      await assert.rejects(store.save(second, first), { name: 'LockLost' });
      await other.unlock();
    });

    it('says who has it in a file for its owner alone', async () => {
      const store = await locked();
      assert.equal(fs.statSync(file('.lock.json')).mode & 0o777, 0o600);
      await store.unlock();
    });

    it('has a heartbeat, and stops when it finds that the lock is not its own', async () => {
      const beats: (() => void)[] = [];
      const { setTimeout: original } = globalThis;
      const touched: unknown[] = [];
      const { utimes } = fs;
      // Other timers of the process are left alone.
      const record = (work: () => void, delay: number) => {
        if (delay !== lockTimes.heartbeat) return original(work, delay);
        beats.push(work);
        return original(() => {}, 0);
      };
      const touch = (path: string, from: Date, to: Date, done: (error: Error | null) => void) => {
        touched.push(path);
        utimes(path, from, to, done);
      };
      Object.assign(globalThis, { setTimeout: record });
      Reflect.set(fs, 'utimes', touch);
      try {
        const store = await locked();
        const nextBeat = async () => {
          const beat = beats.shift();
          assert.ok(beat);
          beat();
          await new Promise((done) => original(done, 0));
          while (beats.length === 0 && fs.existsSync(file('.lock'))) await new Promise(setImmediate);
        };
        touched.length = 0;
        await nextBeat();
        assert.deepEqual(touched, [fs.realpathSync(file()).concat('.lock')]);
        await store.save(second, first);
        // A lock that was removed.
        fs.rmdirSync(file('.lock'));
        await nextBeat();
        await assert.rejects(store.save(nextSerial(second, first.address), second), { name: 'LockLost' });
        await store.unlock();
      } finally {
        Object.assign(globalThis, { setTimeout: original });
        Reflect.set(fs, 'utimes', utimes);
      }
    });

    it('shows a forged holder in one short line', async () => {
      const store = await locked();
      const forged = { ID: '0123abcd', Who: `\u001b[31m\n${'x'.repeat(5000)}`, Created: 1 };
      fs.writeFileSync(file('.lock.json'), JSON.stringify(forged));
      await assert.rejects(
        open().lock(bob, 0),
        ({ message }: Error) => /0123abcd/.test(message) && !/\p{Cc}/u.test(message) && message.length < 400,
      );
      fs.writeFileSync(file('.lock.json'), 'x');
      await assert.rejects(open().lock(bob, 0), {
        message:
          /is locked by another run: wait with --lock-timeout, or if no run is alive, remove the lock there by hand$/,
      });
      await assert.rejects(store.save(second, first), { name: 'LockLost' });
    });

    it('does not write through a link in place of the holder', async () => {
      const outside = join(folder(), 'outside');
      fs.writeFileSync(outside, 'as it was');
      fs.symlinkSync(outside, file('.lock.json'));
      const store = await locked();
      assert.equal(fs.readFileSync(outside, 'utf8'), 'as it was');
      await store.unlock();
    });

    it('says that its folder cannot be written', async () => {
      fs.writeFileSync(file('.lock'), '');
      age(lockTimes.stale + 1000);
      await assert.rejects(open().lock(bob, 0), { name: 'LedgerError', message: /could not lock .*ENOTDIR/ });
    });

    it('is freed when its process exits', async () => {
      const { code } = await work('exit');
      assert.deepEqual([code, fs.readdirSync(folder())], [0, []]);
    });

    it('stays when a process exits from which it was taken over', async () => {
      const { code } = await work('exit robbed');
      assert.equal(code, 0);
      assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json.lock', 'tether.ledger.json.lock.json']);
    });

    it('lets several processes save one after the other, and none over another', async () => {
      const ended = await Promise.all([1, 2, 3].map(() => work('count', 10)));
      assert.deepEqual(
        ended,
        ended.map(() => ({ code: 0, stdout: '', stderr: '' })),
      );
      assert.equal((await stored())?.serial, 30);
      assert.deepEqual(fs.readdirSync(folder()), ['tether.ledger.json']);
    });
  });
});
