/** Freeing the lock of a ledger by hand. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ppid } from 'node:process';
import { unlockLedger } from '../../../reconciler/ledger/commands';
import { writeLedger } from '../../../reconciler/ledger/file';
import { endedProcess } from '../../support/ended-process';
import { at, fullLedger } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

describe('freeing the lock of a ledger', () => {
  const folder = temporaryFolder();
  const place = () => ({ file: join(folder(), 'tether.ledger.json'), folder: folder(), exists: true });

  beforeEach(async () => {
    await writeLedger(place().file, fullLedger);
  });

  function lock(holder: object): string {
    const file = `${place().file}.lock`;
    const whole = {
      host: hostname(),
      since: at,
      command: 'tether apply',
      token: '0123456789abcdef',
      ...holder,
    };
    writeFileSync(file, JSON.stringify(whole));
    return file;
  }

  it('finds no lock to remove', async () => {
    assert.deepEqual(await unlockLedger(place(), { force: false }), {
      holder: null,
      said: 'The ledger is not locked.',
    });
  });

  const locks: [string, object][] = [
    ['of a process that is gone', { pid: endedProcess() }],
    ['of another host', { pid: 7, host: 'elsewhere' }],
  ];
  for (const [whose, holder] of locks) {
    it(`removes the lock ${whose}, saying whose it was`, async () => {
      const file = lock(holder);
      const { said } = await unlockLedger(place(), { force: false });
      assert.match(said, /Removed the lock of tether apply, process \d+ on .*, since 2026-01-31/);
      assert.equal(existsSync(file), false);
    });
  }

  it('leaves the lock of a running process unless forced', async () => {
    const file = lock({ pid: ppid });
    await assert.rejects(unlockLedger(place(), { force: false }), /in use: tether apply.*--force/s);
    assert.equal(existsSync(file), true);
    assert.match((await unlockLedger(place(), { force: true })).said, /Removed the lock/);
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
  });

  it('removes a lock that nobody can read', async () => {
    writeFileSync(`${place().file}.lock`, '');
    assert.equal((await unlockLedger(place(), { force: false })).holder, 'unreadable');
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
  });
});
