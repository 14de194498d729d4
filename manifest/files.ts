/** The files that a run reads: which they are, and their bytes as text that is known to be small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import { NotAFile, readPlainFile } from '../resources/plain-file';
import { type IssueList, printable } from './issues';
import { isManifestName, type Origin, Source } from './source';

/** Largest manifest, in bytes. */
const mostBytes = 5_000_000;

/** What may hold a manifest that was given another name. */
const similarEnding = /\.(ya?ml|json)$/i;

/** Where paths start, what file names in the ledger are relative to, and where mistakes are collected. */
interface Place {
  readonly cwd: string;
  readonly root: string;
  readonly issues: IssueList;
}

/** The manifests of a folder, in it and below, in the order of their names. A manifest with another ending is an error: what it declares would be taken for removed. */
export function findManifests(folder: string, place: Place): readonly Origin[] {
  const { issues } = place;
  const absolute = resolve(place.cwd, folder);
  const found = attempt(folder, issues, () => statSync(absolute), absolute);
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${folder} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    issues.error('not-a-folder', {}, message);
    return [];
  }
  const files = filesBelow(absolute, folder, place);
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no manifest in ${folder}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    issues.error('no-manifests', {}, message);
  }
  return originsOf(files, place);
}

/** Files that are named, whatever their ending; a folder among them is an error. */
export function nameManifests(files: readonly string[], place: Place): readonly Origin[] {
  const { issues } = place;
  const named = files.flatMap((file) => {
    const absolute = resolve(place.cwd, file);
    const found = attempt(file, issues, () => statSync(absolute), absolute);
    if (found?.isDirectory()) {
      issues.error('not-a-file', {}, `${file} is a folder: validate it alone, or name files only`);
    }
    return found === undefined || found.isDirectory() ? [] : [absolute];
  });
  return originsOf(named, place);
}

/** Every manifest in a folder and below; those with another ending are reported. */
function filesBelow(folder: string, shown: string, place: Place): readonly string[] {
  const entries = attempt(shown, place.issues, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) {
      const skipped = name === 'node_modules' || name.startsWith('.');
      return skipped ? [] : filesBelow(path, join(shown, name), place);
    }
    if (isManifestName(name)) return [path];
    if (entry.isFile() && similarEnding.test(name)) refuseStray(path, place);
    return [];
  });
}

function refuseStray(path: string, { cwd, issues }: Place): void {
  const file = shownPath(cwd, path);
  const line = attempt(file, issues, () => versionLine(path), path) ?? null;
  if (line === null) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  issues.error('other-ending', { at: { file: printable(file), line, column: 1 } }, message);
}

/** Each file once, by whatever names it was found. */
function originsOf(files: readonly string[], place: Place): readonly Origin[] {
  const byPath = new Map<string, Origin>();
  for (const absolute of files) {
    const shown = shownPath(place.cwd, absolute);
    const real = attempt(shown, place.issues, () => realpathSync(absolute), absolute);
    if (real === undefined || byPath.has(real) || isRefused(absolute, real, shown, place)) continue;
    byPath.set(real, { absolute, shown, file: shownPath(place.root, absolute) });
  }
  return [...byPath.values()].sort((left, right) => (left.file < right.file ? -1 : 1));
}

/** A link that leads out of the folder may show any file of this machine; a name may hold what a terminal obeys. */
function isRefused(path: string, real: string, shown: string, { root, issues }: Place): boolean {
  const at = firstPlace(shown);
  const homes = [root, dirname(path)].map((folder) => realpathSync(folder));
  if (lstatSync(path).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const message = `this is a link to ${targetOf(path)}, outside of this folder: put the file itself here`;
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

/** Reads a manifest; null when it cannot be used, which is reported. */
export function readManifestFile(origin: Origin, issues: IssueList): Source | null {
  try {
    return decode(readPlainFile(origin.absolute, mostBytes), origin, issues);
  } catch (error) {
    const message = unreadable(origin.shown, error, origin.absolute);
    issues.error('unreadable', { at: firstPlace(origin.shown) }, message);
    return null;
  }
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8, which decoding has replaced. */
export function decode(bytes: Uint8Array, origin: Origin, issues: IssueList): Source | null {
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    issues.error('too-large', { at: firstPlace(origin.shown) }, message);
    return null;
  }
  const source = new Source(origin, Buffer.from(bytes).toString('utf8'));
  if (isUtf8(bytes)) return source;
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const message = `this is not UTF-8${wide ? ' (it looks like UTF-16)' : ''}: save the file as UTF-8`;
  issues.error('not-utf8', { at: source.at(source.text().indexOf('\uFFFD')) }, message);
  return null;
}

const mention = /^.*\bapiVersion["']?\s*:\s*["']?tether\//m;
const atBeginning = /^(?:\{\s*)?["']?apiVersion["']?\s*:\s*["']?tether\//m;

/** The line of a file's `apiVersion: tether/…`, null where it has none. Throws when the file cannot be read. */
function versionLine(path: string): number | null {
  const bytes = readPlainFile(path, mostBytes);
  // Too large to be looked into; no manifest is.
  if (bytes.length > mostBytes) return null;
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const offset = mention.test(text) ? versionOffset(text) : undefined;
  return offset === undefined ? null : text.slice(0, offset).split('\n').length;
}

/** The offset of the key on the first level of a document; undefined when it stands deeper, in the middle of something else. */
function versionOffset(text: string): number | undefined {
  // What cannot be parsed may have been a manifest all the same.
  const broken = () => atBeginning.exec(text)?.index;
  try {
    const documents = [...parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' })];
    for (const { contents } of documents) {
      for (const { key, value } of isMap(contents) ? contents.items : []) {
        if (!isScalar(key) || key.value !== 'apiVersion' || !isScalar(value)) continue;
        if (String(value.value).startsWith('tether/')) return key.range?.[0] ?? 0;
      }
    }
    return documents.some(({ errors }) => errors.length > 0) ? broken() : undefined;
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
function unreadable(path: string, error: unknown, absolute: string): string {
  if (error instanceof NotAFile)
    return `${path} is ${error.kind}, not a plain file: put the file itself here`;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ELOOP') return `${path} is a link that leads back to itself`;
  if (code === 'ENOENT') {
    const target = targetOf(absolute);
    return target === undefined
      ? `there is no file or folder ${path}`
      : `${path} is a link to ${target}, which does not exist: correct the link, or name the file itself`;
  }
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  return `${path} cannot be read${isForbidden ? ': no permission' : ` (${code})`}`;
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
