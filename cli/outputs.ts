/** The files that a run writes: checked before anything else happens, then written whole, for their owner only. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ledgerName } from '../reconciler/ledger/disk';
import { readPlainFile } from '../resources/plain-file';
import { OutputRefused } from './errors';
import type { ManifestFlags } from './flags';
import { type Io, variable } from './io';
import { profileOf } from './settings';

/** Larger than any manifest or profile. */
const mostLooked = 5_000_000;

/** Throws `OutputRefused` for every report that would harm what arguments, flags and variables name, or cannot be written; nothing was done. */
export function refuseOutputs(flags: ManifestFlags, args: readonly string[], io: Io): void {
  const { report = [] } = flags;
  const folders = args.length === 0 ? ['.'] : args;
  const inputs = [
    ...args,
    ...folders.map((folder) => join(folder, ledgerName)),
    profileOf(flags, io) ?? '',
    variable(io, 'TETHER_TOKEN_FILE') ?? '',
  ].map((input) => resolve(io.cwd, input));
  const mistakes = report.flatMap(({ format, file }, index) => {
    const path = resolve(io.cwd, file);
    const others = report.slice(0, index).map((one) => resolve(io.cwd, one.file));
    const why =
      obstacle(path) ??
      (inputs.some((input) => isSame(path, input))
        ? 'is read by this run'
        : others.some((other) => isSame(path, other))
          ? 'is named twice'
          : null);
    return why === null ? [] : [`--report ${format}=${file}: that file ${why}; choose another name`];
  });
  if (mistakes.length > 0) throw new OutputRefused(mistakes.join('\n'));
}

function obstacle(path: string): string | null {
  const there = attempt(() => lstatSync(path));
  if (there?.isFile()) return isPrecious(path) ? 'is a manifest or a profile' : null;
  if (there !== null) return 'is a link, a folder or a device';
  return attempt(() => statSync(dirname(path)))?.isDirectory() === true ? null : 'has no folder yet';
}

/** By content: which files manifests will be found in, or name, is not known yet. */
function isPrecious(path: string): boolean {
  const text = attempt(() => readPlainFile(path, mostLooked).toString('utf8')) ?? '';
  return /^\W*apiVersion\W*:\s*\W?tether\/|"serviceProviders"\s*:/m.test(text);
}

/** True for two names of one file, also where it does not exist yet. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [attempt(() => statSync(one)), attempt(() => statSync(other))];
  if (first !== null && second !== null) return first.dev === second.dev && first.ino === second.ino;
  return first === null && second === null && placeOf(one) === placeOf(other);
}

function placeOf(path: string): string {
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
export function writeOutput(path: string, text: string): void {
  const temporary = join(dirname(path), `.tether-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
