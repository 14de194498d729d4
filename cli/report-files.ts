/** The reports that a run writes: checked before anything else happens, then written whole, for their owner only. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ledgerName } from '../reconciler/ledger/disk';
import { readPlainFile } from '../resources/plain-file';
import { OutputRefused } from './errors';
import type { ManifestFlags } from './flags';
import { type Io, profileOf, variable } from './io';

/** Larger than any manifest or profile. */
const mostRead = 5_000_000;

/**
 * Throws `OutputRefused` for every report that would overwrite what arguments, flags and variables name, or that cannot
 * be written. Called before anything else happens.
 */
export function refuseReports(flags: ManifestFlags, args: readonly string[], io: Io): void {
  const { report: reports = [] } = flags;
  if (reports.length === 0) return;
  const folders = args.length === 0 ? ['.'] : args;
  const inputs = [
    ...args,
    ...folders.map((folder) => join(folder, ledgerName)),
    profileOf(flags, io) ?? '',
    variable(io, 'TETHER_TOKEN_FILE') ?? '',
  ];
  const read = new Set(inputs.map((input) => identityOf(resolve(io.cwd, input))));
  const written = new Set<string>();
  const mistakes = reports.flatMap(({ format, file }) => {
    const path = resolve(io.cwd, file);
    const identity = identityOf(path);
    const why =
      obstacle(path) ??
      (read.has(identity) ? 'is read by this run' : written.has(identity) ? 'is named twice' : null);
    written.add(identity);
    return why === null ? [] : [`--report ${format}=${file}: that file ${why}; choose another name`];
  });
  if (mistakes.length > 0) throw new OutputRefused(mistakes.join('\n'));
}

function obstacle(path: string): string | null {
  const found = attempt(() => lstatSync(path));
  if (found?.isFile()) return isInput(path) ? 'is a manifest or a profile' : null;
  if (found !== null) return 'is a link, a folder or a device';
  return attempt(() => statSync(dirname(path)).isDirectory()) ? null : 'has no folder yet';
}

/** By content: which files manifests will be found in, or name, is not known yet. */
function isInput(path: string): boolean {
  const text = attempt(() => readPlainFile(path, mostRead).toString('utf8')) ?? '';
  return /^\W*apiVersion\W*:\s*\W?tether\/|"serviceProviders"\s*:/m.test(text);
}

/** Equal for two names of one file, also where it does not exist yet. */
function identityOf(path: string): string {
  const found = attempt(() => statSync(path));
  if (found !== null) return `${found.dev} ${found.ino}`;
  return join(attempt(() => realpathSync(dirname(path))) ?? dirname(path), basename(path));
}

function attempt<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/** Puts a new file in the place of the old, whose other names keep the old one. */
export function writeReport(path: string, text: string): void {
  const temporary = join(dirname(path), `.tether-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
