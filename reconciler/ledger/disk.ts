/** A ledger's files: names, reads within limits, writes that a crash cannot cut in half. */
import { randomBytes } from 'node:crypto';
import { link, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { OperationalError, systemCode } from '../../client/errors';
import { NotAFile, readPlainFile } from '../../resources/plain-file';

/** Of the ledger in its folder; journal and lock add their endings. */
export const ledgerFileName = 'tether.ledger.json';
export const ledgerIn = (folder: string) => join(folder, ledgerFileName);
export const journalOf = (ledgerFile: string) => `${ledgerFile}.journal`;
export const lockOf = (ledgerFile: string) => `${ledgerFile}.lock`;

/**
 * `corrupt`: no ledger, or one that contradicts itself. `newer`: of a later version. `forked`: ledger and journal are of
 * different histories. `several`: more than one for one run. `inaccessible`: the file system said no.
 */
export type LedgerErrorCode = 'corrupt' | 'newer' | 'forked' | 'locked' | 'several' | 'inaccessible';

/** Keeps a ledger from being used; what is on disk was left as it is. */
export class LedgerError extends OperationalError {
  constructor(
    readonly code: LedgerErrorCode,
    readonly file: string,
    what: string,
    remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${file}: ${what} ${remedy}`, options);
  }
}

/** `verb` completes "could not …". */
export function inaccessible(file: string, verb: string, cause: unknown) {
  const why = cause instanceof Error ? cause.message : String(cause);
  const remedy = 'Check the permissions of the file and its folder, and the free space.';
  return new LedgerError('inaccessible', file, `Could not ${verb}: ${why}.`, remedy, { cause });
}

/** Throws for a later version, which stands in `member`. */
export function refuseNewer(value: unknown, what: 'ledger' | 'journal', member: string, file: string) {
  const { [member]: version } = Object(value) as Record<string, unknown>;
  if (typeof version !== 'number' || version <= 1) return;
  const remedy = 'It was left as it is. Use the newer tether that wrote it.';
  const problem = `The ${what} has version ${version}; this tether knows version 1.`;
  throw new LedgerError('newer', file, problem, remedy);
}

/** No ledger comes near it; a device has no end. */
const mostBytes = 500_000_000;

/** Null where there is no such file. Throws `LedgerError`. */
export function readBytes(file: string): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = readPlainFile(file, mostBytes);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (!(error instanceof NotAFile)) throw inaccessible(file, 'read it', error);
    throw new LedgerError('inaccessible', file, `This is ${error.kind}, not a plain file.`, 'Move it away.');
  }
  if (bytes.length <= mostBytes) return bytes;
  const remedy = 'No ledger grows to that: restore it from version control.';
  throw new LedgerError('corrupt', file, `The file has more than ${mostBytes} bytes.`, remedy);
}

/** What was created, renamed or removed there survives a power cut. */
export async function syncFolder(folder: string) {
  // Windows cannot open a folder, and has no such call.
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Readable by its owner only: temporary file, fsync, rename, fsync of the folder. Throws `LedgerError`. */
export async function replaceFile(file: string, text: string) {
  await writeBeside(file, file, text, 0o600, rename);
}

/** The same for a file of the user; never over another one. */
export async function createFile(file: string, text: string) {
  await removeLeftovers(file);
  await writeBeside(join(dirname(file), unread), file, text, 0o666, link);
}

/** Hidden, since a manifest that a kill left half written must not be taken for one with a wrong ending. */
const unread = '.tether-export';

async function writeBeside(beside: string, file: string, text: string, mode: number, publish: typeof link) {
  const temporary = `${beside}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode, flush: true });
    await publish(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw inaccessible(file, 'write it', error);
  } finally {
    await rm(temporary, { force: true });
  }
}

export async function removeJournal(file: string) {
  try {
    await rm(file, { force: true });
    await syncFolder(dirname(file));
  } catch (error) {
    throw inaccessible(file, 'remove the journal', error);
  }
}

/** Removes what a killed write, or export, left; only for the holder of the lock. */
export async function removeLeftovers(file: string) {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const isLeft = [basename(file), unread].includes(name.replace(/\.[0-9a-f]{12}\.tmp$/, ''));
    if (isLeft && name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
  }
}
