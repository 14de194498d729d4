/** Ledger and journal read as one, and the journal folded into the file. */
import { removeFile } from './durable';
import { readLedger, readText, writeLedger } from './file';
import { fold, type Journal, journalOf, parseJournal } from './journal';
import { emptyLedger, type Ledger } from './ledger';
import { inaccessible, LedgerError } from './ledger-error';

/** What the files say together. */
export interface Reading {
  /** With the journal taken in. */
  readonly ledger: Ledger;
  /** As the ledger's file has it. */
  readonly stored: Ledger;
  /** Records of a journal that the file does not have yet. */
  readonly pendingRecords: number;
  readonly journalExists: boolean;
}

async function readOnce(file: string): Promise<Reading> {
  // The journal first: an apply that ends meanwhile folds it into the ledger that is read next.
  const journalFile = journalOf(file);
  const text = await readText(journalFile);
  const journal: Journal | null = text === null ? null : parseJournal(text, journalFile);
  const stored = (await readLedger(file)) ?? emptyLedger;
  const ledger = fold(stored, journal, journalFile);
  return {
    ledger,
    stored,
    pendingRecords: journal === null || journal.id === stored.journal ? 0 : journal.records.length,
    journalExists: text !== null,
  };
}

/** Reads both files and writes nothing. Throws `LedgerError`. */
export async function readBoth(file: string): Promise<Reading> {
  try {
    return await readOnce(file);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'forked') throw error;
    // Two applies may have ended between the two reads; what does not belong together fails again.
    return readOnce(file);
  }
}

/** Folds the journal into the file and removes it; only for the one who holds the lock. `change` may alter the ledger that is written. */
export async function settle(file: string, change = (ledger: Ledger) => ledger): Promise<Reading> {
  const reading = await readBoth(file);
  const ledger = change(reading.ledger);
  if (ledger !== reading.stored) await writeLedger(file, ledger);
  if (reading.journalExists) {
    await removeFile(journalOf(file)).catch((error: unknown) => {
      throw inaccessible(journalOf(file), 'remove the journal', error);
    });
  }
  return { ...reading, ledger };
}
