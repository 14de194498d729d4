/** Decides whether a record can be journaled: nothing is written that could not be read and folded again. */
import { randomUUID } from 'node:crypto';
import { Folding } from './folding';
import type { JournalBase, JournalRecord, Ledger } from './ledger';
import { shapeProblems } from './schema';

/** Puts each organization's base before its first record. */
export class Recorder {
  private readonly folding: Folding;
  private readonly announced = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly write: (records: readonly (JournalRecord | JournalBase)[]) => Promise<void>,
  ) {
    this.folding = new Folding(ledger);
  }

  /** Writes one record; rejects, before anything is written, when it breaks the rules. */
  async append(record: JournalRecord): Promise<void> {
    const wrong = shapeProblems(record.event, record);
    if (wrong.length > 0)
      throw new Error(`This ${record.event} record cannot be journaled: ${wrong.join('; ')}.`);
    const base = this.base(record);
    if (!this.folding.knows(record.organization)) this.folding.take(base);
    const misfit = this.folding.take(record);
    if (misfit !== null) throw new Error(`This ${record.event} record cannot be journaled: ${misfit.why}.`);
    if (this.announced.has(record.organization)) return this.write([record]);
    this.announced.add(record.organization);
    return this.write([base, record]);
  }

  /** The ledger with all records so far. */
  result(journal: string): Ledger {
    return this.folding.result(journal);
  }

  private readonly lineages = new Map<string, string>();

  private base({ at, organization }: JournalRecord): JournalBase {
    const known = Object.hasOwn(this.ledger.organizations, organization)
      ? this.ledger.organizations[organization]
      : undefined;
    const lineage = known?.lineage ?? this.lineages.get(organization) ?? randomUUID();
    this.lineages.set(organization, lineage);
    return { at, event: 'organization', organization, lineage, serial: known?.serial ?? 0 };
  }
}
