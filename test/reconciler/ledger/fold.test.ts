/** Folding a journal into a ledger, event by event. */
import assert from 'node:assert/strict';
import { LedgerError } from '../../../reconciler/ledger/disk';
import { foldJournal, journalHeader, parseJournal } from '../../../reconciler/ledger/journal';
import type { JournalRecord, JournalStart } from '../../../reconciler/ledger/ledger';
import { LedgerState } from '../../../reconciler/ledger/state';
import {
  at,
  attachmentObject,
  clientObject,
  fullLedger,
  recordOf,
  startOf,
} from '../../support/ledger-samples';

const start = { at } as const;
const intent = { kind: 'OAuthClient', nonce: 'tether-pending-x', hash: 'h' };

function folded(...records: JournalRecord[]) {
  const after = foldJournal(fullLedger, { ...startOf(), records }, 'x.journal');
  assert.ok(after);
  return after;
}

describe('folding a journal', () => {
  it('adds an object, ends its intent and counts one change', () => {
    const after = folded(
      { ...start, event: 'intent', key: 'OAuthClient/x', intent },
      recordOf('OAuthClient/x', clientObject('oc-9')),
    );
    assert.equal(after.objects['OAuthClient/x']?.id, 'oc-9');
    assert.equal(after.pending['OAuthClient/x'], undefined);
    assert.equal(after.serial, 4);
  });

  it('keeps an intent that was not finished', () => {
    const begun = folded({ ...start, event: 'intent', key: 'OAuthClient/x', intent });
    assert.deepEqual(begun.pending['OAuthClient/x'], intent);
  });

  it('removes an object and its intent', () => {
    const after = folded(
      { ...start, event: 'removed', key: 'OAuthClient/github' },
      { ...start, event: 'removed', key: 'OAuthClient/new' },
    );
    assert.deepEqual(Object.keys(after.objects), ['ProjectAttachment/oc-1/prj-1']);
    assert.deepEqual(after.pending, {});
  });

  it('moves an object and an intent to another key', () => {
    const after = folded(
      { ...start, event: 'moved', from: 'OAuthClient/github', to: 'OAuthClient/gh' },
      { ...start, event: 'moved', from: 'OAuthClient/new', to: 'OAuthClient/newer' },
    );
    assert.deepEqual(Object.keys(after.objects).sort(), ['OAuthClient/gh', 'ProjectAttachment/oc-1/prj-1']);
    assert.deepEqual(Object.keys(after.pending), ['OAuthClient/newer']);
  });

  it('remembers a late arrival once, with the latest date', () => {
    const tombstone = {
      kind: 'OAuthClient',
      address: 'OAuthClient/github',
      nonce: 'tether-pending-c-d',
      since: at,
    };
    const later = { ...tombstone, since: '2026-02-01T10:00:00.000Z' };
    assert.deepEqual(folded({ ...start, event: 'late', tombstone: later }).tombstones, [later]);
    assert.equal(
      folded({ ...start, event: 'late', tombstone: { ...tombstone, nonce: 'n' } }).tombstones.length,
      2,
    );
  });

  it('lets the latest key have an object that another key held', () => {
    const after = folded(recordOf('OAuthClient/renamed', clientObject('oc-1')));
    assert.deepEqual(Object.keys(after.objects).sort(), [
      'OAuthClient/renamed',
      'ProjectAttachment/oc-1/prj-1',
    ]);
  });

  it('keeps what replaced an object under its key after the old id was claimed elsewhere', () => {
    const after = folded(
      recordOf('OAuthClient/github', clientObject('oc-2')),
      recordOf('OAuthClient/other', clientObject('oc-1')),
    );
    assert.equal(after.objects['OAuthClient/github']?.id, 'oc-2');
    assert.equal(after.objects['OAuthClient/other']?.id, 'oc-1');
  });

  it('begins the history of a folder that has no ledger', () => {
    const records = [recordOf('OAuthClient/x', clientObject('oc-9'))];
    const ledger = foldJournal(null, { ...startOf({ serial: 0, lineage: 'new' }), records }, 'x.journal');
    assert.equal(ledger?.organization, 'acme');
    assert.equal(ledger?.lineage, 'new');
    assert.equal(ledger?.serial, 1);
    assert.equal(ledger?.journal, 'j-1');
    assert.equal(foldJournal(null, { ...startOf({ serial: 0 }), records: [] }, 'x.journal'), null);
  });

  it('returns the very same ledger when nothing changed', () => {
    const same: JournalRecord[][] = [
      [],
      [recordOf('OAuthClient/github', clientObject('oc-1'))],
      [
        { ...start, event: 'moved', from: 'OAuthClient/github', to: 'OAuthClient/gh' },
        { ...start, event: 'moved', from: 'OAuthClient/gh', to: 'OAuthClient/github' },
      ],
    ];
    for (const records of same) {
      assert.equal(foldJournal(fullLedger, { ...startOf(), records }, 'x.journal'), fullLedger);
    }
    assert.equal(foldJournal(fullLedger, null, 'x.journal'), fullLedger);
  });

  it('is done once, however often the journal is found again', () => {
    const journal = { ...startOf(), records: [recordOf('OAuthClient/x', clientObject('oc-9'))] };
    const once = foldJournal(fullLedger, journal, 'x.journal');
    assert.equal(foldJournal(once, journal, 'x.journal'), once);
    assert.equal(once?.serial, 4);
  });

  it('leaves the ledger it was given alone', () => {
    const before = JSON.stringify(fullLedger);
    folded({ ...start, event: 'removed', key: 'OAuthClient/github' });
    assert.equal(JSON.stringify(fullLedger), before);
  });

  const forks: [string, JournalStart, RegExp][] = [
    ['another lineage', startOf({ lineage: 'lineage-2' }), /another history/],
    ['an earlier serial', startOf({ serial: 2 }), /goes on from serial 2, but the ledger is at serial 3/],
    ['a later serial', startOf({ serial: 4 }), /goes on from serial 4/],
  ];
  for (const [what, other, message] of forks) {
    it(`refuses a journal that goes on from ${what}`, () => {
      assert.throws(
        () => foldJournal(fullLedger, { ...other, records: [] }, 'x.journal'),
        (error) => error instanceof LedgerError && error.code === 'forked' && message.test(error.message),
      );
    });
  }

  it('refuses a journal that goes on from a ledger that is gone', () => {
    assert.throws(
      () => foldJournal(null, { ...startOf(), records: [] }, 'x.journal'),
      /goes on from serial 3, but there is no ledger/,
    );
  });

  const contradictions: [string, JournalRecord, RegExp][] = [
    [
      'a move of nothing',
      { ...start, event: 'moved', from: 'OAuthClient/a', to: 'OAuthClient/b' },
      /not there/,
    ],
    [
      'a move onto something',
      { ...start, event: 'moved', from: 'OAuthClient/github', to: 'OAuthClient/new' },
      /OAuthClient\/new, which is taken/,
    ],
  ];
  for (const [what, record, message] of contradictions) {
    it(`refuses ${what}, naming the line`, () => {
      assert.throws(
        () => folded(record),
        (error) =>
          error instanceof LedgerError &&
          error.code === 'corrupt' &&
          error.file === 'x.journal:2' &&
          message.test(error.message),
      );
    });
  }

  it('changes nothing by a record that does not fit', () => {
    const state = new LedgerState(fullLedger);
    state.take({ ...start, event: 'moved', from: 'OAuthClient/github', to: 'OAuthClient/new' });
    assert.equal(state.ledger('j'), fullLedger);
  });

  it('takes ten thousand records in the order of their number', () => {
    const records = Array.from({ length: 10_000 }, (_, index) =>
      recordOf(`ProjectAttachment/oc-1/prj-${index}`, attachmentObject('oc-1', `prj-${index}`)),
    );
    assert.equal(Object.keys(folded(...records).objects).length, 10_001);
  });
});

