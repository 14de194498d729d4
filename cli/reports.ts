/** Report files: written whole, and never over what a run reads. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../client/errors';
import { readPlainFile, unlessItFails } from '../resources/plain-file';
import { UserError } from './errors';

/** Larger than any manifest or profile. */
const mostRead = 5_000_000;

/** Throws a `UserError` naming every report that would overwrite one of `inputs`, a manifest or a profile, or cannot be written. */
export function refuseReports(reports: readonly string[], inputs: readonly string[], cwd: string): void {
  if (reports.length === 0) return;
  const read = new Set(inputs.map((input) => identityOf(resolve(cwd, input))));
  const written = new Set<string>();
  const mistakes = reports.flatMap((file) => {
    const path = resolve(cwd, file);
    const identity = identityOf(path);
    const why =
      obstacle(path) ??
      (read.has(identity) ? 'is read by this run' : written.has(identity) ? 'is named twice' : null) ??
      unwritable(path);
    written.add(identity);
    return why === null ? [] : [`--report: ${file} ${why}; choose another name`];
  });
  if (mistakes.length > 0) throw new UserError(mistakes.join('\n'));
}

function obstacle(path: string): string | null {
  const found = unlessItFails(() => lstatSync(path));
  if (found?.isFile()) return isInput(path) ? 'is a manifest or a profile' : null;
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

/** By content: which files manifests name is not known yet. */
function isInput(path: string): boolean {
  const text = unlessItFails(() => readPlainFile(path, mostRead).toString('utf8')) ?? '';
  return /^\W*apiVersion\W*:\s*\W?tether\/|"serviceProviders"\s*:/m.test(text);
}

/** Equal for two names of one file, also where it does not exist yet. */
function identityOf(path: string): string {
  const found = unlessItFails(() => statSync(path));
  if (found !== null) return `${found.dev} ${found.ino}`;
  return join(unlessItFails(() => realpathSync(dirname(path))) ?? dirname(path), basename(path));
}

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
