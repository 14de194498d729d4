/** The journal beside the ledger: reading what an interrupted run left, and folding it in. */
import { Folding } from './folding';
import { emptyLedger, type JournalRecord, type Ledger } from './ledger';
import { LedgerError } from './ledger-error';
import { doubtfulMember, isEvent, shapeProblems } from './schema';

/** What a journal says of itself: its id, and the state of the ledger that it goes on from. */
export interface JournalStart {
  /** Random; the ledger remembers the one it took in last. */
  readonly id: string;
  readonly organization: string;
  readonly lineage: string;
  readonly serial: number;
}

/** What a journal holds, in order. */
export interface Journal extends JournalStart {
  readonly records: readonly JournalRecord[];
}

/** Where the journal of a ledger lies. */
export function journalOf(ledgerFile: string): string {
  return `${ledgerFile}.journal`;
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
    'It was left as it is. Restore it from version control, or move it away to go on without what the interrupted run recorded; what that run created then shows up as found or as look-alikes.',
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

function isRecord(value: unknown): value is JournalRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'event' in value &&
    isEvent(value.event) &&
    shapeProblems(value.event, value).length === 0
  );
}

function isStart(value: object): value is JournalStart {
  return shapeProblems('journal', value).length === 0;
}

function parseHeader(line: string, file: string): JournalStart {
  const value = parseLine(line);
  if (typeof value === 'object' && value !== null && 'journal' in value) {
    if (typeof value.journal === 'number' && value.journal > 1) {
      throw new LedgerError(
        'newer',
        file,
        `The journal has version ${value.journal}; this tether knows version 1.`,
        'It was left as it is. Use the newer tether that wrote it.',
      );
    }
    if (isStart(value)) return value;
  }
  throw corrupt(file, 1, 'This is not the first line of a journal.');
}

/** Reads a journal's text; null when not even its first line is whole, so that nothing was recorded. A torn last line was never acknowledged and is ignored; any other bad line is a `LedgerError`. */
export function parseJournal(text: string, file: string): Journal | null {
  const lines = text.split('\n');
  // What follows the last newline is empty, or a line whose writing was cut off.
  lines.pop();
  const [first, ...rest] = lines;
  if (first === undefined) return null;
  const { id, organization, lineage, serial } = parseHeader(first, file);
  const records = rest.map((line, index) => {
    const value = parseLine(line);
    if (!isRecord(value)) throw corrupt(file, index + 2, 'This line is not a journal record.');
    return value;
  });
  return { id, organization, lineage, serial, records };
}

/** The ledger with a journal taken in, null where there is neither; the very same ledger when it was taken in before or changes nothing. Throws `LedgerError` when the two do not belong together. */
export function fold(ledger: Ledger | null, journal: Journal | null, file: string): Ledger | null {
  if (journal === null || ledger?.journal === journal.id) return ledger;
  const { id, organization, lineage, serial } = journal;
  const start = ledger ?? { ...emptyLedger(organization), lineage };
  if (start.lineage !== lineage || start.serial !== serial) throw forked(file, journal, ledger);
  const folding = new Folding(start);
  for (const [index, record] of journal.records.entries()) {
    const why = folding.take(record);
    if (why !== null) throw corrupt(file, index + 2, `The journal contradicts itself: ${why}.`);
  }
  const folded = folding.result(id);
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
