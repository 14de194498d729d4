/** Ledger and journal read as one, and the journal folded into the file. */
import { removeFile } from './durable';
import { decode, readBytes, readLedger, writeLedger } from './file';
import { fold, type Journal, journalOf, parseJournal } from './journal';
import type { Ledger } from './ledger';
import { inaccessible, LedgerError } from './ledger-error';

/** What the files say together. */
export interface Reading {
  /** With the journal taken in; null where nothing was recorded yet. */
  readonly ledger: Ledger | null;
  /** As the ledger's file has it; null where there is none. */
  readonly stored: Ledger | null;
  /** Records of a journal that the file does not have yet. */
  readonly pendingRecords: number;
  readonly journalExists: boolean;
  /** Of a journal of which at least the first line is whole. */
  readonly journalId: string | null;
}

function readOnce(file: string): Reading {
  // The journal first: an apply that ends meanwhile folds it into the ledger that is read next.
  const journalFile = journalOf(file);
  const bytes = readBytes(journalFile);
  // A line whose writing was cut off, perhaps within a character, was never acknowledged.
  const lines = bytes?.subarray(0, bytes.lastIndexOf('\n') + 1);
  const journal: Journal | null =
    lines === undefined ? null : parseJournal(decode(lines, journalFile), journalFile);
  const stored = readLedger(file);
  const ledger = fold(stored, journal, journalFile);
  return {
    ledger,
    stored,
    pendingRecords: journal === null || journal.id === stored?.journal ? 0 : journal.records.length,
    journalExists: bytes !== null,
    journalId: journal?.id ?? null,
  };
}

/** Reads both files and writes nothing. Throws `LedgerError`. */
export function readBoth(file: string): Reading {
  try {
    return readOnce(file);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'forked') throw error;
    // Two applies may have ended between the two reads; what does not belong together fails again.
    return readOnce(file);
  }
}

/** Folds the journal into the file and removes it; only for the one who holds the lock. `change` may alter the ledger that is written. */
export async function settle(file: string, change = (ledger: Ledger) => ledger): Promise<Reading> {
  const reading = readBoth(file);
  const { stored, journalId } = reading;
  const changed = reading.ledger && change(reading.ledger);
  // Also where the journal itself changes nothing: cut off before it is removed, it must be known as taken in.
  const isKnown = changed === stored || changed === null || journalId === null;
  const ledger = isKnown ? changed : { ...changed, journal: journalId };
  if (ledger !== null && ledger !== stored) await writeLedger(file, ledger);
  if (reading.journalExists) {
    await removeFile(journalOf(file)).catch((error: unknown) => {
      throw inaccessible(journalOf(file), 'remove the journal', error);
    });
  }
  return { ...reading, ledger };
}
