/** The journal beside the ledger: a line for each change, on disk when its append is done. */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../client/pace';
import { inaccessible, LedgerError, refuseNewer, syncFolder } from './disk';
import { doubtfulMember } from './file';
import {
  emptyLedger,
  isJournalRecord,
  type JournalRecord,
  type JournalStart,
  type Ledger,
  shapeProblems,
} from './ledger';
import { LedgerState } from './state';

interface Journal extends JournalStart {
  readonly records: readonly JournalRecord[];
}

export function journalHeader({ id, organization, lineage, serial }: JournalStart, at: string) {
  return `${JSON.stringify({ at, journal: 1, id, organization, lineage, serial })}\n`;
}

function corrupt(file: string, line: number, what: string) {
  const remedy =
    'It was left as it is. Restore it from version control, or move it away to go on without what the interrupted run recorded; what that run created then shows up as found, or as possible matches.';
  return new LedgerError('corrupt', `${file}:${line}`, what, remedy);
}

function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return doubtfulMember(line, value) === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Null without one whole line. A torn last line was never acknowledged; any other bad one is a `LedgerError`. */
export function parseJournal(text: string, file: string): Journal | null {
  const lines = text.split('\n').slice(0, -1);
  if (lines.length === 0) return null;
  const [first, ...rest] = lines.map(parseLine);
  refuseNewer(first, 'journal', 'journal', file);
  if (shapeProblems('journal', first).length > 0) {
    throw corrupt(file, 1, 'This is not the first line of a journal.');
  }
  const { id, organization, lineage, serial } = first as JournalStart;
  const records = rest.map((value, index) => {
    if (!isJournalRecord(value)) throw corrupt(file, index + 2, 'This line is not a journal record.');
    return value;
  });
  return { id, organization, lineage, serial, records };
}

/** The ledger with a journal taken in (`LedgerState.ledger`); null for neither. Throws `LedgerError` when they do not fit. */
export function foldJournal(ledger: Ledger | null, journal: Journal | null, file: string, oldest?: number) {
  if (journal === null || ledger?.journal === journal.id) {
    return ledger === null || oldest === undefined ? ledger : new LedgerState(ledger).ledger(null, oldest);
  }
  const { id, organization, lineage, serial } = journal;
  const start = ledger ?? { ...emptyLedger(organization), lineage };
  if (start.lineage !== lineage || start.serial !== serial) throw forked(file, journal, ledger);
  const state = new LedgerState(start);
  for (const [index, record] of journal.records.entries()) {
    const why = state.take(record);
    if (why !== null) throw corrupt(file, index + 2, `The journal contradicts itself: ${why}.`);
  }
  const folded = state.ledger(id, oldest);
  return folded === start ? ledger : folded;
}

function forked(file: string, { lineage, serial }: Journal, ledger: Ledger | null) {
  const history = ledger === null || ledger.lineage === lineage ? '' : ' of another history';
  const there = ledger === null ? 'there is no ledger' : `the ledger is at serial ${ledger.serial}${history}`;
  return new LedgerError(
    'forked',
    file,
    `The journal does not belong to this ledger: it goes on from serial ${serial}, but ${there}.`,
    'Two runs went on from copies of one ledger, or a file was restored without the other. Both were left as they are. Put the ledger and the journal of the same run together; or move the journal away to go on without it, and look at what it lists.',
  );
}

/**
 * Its first record creates the file: a run without changes leaves no trace. Appends keep their order; those that wait
 * together share one fsync. After a failure all further ones fail: a torn line may only be the last.
 */
export function writeJournal(file: string, start: JournalStart, clock: Clock) {
  let lines = '';
  let next: Promise<void> | null = null;
  let last: Promise<void> = Promise.resolve();
  let opened: FileHandle | null = null;
  const write = async () => {
    const isFirst = opened === null;
    const text = isFirst ? journalHeader(start, new Date(clock.now()).toISOString()) + lines : lines;
    lines = '';
    next = null;
    try {
      opened ??= await open(file, 'ax', 0o600);
      await opened.appendFile(text);
      await opened.sync();
      if (isFirst) await syncFolder(dirname(file));
    } catch (error) {
      throw inaccessible(file, isFirst ? 'start the journal' : 'append to the journal', error);
    }
  };
  return {
    append: (record: JournalRecord) => {
      lines += `${JSON.stringify(record)}\n`;
      if (next === null) last = next = last.then(write);
      return next;
    },
    /** Waits for the appends under way. */
    close: async () => {
      await last.catch(() => {});
      await opened?.close();
    },
  };
}
