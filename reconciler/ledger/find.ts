/** Where the ledger of a folder stands, and that its repository has no other one above or below it. */
import type { Stats } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { inaccessible, journalOf, LedgerError, ledgerName, lockOf, systemCode } from './disk';

/** Null where nothing is, or a link to nothing. */
async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return null;
    throw inaccessible(path, 'look at it', error);
  }
}

/** A first run that was cut off leaves only a journal. Throws for a link to nothing: what it led to is not "no ledger yet". */
async function isRecorded(file: string): Promise<boolean> {
  if ((await statsOf(file)) !== null) return true;
  const target = await readlink(file).catch(() => undefined);
  if (target !== undefined) {
    throw new LedgerError(
      'inaccessible',
      file,
      `The ledger is a link to ${target}, which does not exist.`,
      'Bring back what it links to, or remove the link to begin without a ledger.',
    );
  }
  return (await statsOf(journalOf(file))) !== null;
}

/** The ledger in a folder, if there is one; a first run that goes on right now has only its lock yet. */
async function ledgerIn(folder: string): Promise<readonly string[]> {
  const file = join(folder, ledgerName);
  return (await isRecorded(file)) || (await statsOf(lockOf(file))) !== null ? [file] : [];
}

/** The nearest ledger above a folder, up to the root of its repository; outside of one there is none. */
async function above(folder: string): Promise<string | undefined> {
  let found: string | undefined;
  for (let inner = folder; (await statsOf(join(inner, '.git'))) === null; inner = dirname(inner)) {
    const parent = dirname(inner);
    if (parent === inner) return undefined;
    found ??= (await ledgerIn(parent))[0];
  }
  return found;
}

/** Ledgers in the folders below, where manifests are looked for too. */
async function below(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw inaccessible(folder, 'list the folder', error);
  });
  const found = entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .map(async (inside) => [...(await ledgerIn(inside)), ...(await below(inside))]);
  return (await Promise.all(found)).flat();
}

/** The absolute file of a folder's ledger, which may not be there yet. Throws `LedgerError`, with paths relative to `cwd`, when another ledger stands above or below it in the repository. */
export async function findLedger(folder: string, cwd: string): Promise<string> {
  const asked = resolve(cwd, folder);
  const absolute = await realpath(asked).catch(() => asked);
  const file = join(absolute, ledgerName);
  const shown = (path: string) => relative(cwd, path) || '.';
  // What is wrong with such a folder is for the reader of manifests to say.
  if ((await statsOf(absolute))?.isDirectory() !== true) return file;
  const outer = await above(absolute);
  const other = outer ?? (await below(absolute))[0];
  if (other !== undefined) {
    const [where, own] = outer === undefined ? ['below', 'is'] : ['above', 'would be'];
    throw new LedgerError(
      'several',
      shown(other),
      `This ledger is ${where} ${shown(absolute)}, whose own ${own} ${shown(file)}: a folder with everything below it has one ledger.`,
      `Run for ${shown(dirname(other))}, or move the folders apart.`,
    );
  }
  await isRecorded(file);
  return file;
}
