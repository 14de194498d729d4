/** The journal beside the ledger: a line for each change, on disk before its append is done; read again after a kill. */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../client/pace';
import { inaccessible, LedgerError, refuseNewer, syncFolder } from './disk';
import { doubtfulMember } from './file';
import {
  emptyLedger,
  isJournalRecord,
  type JournalRecord,
  type JournalSink,
  type JournalStart,
  type Ledger,
  shapeProblems,
} from './ledger';
import { LedgerState } from './state';

export interface Journal extends JournalStart {
  /** In order. */
  readonly records: readonly JournalRecord[];
}

/** First line of a journal. */
export function journalHeader({ id, organization, lineage, serial }: JournalStart, at: string): string {
  return `${JSON.stringify({ at, journal: 1, id, organization, lineage, serial })}\n`;
}

function corrupt(file: string, line: number, what: string): LedgerError {
  return new LedgerError(
    'corrupt',
    `${file}:${line}`,
    what,
    'It was left as it is. Restore it from version control, or move it away to go on without what the interrupted run recorded; what that run created then shows up as found, or as possible matches.',
  );
}

function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return doubtfulMember(line) === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Null when not even the first line is whole, so that nothing was recorded. A torn last line was never acknowledged and is ignored; any other bad line is a `LedgerError`. */
export function parseJournal(text: string, file: string): Journal | null {
  // What follows the last newline is empty, or a line whose writing was cut off.
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

/**
 * The ledger with a journal taken in, and without unconfirmed creates older than `oldest`; null where there is neither
 * ledger nor journal; the very same ledger when nothing changes. Throws `LedgerError` when the two do not belong together.
 */
export function foldJournal(
  ledger: Ledger | null,
  journal: Journal | null,
  file: string,
  oldest?: number,
): Ledger | null {
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

function forked(file: string, { lineage, serial }: Journal, ledger: Ledger | null): LedgerError {
  const history = ledger === null || ledger.lineage === lineage ? '' : ' of another history';
  const there = ledger === null ? 'there is no ledger' : `the ledger is at serial ${ledger.serial}${history}`;
  return new LedgerError(
    'forked',
    file,
    `The journal does not belong to this ledger: it goes on from serial ${serial}, but ${there}.`,
    'Two runs went on from copies of one ledger, or a file was restored without the other. Both were left as they are. Put the ledger and the journal of the same run together; or move the journal away to go on without it, and look at what it lists.',
  );
}

/** Its first record creates the file: a run that changes nothing leaves no trace. Appends keep their order; those that wait for the disk together share one fsync. */
export class JournalWriter implements JournalSink {
  /** Lines that wait for the next write. */
  private lines = '';
  private next: Promise<void> | null = null;
  private last: Promise<void> = Promise.resolve();
  private opened: FileHandle | null = null;

  constructor(
    private readonly file: string,
    private readonly start: JournalStart,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the record is on disk. After one failure all further appends fail: a torn line may only be the last. */
  append(record: JournalRecord): Promise<void> {
    this.lines += `${JSON.stringify(record)}\n`;
    if (this.next === null) {
      this.next = this.last.then(() => this.write());
      this.last = this.next;
    }
    return this.next;
  }

  /** Waits for the appends under way and closes the file. */
  async close(): Promise<void> {
    await this.last.catch(() => {});
    await this.opened?.close();
  }

  private async write(): Promise<void> {
    const text = this.lines;
    this.lines = '';
    this.next = null;
    this.opened ??= await this.create();
    try {
      await this.opened.appendFile(text);
      await this.opened.sync();
    } catch (error) {
      throw inaccessible(this.file, 'append to the journal', error);
    }
  }

  /** It must not exist yet, and is readable by its owner only. */
  private async create(): Promise<FileHandle> {
    try {
      const opened = await open(this.file, 'ax', 0o600);
      await opened.appendFile(journalHeader(this.start, new Date(this.clock.now()).toISOString()));
      await opened.sync();
      await syncFolder(dirname(this.file));
      return opened;
    } catch (error) {
      throw inaccessible(this.file, 'start the journal', error);
    }
  }
}