describe('the text of a journal', () => {
  const line = (record: object) => `${JSON.stringify(record)}\n`;
  const header = journalHeader(startOf(), at);
  const object = recordOf('OAuthClient/x', clientObject('oc-9'));

  it('reads back as the records that were written', () => {
    assert.deepEqual(parseJournal(header + line(object), 'x'), { ...startOf(), records: [object] });
  });

  it('holds whatever was whole, wherever it is cut', () => {
    const text = header + line(object) + line(object);
    for (let length = 0; length <= text.length; length += 1) {
      const whole = text.slice(0, length).split('\n').length - 1;
      const journal = parseJournal(text.slice(0, length), 'x');
      assert.equal(journal === null ? 0 : journal.records.length + 1, whole, `cut at ${length}`);
    }
  });

  const bad: [string, string, RegExp][] = [
    [
      'a torn line in the middle',
      `${header}{"at":"2026\n${line(object)}`,
      /x:2: This line is not a journal record/,
    ],
    ['an empty line', `${header}\n${line(object)}`, /x:2/],
    ['an unknown event', header + line({ ...object, event: 'exploded' }), /x:2/],
    ['the shape of another thing as an event', header + line({ event: 'ledger' }), /x:2/],
    ['an event named like a member of every object', header + line({ event: 'toString' }), /x:2/],
    ['a record with a member too many', header + line({ ...object, extra: 1 }), /x:2/],
    ['a record without its key', header + line({ ...start, event: 'removed' }), /x:2/],
    ['a member twice', `${header}{"at":"${at}","at":"${at}","event":"removed","key":"k"}\n`, /x:2/],
    ['no first line of a journal', line(object), /x:1: This is not the first line/],
    ['something else altogether', '#!/bin/sh\n', /x:1/],
  ];
  for (const [what, text, message] of bad) {
    it(`is refused with ${what}`, () => {
      assert.throws(
        () => parseJournal(text, 'x'),
        (error) => error instanceof LedgerError && error.code === 'corrupt' && message.test(error.message),
      );
    });
  }

  it('is refused when it is newer', () => {
    assert.throws(
      () => parseJournal(line({ at, journal: 2, id: 'j' }), 'x'),
      (error) => error instanceof LedgerError && error.code === 'newer',
    );
  });
});

describe('old tombstones', () => {
  const since = Date.parse(at);
  const gone = (oldest: number) => foldJournal(fullLedger, null, 'x.journal', oldest);

  it('stay while they are young enough', () => {
    assert.equal(gone(since), fullLedger);
  });

  it('go afterwards, which counts as a change', () => {
    const after = gone(since + 1);
    assert.deepEqual(after?.tombstones, []);
    assert.equal(after?.serial, 4);
  });

  it('count once together with other changes of the same run', () => {
    const records = [recordOf('OAuthClient/x', clientObject('oc-9'))];
    const after = foldJournal(fullLedger, { ...startOf(), records }, 'x.journal', since + 1);
    assert.deepEqual(after?.tombstones, []);
    assert.equal(after?.serial, 4);
  });
});
