/** Decides whether a record can be journaled: nothing is written that could not be read and folded again. */
import { Folding } from './folding';
import type { JournalRecord, Ledger } from './ledger';
import { shapeProblems } from './schema';

/** Knows the ledger as it is with the records so far. */
export class Recorder {
  private readonly folding: Folding;

  constructor(
    ledger: Ledger,
    private readonly write: (record: JournalRecord) => Promise<void>,
  ) {
    this.folding = new Folding(ledger);
  }

  /** Writes one record; rejects, before anything is written, when it breaks the rules. */
  async append(record: JournalRecord): Promise<void> {
    const wrong = shapeProblems(record.event, record);
    const why = wrong.length > 0 ? wrong.join('; ') : this.folding.take(record);
    if (why !== null) throw new Error(`This ${record.event} record cannot be journaled: ${why}.`);
    return this.write(record);
  }

  /** The ledger with all records so far. */
  result(journal: string): Ledger {
    return this.folding.result(journal);
  }
}
