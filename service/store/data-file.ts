// Whether a place can hold the data file, judged before the database is asked: its own messages help nobody.

import { closeSync, openSync, type Stats, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../failure';

/** A file that cannot be the store's: damaged, newer, in use, or something else. It was not changed. */
export class StoreFileError extends Error {
  override readonly name = 'StoreFileError';

  constructor(file: string, why: string, cause?: unknown) {
    super(`${file === '' ? 'data file' : file}: ${why}`, { cause });
  }
}

/** Why records cannot be kept there, and what to do; undefined when nothing speaks against it. Changes nothing. */
export function refusalOf(file: string): string | undefined {
  if (file === '') return 'no file is named. Name one, or memory.';
  const found = look(file);
  if (typeof found === 'object') return refusalOfFile(file, found);
  if (found !== 'ENOENT') return `cannot be looked at (${found}). Choose another file.`;
  const folder = path.dirname(path.resolve(file));
  const around = look(folder);
  if (around === 'ENOENT' || around === 'ENOTDIR') {
    return `its folder ${folder} does not exist. Make it first, or choose another file.`;
  }
  if (typeof around === 'object' && !around.isDirectory()) {
    return `${folder} is no folder. Choose another file.`;
  }
  return undefined;
}

/** Why a file that nothing spoke against could not be made all the same. */
export function whyNotMade(file: string): string {
  const folder = path.dirname(path.resolve(file));
  // Only the attempt tells: permissions are not all that can be in the way.
  const code = attempt(file, 'wx', () => unlinkSync(file));
  return code === undefined || code === 'EEXIST'
    ? 'cannot be opened. Choose another file.'
    : `its folder ${folder} does not let this user make files (${code}). Change its permissions, or choose another one.`;
}

function refusalOfFile(file: string, found: Stats): string | undefined {
  if (found.isDirectory()) return `is a folder. Name a file in it, such as ${path.join(file, 'tether.db')}.`;
  if (!found.isFile()) return 'is no regular file. Choose another one.';
  const why = attempt(file, 'r+');
  return why === undefined
    ? undefined
    : `may not be read and written by this user (${why}). Change its permissions, or choose another file.`;
}

/** What is there, or the code of the reason why nobody can tell. */
function look(file: string): Stats | string {
  try {
    return statSync(file);
  } catch (error) {
    return String(codeOf(error) === 'ENOTDIR' ? 'ENOENT' : (codeOf(error) ?? 'unknown'));
  }
}

/** The code of the reason why a file cannot be opened in this way; undefined when it can. */
function attempt(file: string, flags: string, afterwards = (): void => undefined): string | undefined {
  try {
    closeSync(openSync(file, flags));
    afterwards();
    return undefined;
  } catch (error) {
    return String(codeOf(error) ?? 'unknown');
  }
}
