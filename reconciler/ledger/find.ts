/** Which ledger belongs to the paths of a command. */
import { readdir, readlink, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { journalOf } from './journal';
import { inaccessible, LedgerError, systemCode } from './ledger-error';
import { ledgerName } from './ledger-name';
import { lockOf } from './lock';

/** Where a ledger is, or will be. */
export interface LedgerPlace {
  /** Absolute. */
  readonly file: string;
  /** Absolute; "the whole folder" of manifests is this one, and file names in the ledger are relative to it. */
  readonly folder: string;
  /** False when nothing was recorded there yet, neither in a ledger nor in a journal. */
  readonly exists: boolean;
}

/** `none`: identity without a ledger. */
export type LedgerLocation = LedgerPlace | 'none';

type Presence = 'folder' | 'file' | 'nothing';

async function presence(path: string): Promise<Presence> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'nothing';
    throw inaccessible(path, 'look at it', error);
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await presence(path)) !== 'nothing';
}

/** A first run that was cut off leaves only a journal. Throws for a link to nothing: what it led to is not "no ledger yet". */
async function isRecorded(file: string): Promise<boolean> {
  if (await isThere(file)) return true;
  const target = await readlink(file).catch(() => undefined);
  if (target !== undefined) {
    throw new LedgerError(
      'inaccessible',
      file,
      `The ledger is a link to ${target}, which does not exist.`,
      'Bring back what it links to, or remove the link to begin without a ledger.',
    );
  }
  return isThere(journalOf(file));
}

async function place(file: string): Promise<LedgerPlace> {
  return { file, folder: dirname(file), exists: await isRecorded(file) };
}

/** The ledger that `--ledger` names: a file, or a folder that holds one. */
async function named(flag: string, cwd: string): Promise<LedgerLocation> {
  if (flag === 'none') return 'none';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(flag)) {
    const scheme = flag.slice(0, flag.indexOf(':'));
    throw new LedgerError(
      'unsupported',
      `${scheme}://…`,
      'Shared ledgers are not built yet.',
      'Name a file with --ledger PATH, or leave it out to use the one beside the manifests.',
    );
  }
  const path = resolve(cwd, flag);
  const file = (await presence(path)) === 'folder' ? join(path, ledgerName) : path;
  if ((await presence(dirname(file))) !== 'folder') {
    throw new LedgerError(
      'inaccessible',
      file,
      'The folder of this ledger does not exist.',
      'Create it first, or name another with --ledger PATH.',
    );
  }
  return place(file);
}

/** The folder of a path; of one that does not exist, which is for the reader of manifests to say, the folder it would be in. */
async function folderOf(path: string): Promise<string> {
  return (await presence(path)) === 'folder' ? path : dirname(path);
}

/** The nearest ledger from a folder upward to the root of its repository; null when there is none. A lock alone also marks one: its first run goes on right now. */
async function nearest(folder: string): Promise<string | null> {
  const file = join(folder, ledgerName);
  if ((await isRecorded(file)) || (await isThere(lockOf(file)))) return file;
  const parent = dirname(folder);
  if (parent === folder || (await isThere(join(folder, '.git')))) return null;
  return nearest(parent);
}

/** Ledgers in the folders below, where manifests are looked for too. */
async function below(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw inaccessible(folder, 'list the folder', error);
  });
  const folders = entries.filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  const found = await Promise.all(
    folders.map(async (entry) => {
      const inside = join(folder, entry.name);
      const file = join(inside, ledgerName);
      return [...((await isRecorded(file)) ? [file] : []), ...(await below(inside))];
    }),
  );
  return found.flat();
}

/** The ledger of a run: what `--ledger` names, else the nearest one, else a new one beside the first path. Throws `LedgerError` when the paths belong to more than one. */
export async function findLedger(
  paths: readonly string[],
  options: { readonly cwd: string; readonly flag?: string },
): Promise<LedgerLocation> {
  const { cwd, flag } = options;
  if (flag !== undefined) return named(flag, cwd);
  const absolute = (paths.length === 0 ? ['.'] : paths).map((path) => resolve(cwd, path));
  const shown = (file: string) => relative(cwd, file) || '.';

  const ledgers = new Map<string, string>();
  for (const path of absolute) {
    const folder = await folderOf(path);
    const file = (await nearest(folder)) ?? join(folder, ledgerName);
    if (!ledgers.has(file)) ledgers.set(file, path);
  }
  const [file, other] = [...ledgers.keys()];
  if (file === undefined || other !== undefined) {
    const list = [...ledgers]
      .map(([ledger, path]) => `${shown(path)} belongs to ${shown(ledger)}`)
      .join(', ');
    throw new LedgerError(
      'several',
      shown(other ?? '.'),
      `One run has one ledger, but ${list}.`,
      'Run once for each ledger, or name the one to use with --ledger PATH.',
    );
  }

  for (const path of absolute) {
    if ((await presence(path)) !== 'folder') continue;
    const [inner] = (await below(path)).filter((one) => one !== file);
    if (inner === undefined) continue;
    throw new LedgerError(
      'several',
      shown(inner),
      `There is a ledger below ${shown(path)}, which has its own: ${shown(file)}.`,
      `Run for ${shown(dirname(inner))} alone and for the other files by name, move the folders apart, or name the one to use with --ledger PATH.`,
    );
  }
  return place(file);
}
