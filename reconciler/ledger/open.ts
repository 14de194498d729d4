/** Opens a ledger for reading, or under its lock for one run that writes. */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../../client/pace';
import type { Manifests } from '../../manifest/desired';
import { removeLeftovers } from './durable';
import { findLedger } from './find';
import { journalOf } from './journal';
import { JournalWriter } from './journal-writer';
import { emptyLedger, type JournalRecord, type Ledger } from './ledger';
import { acquireLock, awaitRelease, type LockClock, lockOf, unlock } from './lock';
import { describeHolder, type LockHolder } from './lock-holder';
import { Recorder } from './recorder';
import { readBoth, settle } from './settle';
import { dropOldTombstones } from './tombstones';

/** How to wait for a lock, and where paths in messages are relative to. */
export interface WaitOptions {
  /** The folder of the process when left out. */
  readonly cwd?: string;
  /** Seconds to wait for another holder of the lock, by default not at all; a reader then reads beside the holder. */
  readonly lockTimeout?: number;
  /** Hears what a person should know: who is waited for, what was taken over or folded in. */
  readonly onNote?: (note: string) => void;
  /** Ends the waiting for the lock. */
  readonly signal?: AbortSignal;
  readonly clock?: LockClock;
}

export interface OpenOptions extends WaitOptions {
  /** True takes the lock and gives a journal; false reads only, and writes nothing at all. */
  readonly write: boolean;
  /** Who we are, for those who find the lock; `tether` by default. */
  readonly command?: string;
}

/** A ledger in use. */
export interface OpenLedger {
  /** As it was when opened, with the journal of an interrupted run taken in. */
  readonly ledger: Ledger;
  /** Rejects every record when opened for reading. */
  readonly journal: LedgerJournal;
  /** Folds this run's records into the file; nothing can be appended afterwards. Returns the ledger as it is then; when opened for reading, the one there was. */
  finish(): Promise<Ledger>;
  /** Releases the lock; without `finish`, the records stay in the journal for the next run. */
  close(): Promise<void>;
}

export interface LedgerJournal {
  /** Done when the record is on disk. Rejects, without having written it, when the record contradicts what is there. */
  append(record: JournalRecord): Promise<void>;
}

/** Whose ledger is opened: of the folder and the organization of these manifests. */
export type Owner = Pick<Manifests, 'folder' | 'organization'>;

/** Opens the ledger of a run; an empty one where there is none yet. Throws `LedgerError`; the files are then as they were. */
export async function openLedger(owner: Owner, options: OpenOptions): Promise<OpenLedger> {
  const file = await realName(owner.folder, options);
  const fresh = emptyLedger(owner.organization);
  if (options.write) return openForWriting(file, fresh, options);
  const ledger = (await inspect(file, options)) ?? fresh;
  const append = () =>
    Promise.reject(new Error('Nothing can be recorded: this ledger was opened for reading.'));
  return { ledger, journal: { append }, finish: async () => ledger, close: async () => {} };
}

/** What the ledger of a folder holds, the journal of an interrupted run taken in; null where there is none yet. Writes nothing. Throws `LedgerError`. */
export async function inspectLedger(folder: string, options: WaitOptions = {}): Promise<Ledger | null> {
  return inspect(await realName(folder, options), options);
}

/** Frees the lock with this token, which a person knows to be dead: whose it was, or null when there was none. Throws `LedgerError`. */
export async function unlockLedger(
  folder: string,
  token: string,
  options: Pick<WaitOptions, 'cwd'> = {},
): Promise<LockHolder | null> {
  return unlock(lockOf(await realName(folder, options)), token, systemClock);
}

/** One ledger under two names has one lock. */
async function realName(folder: string, { cwd = '' }: Pick<WaitOptions, 'cwd'>): Promise<string> {
  const file = await findLedger(folder, resolve(cwd));
  return realpath(file).catch(() => file);
}

async function inspect(file: string, options: WaitOptions): Promise<Ledger | null> {
  const onNote = options.onNote ?? (() => {});
  const holder = await awaitRelease(lockOf(file), {
    timeout: options.lockTimeout ?? 0,
    clock: options.clock ?? systemClock,
    onNote,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const { ledger, pendingRecords } = readBoth(file);
  if (holder !== null) {
    onNote(`The ledger is being changed right now: ${describeHolder(holder)}.`);
  } else if (pendingRecords > 0) {
    onNote('An earlier run was interrupted; what it recorded in the journal is counted.');
  }
  return ledger;
}

async function openForWriting(file: string, fresh: Ledger, options: OpenOptions): Promise<OpenLedger> {
  const clock = options.clock ?? systemClock;
  const onNote = options.onNote ?? (() => {});
  const lock = await acquireLock(lockOf(file), {
    command: options.command ?? 'tether',
    timeout: options.lockTimeout ?? 0,
    clock,
    onNote,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  try {
    await removeLeftovers(file);
    const { ledger, pendingRecords } = await settle(file);
    if (pendingRecords > 0) onNote('An earlier run was interrupted; what it recorded is now in the ledger.');
    return new WritableLedger(file, ledger ?? fresh, clock, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

class WritableLedger implements OpenLedger {
  readonly journal: LedgerJournal;
  private writer: Promise<JournalWriter> | null = null;
  private state: 'open' | 'finished' | 'closed' = 'open';

  constructor(
    private readonly file: string,
    readonly ledger: Ledger,
    private readonly clock: LockClock,
    private readonly release: () => Promise<void>,
  ) {
    const { organization, serial } = ledger;
    const lineage = ledger.lineage === '' ? randomUUID() : ledger.lineage;
    const recorder = new Recorder(ledger, async (record) => {
      // Begun by the first record, so that a run that changes nothing leaves no trace.
      this.writer ??= JournalWriter.start(
        journalOf(file),
        { id: randomUUID(), organization, lineage, serial },
        this.now(),
      );
      const writer = await this.writer;
      await writer.append(record);
    });
    this.journal = {
      append: async (record) => {
        if (this.state !== 'open') throw new Error(`Nothing can be recorded: this ledger is ${this.state}.`);
        await recorder.append(record);
      },
    };
  }

  async finish(): Promise<Ledger> {
    if (this.state !== 'open') throw new Error(`Nothing to finish: this ledger is ${this.state}.`);
    this.state = 'finished';
    await this.closeJournal();
    // From the disk, as after a kill: what was not written is not believed.
    const { ledger } = await settle(this.file, (folded) =>
      dropOldTombstones(folded, this.ledger, this.clock.now()),
    );
    return ledger ?? this.ledger;
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    await this.closeJournal();
    await this.release();
  }

  private now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  private async closeJournal(): Promise<void> {
    const starting = this.writer;
    this.writer = null;
    // A journal that could not be started has already failed its first append.
    const writer = await starting?.catch(() => null);
    await writer?.close();
  }
}
