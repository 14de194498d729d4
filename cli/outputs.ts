/** The files that a run writes must not be files that it reads, by whatever name they are called. */
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OutputRefused } from './errors';
import type { OutputFlags } from './flags';

/** A file that a run reads, and what it is in words: `the ledger`. Relative paths start at the folder of the command. */
export interface Kept {
  readonly file: string;
  readonly what: string;
}

/** How many links of links are followed. */
const mostLinks = 40;

/** Throws `OutputRefused` with every output that would overwrite one of these, or another output; nothing was written. */
export function refuseOverwriting(
  flags: Pick<OutputFlags, 'report'>,
  kept: readonly Kept[],
  cwd: string,
): void {
  const outputs = (flags.report ?? []).map(({ format, file }) => ({
    flag: `--report ${format}=${file}`,
    file,
  }));
  const mistakes = outputs.flatMap((output, index) => {
    const clash = kept.find((one) => isSame(output.file, one.file, cwd));
    if (clash !== undefined) return [`${output.flag} would overwrite ${clash.what}: choose another file`];
    const earlier = outputs.slice(0, index).find((one) => isSame(output.file, one.file, cwd));
    if (earlier === undefined) return [];
    return [`${output.flag} would overwrite what ${earlier.flag} writes: choose another file`];
  });
  if (mistakes.length > 0) throw new OutputRefused(mistakes.join('\n'));
}

/** True for two names of one file, also where it does not exist yet. */
function isSame(one: string, other: string, cwd: string): boolean {
  const [first, second] = [resolve(cwd, one), resolve(cwd, other)];
  const [there, too] = [look(first), look(second)];
  if (there !== undefined && too !== undefined) {
    // By the file system's own numbers: links of both kinds and other spellings are one file.
    return there.isFile() && there.dev === too.dev && there.ino === too.ino;
  }
  return there === undefined && too === undefined && placeOf(first) === placeOf(second);
}

function look(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Where a file would be made: past links to nothing, in the real folder. */
function placeOf(file: string, links = mostLinks): string {
  try {
    if (links > 0 && lstatSync(file).isSymbolicLink()) {
      return placeOf(resolve(dirname(file), readlinkSync(file)), links - 1);
    }
  } catch {
    // Nothing is there, not even a link.
  }
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return file;
  }
}
