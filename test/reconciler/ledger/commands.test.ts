/** Looking into a ledger and repairing it by hand: addresses, forget, mv, unlock. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ppid } from 'node:process';
import {
  findEntry,
  forgetEntry,
  moveEntry,
  repairLedger,
  unlockLedger,
} from '../../../reconciler/ledger/commands';
import { readLedger, writeLedger } from '../../../reconciler/ledger/file';
import { LedgerError } from '../../../reconciler/ledger/ledger-error';
import { endedProcess } from '../../support/ended-process';
import {
  at,
  attachmentObject,
  clientObject,
  fullLedger,
  ledgerOf,
  organization,
} from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

const two = ledgerOf({
  acme: organization({
    objects: { 'OAuthClient/github': clientObject('oc-1'), 'RunTrigger/ws-1/ws-2': trigger() },
  }),
  beta: organization({ objects: { 'OAuthClient/github': clientObject('oc-2') } }),
});

function trigger() {
  return {
    ...clientObject('rt-1'),
    kind: 'RunTrigger',
    values: { workspaceId: 'ws-1', sourceableId: 'ws-2' },
  };
}

describe('naming an entry of the ledger', () => {
  const found: [string, { organization: string; key: string }][] = [
    ['acme:OAuthClient/github', { organization: 'acme', key: 'OAuthClient/github' }],
    ['beta:OAuthClient/github', { organization: 'beta', key: 'OAuthClient/github' }],
    ['RunTrigger/ws-1/ws-2', { organization: 'acme', key: 'RunTrigger/ws-1/ws-2' }],
  ];
  for (const [address, entry] of found) {
    it(`finds ${address}`, () => {
      assert.deepEqual(findEntry(two, address, 'x'), entry);
    });
  }

  it('finds an attachment by the address of its client, and a create that is not finished', () => {
    const key = 'ProjectAttachment/oc-1/prj-1';
    assert.equal(findEntry(fullLedger, 'ProjectAttachment/github/prj-1', 'x').key, key);
    assert.equal(findEntry(fullLedger, key, 'x').key, key);
    assert.equal(findEntry(fullLedger, 'OAuthClient/new', 'x').key, 'OAuthClient/new');
  });

  const missing: [string, RegExp][] = [
    ['OAuthClient/github', /stands in several organizations. Write acme:OAuthClient\/github or beta:/],
    ['gamma:OAuthClient/github', /no entry gamma:OAuthClient\/github/],
    ['acme:OAuthClient/githup', /Did you mean acme:OAuthClient\/github\?/],
    ['RunTrigger/app/network', /tether ledger show.*ids/],
    ['toString', /no entry toString/],
  ];
  for (const [address, message] of missing) {
    it(`says what to do about ${address}`, () => {
      assert.throws(
        () => findEntry(two, address, 'x.json'),
        (error) => error instanceof LedgerError && error.code === 'entry' && message.test(error.message),
      );
    });
  }
});

describe('repairing a ledger', () => {
  const folder = temporaryFolder();
  const place = () => ({ file: join(folder(), 'tether.ledger.json'), folder: folder(), exists: true });
  const clock = { now: () => Date.parse(at), sleep: async () => {} };

  async function entries() {
    const after = (await readLedger(place().file))?.organizations.acme;
    return {
      objects: Object.keys(after?.objects ?? {}),
      pending: Object.keys(after?.pending ?? {}),
      serial: after?.serial,
    };
  }

  beforeEach(async () => {
    await writeLedger(place().file, fullLedger);
  });

  it('forgets a client and its attachments, and nothing else', async () => {
    const others = {
      'OAuthClient/other': clientObject('oc-2'),
      'ProjectAttachment/oc-2/prj-1': attachmentObject('oc-2', 'prj-1'),
    };
    const acme = fullLedger.organizations.acme;
    assert.ok(acme);
    await writeLedger(place().file, ledgerOf({ acme: { ...acme, objects: { ...acme.objects, ...others } } }));
    const done = await repairLedger(place(), { clock }, (ledger, now, file) =>
      forgetEntry(ledger, 'OAuthClient/github', now, file),
    );
    assert.deepEqual(done, ['Forgot ProjectAttachment/oc-1/prj-1.', 'Forgot OAuthClient/github (oc-1).']);
    assert.deepEqual(await entries(), {
      objects: ['OAuthClient/other', 'ProjectAttachment/oc-2/prj-1'],
      pending: ['OAuthClient/new'],
      serial: 4,
    });
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
  });

  it('forgets an attachment without its client', async () => {
    await repairLedger(place(), { clock }, (ledger, now, file) =>
      forgetEntry(ledger, 'ProjectAttachment/github/prj-1', now, file),
    );
    assert.deepEqual((await entries()).objects, ['OAuthClient/github']);
  });

  it('forgets a create that was not finished, and says what it may have left', async () => {
    const done = await repairLedger(place(), { clock }, (ledger, now, file) =>
      forgetEntry(ledger, 'OAuthClient/new', now, file),
    );
    assert.match(done.join(' '), /Forgot OAuthClient\/new\. .*look for an object named tether-pending-a-b/);
    assert.deepEqual((await entries()).pending, []);
  });

  it('moves a client; its attachments stay, being named by ids', async () => {
    const done = await repairLedger(place(), { clock }, (ledger, now, file) =>
      moveEntry(ledger, 'OAuthClient/github', 'acme:OAuthClient/gh', now, file),
    );
    assert.deepEqual(done, ['Moved OAuthClient/github to OAuthClient/gh.']);
    assert.deepEqual((await entries()).objects, ['OAuthClient/gh', 'ProjectAttachment/oc-1/prj-1']);
  });

  const refused: [string, string, RegExp][] = [
    ['OAuthClient/github', 'OAuthClient/new', /OAuthClient\/new is taken/],
    ['OAuthClient/github', 'OAuthClient/github', /is taken/],
    ['OAuthClient/github', 'RunTrigger/a/b', /no address for OAuthClient\/github. Write OAuthClient\/NAME/],
    ['OAuthClient/github', 'OAuthClient/a b', /no address/],
    ['OAuthClient/github', 'OAuthClient/', /no address/],
    ['OAuthClient/github', 'OAuthClient/__proto__', /no address/],
    ['OAuthClient/github', 'beta:OAuthClient/gh', /belongs to acme/],
    ['ProjectAttachment/oc-1/prj-1', 'ProjectAttachment/oc-1/prj-2', /named by the ids/],
    ['OAuthClient/missing', 'OAuthClient/x', /no entry OAuthClient\/missing/],
  ];
  for (const [from, to, message] of refused) {
    it(`refuses to move ${from} to ${to}, and changes nothing`, async () => {
      const attempt = repairLedger(place(), { clock }, (ledger, now, file) =>
        moveEntry(ledger, from, to, now, file),
      );
      await assert.rejects(attempt, (error) => error instanceof LedgerError && message.test(error.message));
      assert.deepEqual(await readLedger(place().file), fullLedger);
      assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
    });
  }

  it('waits its turn', async () => {
    lock({ pid: ppid });
    await assert.rejects(
      repairLedger(place(), { clock }, () => ({ records: [], done: [] })),
      /locked/,
    );
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
