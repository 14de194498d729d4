/** The files of the project that a change could commit: tracked ones and new ones that are not ignored. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the project. `path` is relative to the root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a check found; `line` counts from 1, absent where the whole file is meant. */
export interface Finding {
  readonly rule: string;
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

const textual = /(?:\.(?:ts|mjs|cjs|js|json|ya?ml|md|sh)|^Makefile|^LICENSE|^\.ci\/run|^tools\/install)$/u;

/** Reads every text file of the project; asks git which there are. */
export function listSourceFiles(root: string): readonly SourceFile[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return output
    .split('\0')
    .filter((path) => textual.test(path) && existsSync(join(root, path)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
