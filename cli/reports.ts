/** Report files: written whole, and over nothing but an earlier report. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../client/errors';
import { readPlainFile, unlessItFails } from '../resources/plain-file';
import { UserError } from './errors';

/** How a report begins: a JSON document, the schema, Markdown; or a file that was only made. */
const reportHead =
  /^(?:\{\s+"version": 1,\s+"command": |\{\s+"\$schema": \S+\s+"title": "Tether |<!-- tether-|$)/;

/** Throws a `UserError` naming every report that would overwrite something else than a report, or cannot be written. */
export function refuseReports(files: readonly string[], cwd: string): void {
  // One text for one file, whatever links lead to its folder.
  const paths = files.map((file) => {
    const folder = resolve(cwd, dirname(file));
    return join(unlessItFails(() => realpathSync(folder)) ?? folder, basename(file));
  });
  const mistakes = paths.flatMap((path, index) => {
    const isRepeated = paths.indexOf(path) < index;
    const why = obstacle(path) ?? (isRepeated ? 'is named twice' : unwritable(path));
    return why === null ? [] : [`--report: ${files[index]} ${why}; choose another name`];
  });
  if (mistakes.length > 0) throw new UserError(mistakes.join('\n'));
}

function obstacle(path: string): string | null {
  const found = unlessItFails(() => lstatSync(path));
  if (found?.isFile()) {
    const head = unlessItFails(() => readPlainFile(path, 200).toString('utf8'));
    return head !== null && reportHead.test(head) ? null : 'is not a report of Tether';
  }
  if (found?.isDirectory()) return 'is a folder';
  if (found !== null) return 'is a link or a device';
  return unlessItFails(() => statSync(dirname(path)).isDirectory())
    ? null
    : 'is in a folder that does not exist';
}

/** Why no file can be made beside it; only a try tells. */
function unwritable(path: string): string | null {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, '', { flag: 'wx' });
    rmSync(temporary);
    return null;
  } catch (cause) {
    return `cannot be written (${systemCode(cause)})`;
  }
}

const temporaryBeside = (path: string) =>
  join(dirname(path), `.tether-${randomBytes(6).toString('hex')}.tmp`);

/** Replaces the file (temporary file, then rename; mode 0600). Other hard links keep the old content. */
export function writeReport(file: string, text: string, cwd: string): void {
  const path = resolve(cwd, file);
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (cause) {
    unlessItFails(() => rmSync(temporary, { force: true }));
    throw new UserError(`the report ${file} cannot be written (${systemCode(cause)})`);
  }
}
