/** Appends journal lines so that each one is on disk before its append is done. */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './durable';
import { type JournalStart, journalHeader } from './journal';
import type { JournalRecord } from './ledger';
import { inaccessible } from './ledger-error';

interface Waiting {
  readonly text: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** One open journal. Appends keep their order; those that wait for the disk together share one fsync. */
export class JournalWriter {
  private waiting: Waiting[] = [];
  private draining: Promise<void> | null = null;
  private failure: Error | null = null;

  private constructor(
    private readonly file: string,
    private readonly opened: FileHandle,
  ) {}

  /** Creates the journal, which must not exist, readable by its owner only. Throws `LedgerError`. */
  static async start(file: string, start: JournalStart, at: string): Promise<JournalWriter> {
    try {
      const opened = await open(file, 'ax', 0o600);
      await opened.appendFile(journalHeader(start, at));
      await opened.sync();
      await syncFolder(dirname(file));
      return new JournalWriter(file, opened);
    } catch (error) {
      throw inaccessible(file, 'start the journal', error);
    }
  }

  /** Done when the record is on disk. After one failure all further appends fail: a torn line may only be the last. */
  append(record: JournalRecord): Promise<void> {
    if (this.failure !== null) return Promise.reject(this.failure);
    const text = `${JSON.stringify(record)}\n`;
    return new Promise((resolve, reject) => {
      this.waiting.push({ text, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  /** Waits for the appends under way and closes the file. */
  async close(): Promise<void> {
    await this.draining;
    await this.opened.close();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        if (this.failure !== null) throw this.failure;
        await this.opened.appendFile(batch.map((one) => one.text).join(''));
        await this.opened.sync();
        for (const one of batch) one.resolve();
      } catch (error) {
        this.failure ??= inaccessible(this.file, 'append to the journal', error);
        for (const one of batch) one.reject(this.failure);
      }
    }
    this.draining = null;
  }
}
