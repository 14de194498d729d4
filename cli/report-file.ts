/** The file of `--markdown`: written whole, and over nothing but an earlier report. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../client/errors';
import { UserError } from './errors';

/** Throws a `UserError` where it would overwrite something else than a report. */
export function refuseReport(file: string, cwd: string): void {
  const path = resolve(cwd, file);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const head = found.isFile() ? readFileSync(path, 'utf8').slice(0, 20) : 'no file';
  if (head === '' || head.startsWith('<!-- tether ')) return;
  throw new UserError(`--markdown: ${file} exists and is not a report of Tether; choose another name`);
}

/** Replaces the file, which only its owner may read, by a temporary one beside it. */
export function writeReport(file: string, text: string, cwd: string): void {
  const path = resolve(cwd, file);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new UserError(`the report ${file} cannot be written (${systemCode(cause)})`);
  }
}
