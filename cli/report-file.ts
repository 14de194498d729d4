/** Writes the file of `--markdown`. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemCode } from '../client/errors';
import { UserError } from './errors';

/** Throws a `UserError` if the report would overwrite another file. */
export function refuseReport(file: string, cwd: string): void {
  const path = resolve(cwd, file);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const head = found.isFile() ? readFileSync(path, 'utf8').slice(0, 20) : 'no file';
  if (head === '' || head.startsWith('<!-- tether ')) return;
  throw new UserError(`--markdown: ${file} exists and is not a report of Tether; choose another name`);
}

/** Only the owner may read a new file. */
export function writeReport(file: string, text: string, cwd: string): void {
  refuseReport(file, cwd);
  try {
    writeFileSync(resolve(cwd, file), text, { mode: 0o600 });
  } catch (cause) {
    throw new UserError(`the report ${file} cannot be written (${systemCode(cause)})`);
  }
}
