/** Opens a ledger for reading, or under its lock for one run that writes. */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../client/pace';
import type { Manifests } from '../../manifest/desired';
import { journalOf, LedgerError, lockOf, readBytes, removeJournal, removeLeftovers } from './disk';
import { readLedger, utf8, writeLedger } from './file';
import { findLedger } from './find';
import { foldJournal, parseJournal, writeJournal } from './journal';
import { emptyLedger, type Ledger } from './ledger';
import { acquireLock, awaitRelease, describeHolder, freeLock, type Lock, type WaitOptions } from './lock';
import { LedgerState, type OpenLedger } from './state';

export interface InspectOptions extends WaitOptions {
  /** Paths in messages are relative to it; default the folder of the process. */
  readonly cwd?: string;
  /** For those who find the lock; default `tether`. */
  readonly command?: string;
}

export interface OpenOptions extends InspectOptions {
  /** True takes the lock and gives a journal; false writes nothing at all. */
  readonly write: boolean;
}

/** An empty one where there is none yet. Throws `LedgerError`; the files are then as they were. */
export async function openLedger(
  { folder, organization }: Pick<Manifests, 'folder' | 'organization'>,
  options: OpenOptions,
): Promise<OpenLedger> {
  const fresh = emptyLedger(organization);
  if (options.write) return (await placeOf(folder, options)).open(fresh);
  const ledger = (await inspectLedger(folder, options)) ?? fresh;
  const append = () =>
    Promise.reject(new Error('Nothing can be recorded: this ledger was opened for reading.'));
  return { ledger, journal: { append }, finish: async () => ledger, close: async () => {} };
}

/** With the journal of an interrupted run; null where there is none yet. Writes nothing. Throws `LedgerError`. */
export async function inspectLedger(folder: string, options: InspectOptions = {}): Promise<Ledger | null> {
  return (await placeOf(folder, options)).inspect();
}

/** As `freeLock`, by the folder of the ledger. */
export async function unlockLedger(folder: string, token: string, options: InspectOptions = {}) {
  return (await placeOf(folder, options)).unlock(token);
}

async function placeOf(folder: string, { cwd = '', ...options }: InspectOptions) {
  const file = await findLedger(folder, resolve(cwd));
  // One ledger under two names has one lock.
  return inFolder(await realpath(file).catch(() => file), options);
}

function inFolder(file: string, options: InspectOptions) {
  const { command = 'tether', onNote, clock = systemClock } = options;
  return {
    async inspect(): Promise<Ledger | null> {
      const holder = await awaitRelease(lockOf(file), options);
      const { ledger, wasInterrupted } = readBoth(file);
      if (holder !== null) {
        onNote?.(`The ledger is being changed right now: ${describeHolder(holder)}.`);
      } else if (wasInterrupted) {
        onNote?.('An earlier run was interrupted; what it recorded in the journal is counted.');
      }
      return ledger;
    },
    async open(fresh: Ledger): Promise<OpenLedger> {
      const lock = await acquireLock(lockOf(file), command, options);
      try {
        await removeLeftovers(file);
        const { ledger, wasInterrupted } = await takeInJournal(file);
        const note = 'An earlier run was interrupted; what it recorded is now in the ledger.';
        if (wasInterrupted) onNote?.(note);
        return recordInto(file, ledger ?? fresh, clock, lock);
      } catch (error) {
        await lock.release();
        throw error;
      }
    },
    unlock: (token: string) => freeLock(lockOf(file), token),
  };
}

function readBoth(file: string, oldest?: number) {
  try {
    return readOnce(file, oldest);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'forked') throw error;
    // Two applies may have ended between the reads; what does not belong together fails again.
    return readOnce(file, oldest);
  }
}

function readOnce(file: string, oldest?: number) {
  // The journal first: an apply that ends meanwhile folds it into the ledger that is read next.
  const journalFile = journalOf(file);
  const bytes = readBytes(journalFile);
  // Whole lines only: the last may be cut off within a character.
  const lines = bytes?.subarray(0, bytes.lastIndexOf('\n') + 1);
  const journal = lines === undefined ? null : parseJournal(utf8(lines, journalFile), journalFile);
  const stored = readLedger(file);
  const ledger = foldJournal(stored, journal, journalFile, oldest);
  const wasInterrupted = journal !== null && journal.id !== stored?.journal && journal.records.length > 0;
  return { ledger, stored, wasInterrupted, hasJournal: bytes !== null };
}

/** Folds the journal into the file and removes it; only for the holder of the lock. */
async function takeInJournal(file: string, oldest?: number) {
  const reading = readBoth(file, oldest);
  const { ledger, stored, hasJournal } = reading;
  if (ledger !== null && ledger !== stored) await writeLedger(file, ledger);
  if (hasJournal) await removeJournal(journalOf(file));
  return reading;
}

/** What a lost create made is seen by then: a week may lie between two runs, though no create takes that long. */
const week = 7 * 24 * 60 * 60 * 1000;

function recordInto(file: string, ledger: Ledger, clock: Clock, lock: Lock): OpenLedger {
  const { organization, lineage, serial } = ledger;
  const start = { id: randomUUID(), organization, lineage: lineage || randomUUID(), serial };
  const writer = writeJournal(journalOf(file), start, clock);
  const state = new LedgerState(ledger);
  let status: 'open' | 'finished' | 'closed' = 'open';
  const refuseUnlessOpen = (what: string) => {
    if (status !== 'open') throw new Error(`${what}: this ledger is ${status}.`);
  };
  return {
    ledger,
    journal: {
      append: async (record) => {
        refuseUnlessOpen('Nothing can be recorded');
        state.accept(record);
        await writer.append(record);
      },
    },
    finish: async () => {
      refuseUnlessOpen('Nothing to finish');
      status = 'finished';
      await writer.close();
      // From the disk, as after a kill: what was not written is not believed.
      return (await takeInJournal(file, clock.now() - week)).ledger ?? ledger;
    },
    close: async () => {
      status = 'closed';
      await writer.close();
      await lock.release();
    },
  };
}
