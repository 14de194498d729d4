/** The files that a run reads: which they are, and their bytes as text that is known to be small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import { NotAFile, readPlainFile } from '../resources/plain-file';
import { type IssueList, printable } from './issues';
import { isManifestName, type Origin, Source } from './source';

/** Largest manifest, in bytes. */
const mostBytes = 5_000_000;

/** What may hold a manifest that was given another name. */
const similarEnding = /\.(ya?ml|json)$/i;

/** Where paths start, and what file names in the ledger are relative to. */
interface Place {
  readonly cwd: string;
  readonly root: string;
}

/** The manifests of a folder, in it and below, in the order of their names. A manifest with another ending is an error: what it declares would be taken for removed. */
export function findManifests(folder: string, place: Place, issues: IssueList): readonly Origin[] {
  const absolute = resolve(place.cwd, folder);
  const found = attempt(folder, issues, () => statSync(absolute), absolute);
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${folder} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    issues.error('not-a-folder', {}, message);
    return [];
  }
  const entries = entriesBelow(absolute, folder, issues);
  const files = entries.filter(({ entry }) => isManifestName(entry.name)).map((one) => one.path);
  for (const { path, entry } of entries) {
    const isStray = entry.isFile() && similarEnding.test(entry.name) && !isManifestName(entry.name);
    if (isStray) refuseStray(path, place, issues);
  }
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no manifest in ${folder}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    issues.error('no-manifests', {}, message);
  }
  return originsOf(files, place, issues);
}

/** Files that are named, whatever their ending; a folder among them is an error. */
export function nameManifests(files: readonly string[], place: Place, issues: IssueList): readonly Origin[] {
  const named = files.flatMap((file) => {
    const absolute = resolve(place.cwd, file);
    const found = attempt(file, issues, () => statSync(absolute), absolute);
    if (found?.isDirectory()) {
      issues.error('not-a-file', {}, `${file} is a folder: validate it alone, or name files only`);
    }
    return found === undefined || found.isDirectory() ? [] : [absolute];
  });
  return originsOf(named, place, issues);
}

interface Found {
  readonly path: string;
  readonly entry: Dirent;
}

/** Everything but folders, in a folder and below. */
function entriesBelow(folder: string, shown: string, issues: IssueList): Found[] {
  const entries = attempt(shown, issues, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [{ path, entry }];
    const skipped = entry.name === 'node_modules' || entry.name.startsWith('.');
    return skipped ? [] : entriesBelow(path, join(shown, entry.name), issues);
  });
}

function refuseStray(path: string, { cwd }: Place, issues: IssueList): void {
  const file = shownPath(cwd, path);
  const line = attempt(file, issues, () => versionLine(path), path) ?? null;
  if (line === null) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  issues.error('other-ending', { at: { file: printable(file), line, column: 1 } }, message);
}

/** Each file once, by whatever names it was found. */
function originsOf(files: readonly string[], { cwd, root }: Place, issues: IssueList): readonly Origin[] {
  const byPath = new Map<string, string>();
  for (const file of files) {
    const shown = shownPath(cwd, file);
    const real = attempt(shown, issues, () => realpathSync(file), file);
    if (real === undefined || byPath.has(real) || isRefused(file, real, shown, root, issues)) continue;
    byPath.set(real, file);
  }
  const origins = [...byPath.values()].map((absolute) => ({
    absolute,
    shown: shownPath(cwd, absolute),
    file: shownPath(root, absolute),
  }));
  return origins.sort((left, right) => (left.file < right.file ? -1 : 1));
}

/** A link that leads out of the folder may show any file of this machine; a name may hold what a terminal obeys. */
function isRefused(file: string, real: string, shown: string, root: string, issues: IssueList): boolean {
  const at = firstPlace(shown);
  const homes = [root, dirname(file)].map((folder) => realpathSync(folder));
  if (lstatSync(file).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const message = `this is a link to ${targetOf(file)}, outside of this folder: put the file itself here`;
    issues.error('outside', { at }, message);
    return true;
  }
  if (printable(shown) === shown) return false;
  issues.error('file-name', { at }, 'the name of this file holds an invisible character: rename it');
  return true;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // On Windows the way to another drive is absolute.
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

/** Reads a manifest; null when it cannot be used, which is told. */
export function readManifestFile(origin: Origin, issues: IssueList): Source | null {
  try {
    return decode(readPlainFile(origin.absolute, mostBytes), origin, issues);
  } catch (error) {
    issues.error('unreadable', { at: firstPlace(origin.shown) }, unreadable(origin.shown, error));
    return null;
  }
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8, which decoding has replaced. */
export function decode(bytes: Uint8Array, origin: Origin, issues: IssueList): Source | null {
  const at = firstPlace(origin.shown);
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    issues.error('too-large', { at }, message);
    return null;
  }
  const source = new Source(origin, Buffer.from(bytes).toString('utf8'));
  if (isUtf8(bytes)) return source;
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hint = wide ? ' (it looks like UTF-16)' : '';
  const message = `this is not UTF-8${hint}: save the file as UTF-8`;
  issues.error('not-utf8', { at: source.at(source.text().indexOf('\uFFFD')) }, message);
  return null;
}

const mention = /^.*\bapiVersion["']?\s*:\s*["']?tether\//m;
const atBeginning = /^(?:\{\s*)?["']?apiVersion["']?\s*:\s*["']?tether\//m;

/** The line of a file's `apiVersion: tether/…`, null where it has none. Throws when the file cannot be read. */
function versionLine(path: string): number | null {
  const bytes = readPlainFile(path, mostBytes);
  // Nobody can tell of what is too large; no manifest is.
  if (bytes.length > mostBytes) return null;
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const offset = mention.test(text) ? versionOffset(text) : null;
  return offset === null ? null : text.slice(0, offset).split('\n').length;
}

/** The offset of the key on the first level of a document; null when it stands deeper, in the middle of something else. */
function versionOffset(text: string): number | null {
  // What cannot be parsed may have been a manifest all the same.
  const broken = () => atBeginning.exec(text)?.index ?? null;
  try {
    const documents = [...parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' })];
    for (const { contents } of documents) {
      for (const { key, value } of isMap(contents) ? contents.items : []) {
        if (!isScalar(key) || key.value !== 'apiVersion' || !isScalar(value)) continue;
        if (String(value.value).startsWith('tether/')) return key.range?.[0] ?? 0;
      }
    }
    return documents.some(({ errors }) => errors.length > 0) ? broken() : null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return broken();
  }
}

/** Runs a call of the file system; what it throws becomes an error that names the path. */
function attempt<Result>(
  path: string,
  issues: IssueList,
  call: () => Result,
  absolute = path,
): Result | undefined {
  try {
    return call();
  } catch (error) {
    issues.error('unreadable', {}, unreadable(path, error, absolute));
    return undefined;
  }
}

/** One sentence for a file system error at a path; `absolute` is the same path where it is relative. */
function unreadable(path: string, error: unknown, absolute = path): string {
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

/** A path for people and for the ledger, with forward slashes. */
function shownPath(from: string, path: string): string {
  return relative(from, path).replaceAll('\\', '/');
}

function firstPlace(shown: string) {
  return { file: printable(shown), line: 1, column: 1 };
}
