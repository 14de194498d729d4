/** What a killed process left beside the lock goes with the next run; what may be in use stays. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pid, ppid } from 'node:process';
import { systemClock } from '../../../client/clock';
import { acquireLock } from '../../../reconciler/ledger/lock';
import { removeLockLeftovers } from '../../../reconciler/ledger/lock-leftovers';
import { openLedger } from '../../../reconciler/ledger/open';
import { endedProcess } from '../../support/ended-process';
import { at } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

describe('what is left beside the lock of a ledger', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const token = '0123456789abcdef';
  const claim = 'fedcba9876543210';
  const lock = () => join(folder(), 'tether.ledger.json.lock');
  const text = (holder: object) =>
    JSON.stringify({ host: hostname(), pid: dead, since: at, command: 'tether apply', token, ...holder });

  const rows: { what: string; name: string; content: string; goes: boolean }[] = [
    { what: 'a lock that was being written', name: `${token}.tmp`, content: text({}), goes: true },
    { what: 'a lock that was half written', name: `${token}.tmp`, content: '{"host":"bui', goes: true },
    { what: 'a lock of which nothing was written', name: `${token}.tmp`, content: '', goes: true },
    { what: 'a claim', name: token, content: text({ token: claim }), goes: true },
    {
      what: 'a claim that was being written',
      name: `${token}.${claim}.tmp`,
      content: text({ token: claim }),
      goes: true,
    },
    {
      what: 'a claim on a claim',
      name: `${token}.${claim}`,
      content: text({ token: 'a'.repeat(16) }),
      goes: true,
    },
    {
      what: 'what bears our number from an earlier process',
      name: `${token}.tmp`,
      content: text({ pid }),
      goes: true,
    },
    {
      what: 'what a running process writes',
      name: `${token}.tmp`,
      content: text({ pid: ppid }),
      goes: false,
    },
    {
      what: 'what a process of another host writes',
      name: `${token}.tmp`,
      content: text({ host: 'elsewhere' }),
      goes: false,
    },
    {
      what: 'the claim of a running process',
      name: token,
      content: text({ pid: ppid, token: claim }),
      goes: false,
    },
    { what: 'a claim that says nothing', name: token, content: '', goes: false },
    { what: 'a file of somebody else', name: 'notes.tmp', content: text({}), goes: false },
    { what: 'a copy somebody made', name: `${token}.bak`, content: text({}), goes: false },
  ];
  for (const { what, name, content, goes } of rows) {
    it(`${goes ? 'goes' : 'stays'} with the next run when it is ${what}`, async () => {
      writeFileSync(`${lock()}.${name}`, content);
      const place = { file: join(folder(), 'tether.ledger.json'), folder: folder(), exists: true };
      const ledger = await openLedger(place, { write: true });
      await ledger.close();
      assert.deepEqual(readdirSync(folder()), goes ? [] : [`tether.ledger.json.lock.${name}`]);
    });
  }

  it('stays when it cannot be read', async () => {
    mkdirSync(`${lock()}.${token}.tmp`);
    await removeLockLeftovers(lock());
    assert.deepEqual(readdirSync(folder()), [`tether.ledger.json.lock.${token}.tmp`]);
  });

  it('is made again by a process that was about to link it when it was cleared away', async () => {
    const link = fs.link;
    let clears = 1;
    fs.link = async (from, to) => {
      if (clears-- > 0) rmSync(String(from));
      await link(from, to);
    };
    try {
      const options = { command: 'tether apply', timeout: 0, clock: systemClock, onNote: () => {} };
      const taken = await acquireLock(lock(), options);
      assert.deepEqual(readdirSync(folder()), ['tether.ledger.json.lock']);
      await taken.release();
    } finally {
      fs.link = link;
    }
  });
});
