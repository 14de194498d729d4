/** Writing and removing files so that a crash at any moment leaves the old or the new, whole. */
import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Makes what was created, renamed or removed in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and has no such call.
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces a file's content, readable by its owner only: temporary file, fsync, rename, fsync of the folder. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Removes a file, if it is there, for good. */
export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(dirname(file));
}

/** Removes what `replaceFile` left when it was killed; only for the one who holds the lock. */
export async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  const left = (await readdir(folder)).filter(
    (name) =>
      name.startsWith(`${basename(file)}.`) &&
      /^[0-9a-f]{12}\.tmp$/.test(name.slice(basename(file).length + 1)),
  );
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}
