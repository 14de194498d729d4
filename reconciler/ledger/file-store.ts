/** The ledger as a file in the folder of the manifests. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { systemCode } from '../../client/errors';
import { NotAFile, readPlainFile, unlessItFails } from '../../resources/plain-file';
import { parseLedger, renderLedger } from './document';
import { FileLock } from './file-lock';
import type { Ledger } from './ledger';
import { LedgerError, type LedgerStore, type LockHolder, type StoreContext } from './store';

export const ledgerFileName = 'tether.ledger.json';

/** No ledger is that large, but a device never ends. */
const mostBytes = 100_000_000;

export class FileStore implements LedgerStore {
  readonly place: string;
  readonly saveEveryMs = 1000;
  readonly #organization: string;
  readonly #file: string;
  readonly #lock: FileLock;
  /** The last save. While the file holds its text, it is not parsed again. */
  #saved: { readonly text: string; readonly ledger: Ledger } | null = null;

  /** Throws `LedgerError` for a symbolic link, which could lead out of the folder. */
  constructor({ folder, organization, cwd }: StoreContext) {
    this.place = relative(cwd, join(folder, ledgerFileName));
    this.#organization = organization;
    const home = unlessItFails(() => realpathSync(folder));
    if (home === null) throw new LedgerError(`there is no folder ${relative(cwd, folder)}`);
    this.#file = join(home, ledgerFileName);
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new LedgerError(`${this.place} is a link: put the file itself there`);
    }
    this.#lock = new FileLock(this.#file, this.place);
  }

  async read(): Promise<Ledger | null> {
    const text = this.#readText();
    if (text === null) return null;
    if (this.#saved?.text === text) return this.#saved.ledger;
    return parseLedger(text, { place: this.place, organization: this.#organization });
  }

  #readText(): string | null {
    let bytes: Buffer;
    try {
      bytes = readPlainFile(this.#file, mostBytes);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      if (!(error instanceof NotAFile)) throw this.#failure('read', error);
      throw new LedgerError(`${this.place} is ${error.kind}, not a file: move it away`);
    }
    if (bytes.length <= mostBytes) return bytes.toString();
    throw new LedgerError(`${this.place} has more than ${mostBytes} bytes: restore it from version control`);
  }

  #failure(verb: string, error: unknown): LedgerError {
    const advice = 'check the permissions of the file and its folder, and the free space';
    return new LedgerError(`could not ${verb} ${this.place} (${systemCode(error)}): ${advice}`);
  }

  async lock({ who }: Pick<LockHolder, 'who'>, timeoutMs: number): Promise<void> {
    await this.#lock.take(who, timeoutMs);
    try {
      await removeLeftovers(this.#file);
    } catch (error) {
      await this.#lock.release();
      throw this.#failure('clean up beside', error);
    }
  }

  /** The file is replaced at once, even if the process is killed or the machine loses power. */
  async save(ledger: Ledger, before: Ledger | null): Promise<void> {
    if (ledger.serial !== (before?.serial ?? 0) + 1) throw new Error('a save must count up the serial');
    this.#lock.refuseUnlessHeld();
    const text = renderLedger(ledger);
    const temporary = `${this.#file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
      this.#lock.refuseUnlessHeld();
      await this.refuseUnlessStored(before);
      await rename(temporary, this.#file);
      await syncFolder(dirname(this.#file));
    } catch (error) {
      throw error instanceof LedgerError ? error : this.#failure('write', error);
    } finally {
      await rm(temporary, { force: true });
    }
    this.#saved = { text, ledger };
  }

  async refuseUnlessStored(before: Ledger | null): Promise<void> {
    const stored = await this.read();
    const expected = before?.serial === 0 ? null : before;
    if (stored?.lineage === expected?.lineage && stored?.serial === expected?.serial) return;
    const advice = 'this run stops, and its last changes are not recorded. Run apply again';
    throw new LedgerError(`${this.place} was changed by somebody else during this run: ${advice}`);
  }

  /** Removes the file of a ledger that has moved to another home. The caller holds the lock. */
  async remove(): Promise<void> {
    this.#lock.refuseUnlessHeld();
    await rm(this.#file);
    await syncFolder(dirname(this.#file));
  }

  async unlock(id?: string): Promise<void> {
    await this.#lock.release(id);
  }
}

/** Makes a rename in the folder survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need this call.
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes temporary files of killed saves. The caller holds the lock. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const isLeft = /^tether\.ledger\.json\.[0-9a-f]{12}\.tmp$/.test(name);
    if (isLeft) await rm(join(folder, name), { force: true });
  }
}
