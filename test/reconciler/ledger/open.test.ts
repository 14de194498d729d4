/** An open ledger: read without a trace, or written under its lock and folded at the end. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LedgerError } from '../../../reconciler/ledger/disk';
import { writeLedger } from '../../../reconciler/ledger/file';
import { journalHeader } from '../../../reconciler/ledger/journal';
import { emptyLedger, type JournalRecord, serializeLedger } from '../../../reconciler/ledger/ledger';
import { type OpenOptions, openLedger } from '../../../reconciler/ledger/open';
import type { OpenLedger } from '../../../reconciler/ledger/state';
import { at, clientObject, fullLedger, recordOf, startOf } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

describe('an open ledger', () => {
  const folder = temporaryFolder();
  const opened: OpenLedger[] = [];
  const clock = { now: () => Date.parse(at), sleep: async () => {} };

  const owner = () => ({ folder: folder(), organization: 'acme' });
  const file = () => join(folder(), 'tether.ledger.json');
  const journal = () => `${file()}.journal`;
  const text = (path: string) => readFileSync(path, 'utf8');
  const files = () => readdirSync(folder()).sort();

  async function open(options: Partial<OpenOptions> = {}) {
    const notes: string[] = [];
    const ledger = await openLedger(owner(), {
      write: true,
      clock,
      onNote: (note) => notes.push(note),
      ...options,
    });
    opened.push(ledger);
    return Object.assign(ledger, { notes, append: (record: JournalRecord) => append(ledger, record) });
  }

  async function append(ledger: OpenLedger, record: JournalRecord): Promise<void> {
    assert.ok(ledger.journal);
    await ledger.journal.append(record);
  }

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const github = recordOf('OAuthClient/github', clientObject('oc-1'));

  it('starts empty, keeps what it is told and is found again', async () => {
    const one = await open();
    assert.deepEqual(one.ledger, emptyLedger('acme'));
    await one.append(github);
    const after = await one.finish();
    await one.close();
    assert.deepEqual(files(), ['tether.ledger.json']);
    const two = await open({ write: false });
    assert.deepEqual(two.ledger, after);
    assert.deepEqual(two.ledger.objects, { 'OAuthClient/github': clientObject('oc-1') });
    assert.equal(two.ledger.serial, 1);
  });

  it('keeps the lineage and counts each run that changed something once', async () => {
    const lineages = new Set<string>();
    for (const serial of [1, 2, 3]) {
      const one = await open();
      await one.append(recordOf(`OAuthClient/a${serial}`, clientObject(`oc-a${serial}`)));
      await one.append(recordOf(`OAuthClient/b${serial}`, clientObject(`oc-b${serial}`)));
      const after = await one.finish();
      await one.close();
      assert.equal(after.serial, serial);
      lineages.add(after.lineage);
    }
    assert.equal(lineages.size, 1);
  });

  it('is not written, nor a journal made, by a run without changes', async () => {
    const one = await open();
    assert.deepEqual(files(), ['tether.ledger.json.lock']);
    await one.finish();
    await one.close();
    assert.deepEqual(files(), []);

    await writeLedger(file(), fullLedger);
    const before = { text: text(file()), inode: statSync(file()).ino };
    const two = await open();
    await two.append(github);
    await two.finish();
    await two.close();
    assert.deepEqual({ text: text(file()), inode: statSync(file()).ino }, before);
    assert.deepEqual(files(), ['tether.ledger.json']);
  });

  it('has each record on disk when its append is done, readable by the owner only', async () => {
    const one = await open();
    for (let count = 1; count <= 3; count += 1) {
      await one.append(recordOf(`OAuthClient/c${count}`, clientObject(`oc-${count}`)));
      assert.equal(text(journal()).split('\n').length - 1, count + 1, 'the first line comes on top');
    }
    assert.equal(statSync(journal()).mode & 0o777, 0o600);
  });

  it('keeps the order of records that are appended at once', async () => {
    const one = await open();
    const keys = Array.from({ length: 50 }, (_, index) => `OAuthClient/c${index}`);
    await Promise.all(keys.map((key) => one.append(recordOf(key, clientObject(`id-${key}`)))));
    const written = text(journal()).trim().split('\n').slice(1);
    assert.deepEqual(
      written.map((line) => JSON.parse(line).key),
      keys,
    );
  });

  it('folds the journal of a run that did not finish, and says so', async () => {
    await writeLedger(file(), fullLedger);
    const one = await open();
    await one.append(recordOf('OAuthClient/x', clientObject('oc-9')));
    await one.close();
    assert.ok(existsSync(journal()));

    const two = await open();
    assert.equal(two.ledger.objects['OAuthClient/x']?.id, 'oc-9');
    assert.equal(two.ledger.serial, 4);
    assert.match(two.notes.join(), /interrupted.*now in the ledger/);
    assert.ok(!existsSync(journal()));
    await two.close();
  });

  it('counts a journal when only read, and writes nothing, not even a lock', async () => {
    await writeLedger(file(), fullLedger);
    const one = await open();
    await one.append(recordOf('OAuthClient/x', clientObject('oc-9')));
    await one.close();
    const before = files().map((name) => [name, text(join(folder(), name))]);

    const two = await open({ write: false });
    assert.equal(two.ledger.objects['OAuthClient/x']?.id, 'oc-9');
    await assert.rejects(two.journal.append(github), /opened for reading/);
    assert.match(two.notes.join(), /interrupted.*counted/);
    assert.equal(await two.finish(), two.ledger);
    assert.deepEqual(
      files().map((name) => [name, text(join(folder(), name))]),
      before,
    );
  });

  it('is readable while somebody writes, who is named', async () => {
    const one = await open({ command: 'tether apply' });
    await one.append(github);
    const two = await open({ write: false });
    assert.equal(two.ledger.objects['OAuthClient/github']?.id, 'oc-1');
    assert.match(two.notes.join(), /being changed right now: tether apply, process \d+ on .*, since 2026/);
  });

  it('is read when its writer is done, for a reader that waits', async () => {
    const one = await open({ command: 'tether apply' });
    await one.append(github);
    let polls = 0;
    const sleep = async () => {
      polls += 1;
      if (polls < 3) return;
      await one.finish();
      await one.close();
    };
    const two = await open({ write: false, lockTimeout: 60, clock: { ...clock, sleep } });
    assert.equal(polls, 3);
    assert.match(
      two.notes.join(),
      /^Waiting for the ledger's lock: tether apply, process \d+ on .*, since 2026[^ ]*$/,
    );
    assert.equal(two.ledger.objects['OAuthClient/github']?.id, 'oc-1');
  });

  it('recognises a journal that outlived its folding', async () => {
    await writeLedger(file(), fullLedger);
    const one = await open();
    await one.append(recordOf('OAuthClient/x', clientObject('oc-9')));
    const left = text(journal());
    await one.finish();
    await one.close();
    const folded = text(file());

    writeFileSync(journal(), left);
    const two = await open();
    assert.deepEqual(two.notes, []);
    assert.equal(text(file()), folded);
    assert.ok(!existsSync(journal()));
  });

  it('ignores a line whose writing was cut off', async () => {
    const one = await open();
    await one.append(github);
    await one.close();
    appendFileSync(journal(), '{"at":"2026-01-31T10:00:00.000Z","event":"remo');
    const two = await open();
    assert.equal(two.ledger.objects['OAuthClient/github']?.id, 'oc-1');
    assert.deepEqual(files(), ['tether.ledger.json', 'tether.ledger.json.lock']);
  });

  it('ignores it also where it was cut off within a character', async () => {
    const one = await open();
    await one.append(github);
    await one.close();
    const torn = Buffer.from('{"at":"2026-01-31T10:00:00.000Z","event":"object","key":"Zü');
    appendFileSync(journal(), torn.subarray(0, -1));
    assert.equal((await open({ write: false })).ledger.serial, 1);
    const two = await open();
    assert.equal(two.ledger.objects['OAuthClient/github']?.id, 'oc-1');
  });

  it('recognises a journal that outlived its folding also when it changed nothing and only old tombstones went', async () => {
    await writeLedger(file(), fullLedger);
    const one = await open({ clock: { ...clock, now: () => Date.parse(at) + 8 * 24 * 60 * 60 * 1000 } });
    const intent = { kind: 'OAuthClient', nonce: 'tether-pending-x', hash: 'h' };
    await one.append({ at, event: 'intent', key: 'OAuthClient/x', intent });
    await one.append({ at, event: 'removed', key: 'OAuthClient/x' });
    const left = text(journal());
    const after = await one.finish();
    await one.close();
    assert.equal(after.serial, 4);

    writeFileSync(journal(), left);
    const two = await open();
    assert.deepEqual(two.ledger, after);
    assert.ok(!existsSync(journal()));
  });

  it('goes on after a journal of which not even the first line was whole', async () => {
    writeFileSync(journal(), journalHeader(startOf(), at).slice(0, 10));
    const one = await open();
    assert.deepEqual(one.ledger, emptyLedger('acme'));
    await one.append(github);
    assert.equal((await one.finish()).serial, 1);
  });

  it('refuses what contradicts it before anything is written, and goes on', async () => {
    const one = await open();
    const moved = {
      at,
      event: 'moved',
      from: 'OAuthClient/a',
      to: 'OAuthClient/b',
    } as const;
    await assert.rejects(one.append(moved), /cannot be journaled: OAuthClient\/a was moved but is not there/);
    await assert.rejects(
      one.append(recordOf('OAuthClient/x', clientObject('oc-1', { digests: { key: 'hunter2' } }))),
      (error) =>
        error instanceof Error &&
        /cannot be journaled/.test(error.message) &&
        !error.message.includes('hunter2'),
    );
    assert.ok(!existsSync(journal()));
    await one.append(github);
    assert.equal((await one.finish()).objects['OAuthClient/github']?.id, 'oc-1');
  });

  it('takes nothing more once it is finished or closed', async () => {
    const one = await open();
    await one.finish();
    await assert.rejects(one.append(github), /ledger is finished/);
    await assert.rejects(one.finish(), /ledger is finished/);
    await one.close();
    await one.close();
    await assert.rejects(one.append(github), /ledger is closed/);
  });

  it('keeps tombstones for seven days', async () => {
    await writeLedger(file(), fullLedger);
    const one = await open({ clock: { ...clock, now: () => Date.parse(at) + 7 * 24 * 60 * 60 * 1000 } });
    assert.deepEqual(await one.finish(), fullLedger);
  });

  it('drops old tombstones when a run ends, and not before', async () => {
    await writeLedger(file(), fullLedger);
    const later = { ...clock, now: () => Date.parse(at) + 7 * 24 * 60 * 60 * 1000 + 1 };
    const one = await open({ clock: later });
    assert.equal(one.ledger.tombstones.length, 1);
    const after = await one.finish();
    assert.deepEqual(after.tombstones, []);
    assert.equal(after.serial, 4);
    assert.equal(text(file()), serializeLedger(after));
  });

  it('removes what an earlier write left when it was killed, and nothing else', async () => {
    const left = ['tether.ledger.json.0123456789ab.tmp', '.tether-export.0123456789ab.tmp'];
    const others = ['.tether-export.tmp', 'notes.tmp', 'tether.ledger.json.bak'];
    for (const name of [...left, ...others]) writeFileSync(join(folder(), name), 'x');
    await open();
    assert.deepEqual(files(), [...others, 'tether.ledger.json.lock']);
  });

  it('is one ledger with one lock under two names', async () => {
    const [real, link] = ['real', 'link'].map((name) => ({ ...owner(), folder: join(folder(), name) }));
    assert.ok(real && link);
    for (const one of [real, link]) mkdirSync(one.folder);
    const stored = join(real.folder, 'tether.ledger.json');
    await writeLedger(stored, fullLedger);
    symlinkSync(stored, join(link.folder, 'tether.ledger.json'));
    const one = await openLedger(link, { write: true, clock });
    opened.push(one);
    await assert.rejects(openLedger(real, { write: true, clock }), /locked/);
    await append(one, recordOf('OAuthClient/x', clientObject('oc-9')));
    await one.finish();
    assert.match(text(stored), /oc-9/);
  });

  const untouched: [string, string, string | null, RegExp][] = [
    ['a corrupt ledger', '{"version":1,', null, /half of it/],
    ['a newer ledger', '{"version":2}', null, /has version 2/],
    [
      'a corrupt journal',
      serializeLedger(fullLedger),
      `${journalHeader(startOf(), at)}garbage\n`,
      /not a journal record/,
    ],
    [
      'a journal of another history',
      serializeLedger(fullLedger),
      journalHeader(startOf({ lineage: 'other' }), at),
      /does not belong to this ledger.*same run together/s,
    ],
    ['a journal whose ledger is gone', '', journalHeader(startOf(), at), /ledger is empty/],
  ];
  for (const [what, ledger, journalText, message] of untouched) {
    for (const write of [true, false]) {
      it(`refuses ${what} and leaves it alone, ${write ? 'writing' : 'reading'}`, async () => {
        writeFileSync(file(), ledger);
        if (journalText !== null) writeFileSync(journal(), journalText);
        const before = files();
        await assert.rejects(
          open({ write }),
          (error) => error instanceof LedgerError && message.test(error.message),
        );
        assert.deepEqual(files(), before);
        assert.equal(text(file()), ledger);
        if (journalText !== null) assert.equal(text(journal()), journalText);
      });
    }
  }

  it('keeps everything in the journal when the end of the run cannot be written', async () => {
    const one = await open();
    await one.append(github);
    mkdirSync(file());
    await assert.rejects(one.finish(), LedgerError);
    await one.close();
    assert.match(text(journal()), /oc-1/);
  });

  it('fails every append after one that failed', async () => {
    mkdirSync(journal());
    await assert.rejects(open(), /This is a folder, not a plain file/);
    const other = join(folder(), 'other');
    mkdirSync(other);
    const one = await openLedger({ ...owner(), folder: other }, { write: true, clock });
    opened.push(one);
    mkdirSync(join(other, 'tether.ledger.json.journal'));
    await assert.rejects(append(one, github), /start the journal/);
    await assert.rejects(append(one, recordOf('OAuthClient/x', clientObject('oc-9'))), /start the journal/);
  });
});
