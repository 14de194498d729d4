/** Which files a run reads: the manifests of a folder, or files that are named. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { NotAFile } from '../resources/plain-file';
import type { Findings } from './findings';
import { isManifestName, type Origin } from './source';
import { manifestLine } from './stray-manifest';

/** What may hold a manifest that was given another name. */
const similarEnding = /\.(ya?ml|json)$/i;

/** Where paths start, and what file names in the ledger are relative to. */
interface Place {
  readonly cwd: string;
  readonly root: string;
}

/** The manifests of a folder, in it and below, in the order of their names. A manifest with another ending is an error: what it declares would be taken for removed. */
export function findManifests(folder: string, place: Place, findings: Findings): readonly Origin[] {
  const absolute = resolve(place.cwd, folder);
  const found = attempt(folder, findings, () => statSync(absolute), absolute);
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${folder} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    findings.error('not-a-folder', {}, message);
    return [];
  }
  const entries = entriesBelow(absolute, folder, findings);
  const files = entries.filter((one) => isManifestName(one.entry.name)).map((one) => one.path);
  const others = entries.filter(({ entry }) => entry.isFile() && similarEnding.test(entry.name));
  const strays = others.filter(({ entry }) => !isManifestName(entry.name));
  for (const { path } of strays) refuseStray(path, place, findings);
  if (files.length === 0 && findings.issues.length === 0) {
    const message = `there is no manifest in ${folder}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    findings.error('no-manifests', {}, message);
  }
  return originsOf(files, place, findings);
}

/** Files that are named, whatever their ending; a folder among them is an error. */
export function nameManifests(files: readonly string[], place: Place, findings: Findings): readonly Origin[] {
  const named = files.flatMap((file) => {
    const absolute = resolve(place.cwd, file);
    const found = attempt(file, findings, () => statSync(absolute), absolute);
    if (found?.isDirectory()) {
      findings.error('not-a-file', {}, `${file} is a folder: validate it alone, or name files only`);
    }
    return found === undefined || found.isDirectory() ? [] : [absolute];
  });
  return originsOf(named, place, findings);
}

interface Found {
  readonly path: string;
  readonly entry: Dirent;
}

/** Everything but folders, in a folder and below. */
function entriesBelow(folder: string, shown: string, findings: Findings): Found[] {
  const entries = attempt(shown, findings, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [{ path, entry }];
    const skipped = entry.name === 'node_modules' || entry.name.startsWith('.');
    return skipped ? [] : entriesBelow(path, join(shown, entry.name), findings);
  });
}

function refuseStray(path: string, { cwd }: Place, findings: Findings): void {
  const file = forward(relative(cwd, path));
  const line = attempt(file, findings, () => manifestLine(path), path) ?? null;
  if (line === null) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  findings.error('other-ending', { at: { file: printable(file), line, column: 1 } }, message);
}

/** Each file once, by whatever names it was found. */
function originsOf(files: readonly string[], { cwd, root }: Place, findings: Findings): readonly Origin[] {
  const byPath = new Map<string, string>();
  for (const file of files) {
    const shown = forward(relative(cwd, file));
    const real = attempt(shown, findings, () => realpathSync(file), file);
    if (real === undefined || byPath.has(real) || isRefused(file, real, shown, root, findings)) continue;
    byPath.set(real, file);
  }
  const origins = [...byPath.values()].map((absolute) => ({
    absolute,
    shown: forward(relative(cwd, absolute)),
    file: forward(relative(root, absolute)),
  }));
  return origins.sort((left, right) => (left.file < right.file ? -1 : 1));
}

/** A link that leads out of the folder may show any file of this machine; a name may hold what a terminal obeys. */
function isRefused(file: string, real: string, shown: string, root: string, findings: Findings): boolean {
  const at = { file: printable(shown), line: 1, column: 1 };
  const homes = [root, dirname(file)].map((folder) => realpathSync(folder));
  if (lstatSync(file).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const message = `this is a link to ${targetOf(file)}, outside of this folder: put the file itself here`;
    findings.error('outside', { at }, printable(message));
    return true;
  }
  if (printable(shown) === shown) return false;
  findings.error('file-name', { at }, 'the name of this file holds an invisible character: rename it');
  return true;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // On Windows the way to another drive is absolute.
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

/** Runs a call of the file system; what it throws becomes an error that names the path. */
function attempt<Result>(
  path: string,
  findings: Findings,
  call: () => Result,
  absolute = path,
): Result | undefined {
  try {
    return call();
  } catch (error) {
    findings.error('unreadable', {}, unreadable(path, error, absolute));
    return undefined;
  }
}

/** One sentence for a file system error at a path; `absolute` is the same path where it is relative. */
export function unreadable(path: string, error: unknown, absolute = path): string {
  return printable(sentence(path, error, absolute));
}

function sentence(path: string, error: unknown, absolute: string): string {
  if (error instanceof NotAFile)
    return `${path} is ${error.kind}, not a plain file: put the file itself here`;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const target = targetOf(absolute);
  if (code === 'ELOOP') return `${path} is a link that leads back to itself`;
  if (code === 'ENOENT' && target !== undefined) {
    return `${path} is a link to ${target}, which does not exist: correct the link, or name the file itself`;
  }
  if (code === 'ENOENT') return `there is no file or folder ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `${path} cannot be read: no permission`;
  return `${path} cannot be read (${code})`;
}

/** Where a symbolic link points to; undefined for everything else. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function forward(path: string): string {
  return path.replaceAll('\\', '/');
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}
