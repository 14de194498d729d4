/** The ledger as a file in the folder of the manifests. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { chmod, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { systemCode } from '../../client/errors';
import { ledgerFileName } from '../../manifest/ledger-place';
import { NotAFile, readPlainFile, unlessItFails } from '../../resources/plain-file';
import { FileLock } from './file-lock';
import { Home, maxBytes, type Stored } from './home';
import { LedgerError, type LockHolder, LockLost, type StoreContext } from './store';

export class FileStore extends Home {
  override readonly saveEveryMs = 1000;
  readonly #file: string;
  readonly #lock: FileLock;

  /** Throws `LedgerError` for a symbolic link, which could lead out of the folder. */
  constructor(context: StoreContext) {
    const { folder, cwd } = context;
    super(relative(cwd, join(folder, ledgerFileName)), context);
    const root = unlessItFails(() => realpathSync(folder));
    if (root === null) throw new LedgerError(`there is no folder ${relative(cwd, folder)}`);
    this.#file = join(root, ledgerFileName);
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new LedgerError(`${this.place} is a link: put the file itself there`);
    }
    this.#lock = new FileLock(this.#file);
  }

  /** The lock ends with the process. */
  override get lockAtExit(): null {
    return null;
  }

  get staleHolder(): LockHolder | null {
    return this.#lock.dead;
  }

  get note(): string | undefined {
    const { dead } = this.#lock;
    return dead
      ? `Removed a stale lock (${dead.who}, since ${dead.since}): that run no longer works on this ledger.`
      : undefined;
  }

  protected override async load(): Promise<Stored | null> {
    let bytes: Buffer;
    try {
      bytes = readPlainFile(this.#file, maxBytes);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      if (!(error instanceof NotAFile)) throw this.#failure('read', error);
      throw new LedgerError(`${this.place} is ${error.kind}, not a file: move it away`);
    }
    if (bytes.length > maxBytes) throw this.tooLarge();
    return { text: bytes.toString(), tag: '' };
  }

  #failure(verb: string, error: unknown): LedgerError {
    const advice = 'check the permissions of the file and its folder, and the free space';
    return new LedgerError(`could not ${verb} ${this.place} (${systemCode(error)}): ${advice}`);
  }

  /** The file is replaced at once, even if the process is killed or the machine loses power. */
  protected override async store(text: string, before: Stored | null): Promise<string | null> {
    const temporary = `${this.#file}.${randomBytes(6).toString('hex')}.tmp`;
    // A checkout may be for several users, so an existing file keeps its permissions.
    const mode = lstatSync(this.#file, { throwIfNoEntry: false })?.mode ?? 0o600;
    try {
      await writeFile(temporary, text, { flag: 'wx', mode, flush: true });
      // The umask may have taken permissions away. Some mounts have none, and refuse a change.
      await chmod(temporary, mode).catch(() => {});
      this.refuseUnlessHeld();
      if ((await this.load())?.text !== before?.text) throw this.changed();
      await rename(temporary, this.#file);
      await syncFolder(dirname(this.#file));
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      return this.#failure('write', error).message;
    } finally {
      await rm(temporary, { force: true });
    }
    return null;
  }

  /** A run that took over the lock has often saved by now. */
  protected override changed(): LedgerError {
    return this.#lock.isHeld() ? super.changed() : new LockLost(this.place, this.#lock.successor());
  }

  override refuseUnlessHeld(): void {
    if (!this.#lock.isHeld()) throw this.changed();
  }

  /** Removes the file of a ledger that has moved to `home`. The caller holds the lock. */
  async remove(home: string): Promise<void> {
    this.refuseUnlessHeld();
    try {
      await rm(this.#file);
      await syncFolder(dirname(this.#file));
    } catch (error) {
      const advice = 'delete it, in version control too';
      throw new LedgerError(
        `the ledger is at ${home} now, but ${this.place} could not be deleted (${systemCode(error)}): ${advice}`,
      );
    }
  }

  protected override async takeLock(lock: LockHolder): Promise<LockHolder | null> {
    try {
      if (!(await this.#lock.take(lock))) return this.#lock.holder();
      await removeLeftovers(this.#file);
      return lock;
    } catch (error) {
      throw this.#failure('lock', error);
    }
  }

  override async holder(): Promise<LockHolder | null> {
    return this.#lock.currentHolder();
  }

  protected override removeLock(id: string): Promise<void> {
    return this.#lock.release(id);
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
