/** Where the ledger of a folder stands, with none above or below it in its repository. */
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { systemCode } from '../../client/errors';
import { inaccessible, journalOf, LedgerError, ledgerIn, lockOf } from './disk';

/** Null where nothing is, or a link to nothing. */
async function statsOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error))) return null;
    throw inaccessible(path, 'look at it', error);
  }
}

/** A first run that was cut off leaves only a journal. Throws for a link to nothing, which is not "no ledger yet". */
async function isRecorded(file: string) {
  if ((await statsOf(file)) !== null) return true;
  const target = await readlink(file).catch(() => undefined);
  if (target !== undefined) {
    const remedy = 'Bring back what it links to, or remove the link to begin without a ledger.';
    const problem = `The ledger is a link to ${target}, which does not exist.`;
    throw new LedgerError('inaccessible', file, problem, remedy);
  }
  return (await statsOf(journalOf(file))) !== null;
}

/** A first run under way may have only its lock. */
async function foundIn(folder: string) {
  const file = ledgerIn(folder);
  return (await isRecorded(file)) || (await statsOf(lockOf(file))) !== null ? [file] : [];
}

/** The nearest, within the repository. */
async function above(folder: string): Promise<string | undefined> {
  const root = await repositoryOf(folder);
  if (root === undefined || root === folder) return undefined;
  const parent = dirname(folder);
  return (await foundIn(parent))[0] ?? above(parent);
}

/** Where manifests are looked for too. */
async function below(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw inaccessible(folder, 'list the folder', error);
  });
  const found = entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .map(async (inside) => [...(await foundIn(inside)), ...(await below(inside))]);
  return (await Promise.all(found)).flat();
}

/** Its topmost folder; undefined outside of one. */
async function repositoryOf(folder: string): Promise<string | undefined> {
  if ((await statsOf(join(folder, '.git'))) !== null) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
}

/** Folders of the same repository that have a ledger of their own; a repository within is another one. */
export async function otherFolders(folder: string): Promise<string[]> {
  const own = await realpath(folder);
  const root = await repositoryOf(own);
  if (root === undefined) return [];
  const folders = (await below(root)).map(dirname);
  const roots = await Promise.all(folders.map(repositoryOf));
  return folders.filter((one, index) => one !== own && roots[index] === root);
}

/** Absolute, also where there is none yet. Throws `LedgerError` when another stands above or below. */
export async function findLedger(folder: string, cwd: string) {
  const asked = resolve(cwd, folder);
  const absolute = await realpath(asked).catch(() => asked);
  const file = ledgerIn(absolute);
  const shown = (path: string) => relative(cwd, path) || '.';
  // The reader of manifests says what is wrong with it.
  if ((await statsOf(absolute))?.isDirectory() !== true) return file;
  const refuse = (other: string, where: string) =>
    new LedgerError(
      'several',
      shown(other),
      `This ledger is ${where} ${shown(file)}: a folder with everything below it has one ledger.`,
      `Run for ${shown(dirname(other))}, or move the folders apart.`,
    );
  const outer = await above(absolute);
  if (outer !== undefined) throw refuse(outer, `above ${shown(absolute)}, whose own would be`);
  const [inner] = await below(absolute);
  if (inner !== undefined) throw refuse(inner, `below ${shown(absolute)}, whose own is`);
  await isRecorded(file);
  return file;
}
