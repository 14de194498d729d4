/** Moves a ledger file to the home that the manifest names. The first save does it. */
import type { FileStore } from './file-store';
import type { Ledger } from './ledger';
import { LedgerError, type LedgerStore, type LockHolder } from './store';

export class MovingStore implements LedgerStore {
  readonly saveEveryMs: number;
  readonly place: string;
  moves = true;

  constructor(
    private readonly file: FileStore,
    private readonly home: LedgerStore,
  ) {
    this.saveEveryMs = home.saveEveryMs;
    this.place = `${file.place}, which \`apply\` moves to ${home.place}`;
  }

  get note(): string | undefined {
    return this.file.note;
  }

  get lockAtExit(): string | null {
    return this.home.lockAtExit;
  }

  refuseUnlessHeld(): void {
    this.file.refuseUnlessHeld();
  }

  async read(): Promise<Ledger | null> {
    const [from, to] = [await this.file.read(), await this.home.read()];
    if (from === null || to === null) return from ?? to;
    const isOlder = from.lineage === to.lineage && from.serial <= to.serial;
    const advice = isOlder
      ? `The file was moved there before: delete ${this.file.place}, in version control too`
      : 'They are two ledgers: delete the one that is out of date, or take the `ledger:` line out';
    throw new LedgerError(`there is a ledger in ${this.file.place} and one at ${this.home.place}. ${advice}`);
  }

  async lock(holder: Pick<LockHolder, 'who'>, timeoutMs: number): Promise<void> {
    await this.file.lock(holder, timeoutMs);
    try {
      await this.home.lock(holder, timeoutMs);
    } catch (error) {
      await this.file.unlock();
      throw error;
    }
  }

  async save(ledger: Ledger, before: Ledger | null): Promise<void> {
    if (!this.moves) return this.home.save(ledger, before);
    await this.file.loadUnchanged(before);
    await this.home.save(ledger, null);
    const stored = await this.home.read();
    if (stored?.serial !== ledger.serial || stored.lineage !== ledger.lineage) {
      throw new LedgerError(`${this.home.place} does not hold what was just saved there`);
    }
    await this.file.remove();
    this.moves = false;
  }

  /** An id belongs to one of the two locks. The other lock is not touched. */
  async unlock(id?: string): Promise<void> {
    try {
      await this.home.unlock(id);
    } catch (error) {
      if (id === undefined) throw error;
    } finally {
      await this.file.unlock(id);
    }
  }
}
