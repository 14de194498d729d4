/** The files that a run reads: which they are, and their bytes as text that is known to be small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { NotAFile, readPlainFile } from '../resources/plain-file';
import { IssueList, printable } from './issues';
import { isManifestName, type Origin, Source } from './source';
import { parseYaml } from './yaml';

/** Largest manifest, in bytes. */
const mostBytes = 5_000_000;

/** What may hold a manifest that was given another name. */
const similarEnding = /\.(ya?ml|json)$/i;

/** Where paths start, what file names in the ledger are relative to, and where mistakes are collected. */
export interface Place {
  readonly cwd: string;
  readonly root: string;
  readonly issues: IssueList;
}

/** The manifests in the folder at the root and below, in the order of their names. A manifest with another ending is an error: what it declares would be taken for removed. */
export function manifestsBelow(shown: string, place: Place): readonly Origin[] {
  const { root, issues } = place;
  const found = attempt(shown, issues, () => statSync(root), root);
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${shown} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    issues.error('not-a-folder', message);
    return [];
  }
  const files = filesBelow(root, shown, place);
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no manifest in ${shown}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    issues.error('no-manifests', message);
  }
  return originsOf(files, place);
}

/** These files, whatever their ending; a folder among them is an error. */
export function manifestsNamed(files: readonly string[], place: Place): readonly Origin[] {
  const { cwd, issues } = place;
  const named = files.flatMap((file) => {
    const absolute = resolve(cwd, file);
    const found = attempt(file, issues, () => statSync(absolute), absolute);
    if (found === undefined) return [];
    if (!found.isDirectory()) return [absolute];
    issues.error('not-a-file', `${file} is a folder: validate it alone, or name files only`);
    return [];
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

function refuseStray(absolute: string, { cwd, root, issues }: Place): void {
  const origin = { absolute, shown: shownPath(cwd, absolute), file: shownPath(root, absolute) };
  const bytes = attempt(origin.shown, issues, () => readPlainFile(absolute, mostBytes), absolute);
  // Too large to be looked into; no manifest is.
  if (bytes === undefined || bytes.length > mostBytes) return;
  const line = versionLine(new Source(origin, bytes.toString('utf8'), new IssueList()));
  if (line === undefined) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  issues.error('other-ending', message, { file: printable(origin.shown), line, column: 1 });
}

const mention = /^.*\bapiVersion["']?\s*:\s*["']?tether\//m;
const atBeginning = /(?<=^(?:\{\s*)?)["']?apiVersion["']?\s*:\s*["']?tether\//m;

/** The line of a file's `apiVersion: tether/…`; undefined where it has none, or in the middle of something else. */
function versionLine(source: Source): number | undefined {
  const text = source.text();
  if (!mention.test(text)) return undefined;
  const root = parseYaml(source);
  if (root === null) {
    // What cannot be parsed may have been a manifest all the same.
    const found = atBeginning.exec(text);
    return found === null ? undefined : source.at(found.index).line;
  }
  const version = root.get('apiVersion');
  return String(version?.value).startsWith('tether/') ? version?.key.at.line : undefined;
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
  const homes = [root, dirname(path)].map((folder) => realpathSync(folder));
  if (lstatSync(path).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const message = `this is a link to ${targetOf(path)}, outside of this folder: put the file itself here`;
    issues.error('outside', message, firstPlace(shown));
    return true;
  }
  if (printable(shown) === shown) return false;
  const message = 'the name of this file holds an invisible character: rename it';
  issues.error('file-name', message, firstPlace(shown));
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
    issues.error('unreadable', unreadable(origin.shown, error, origin.absolute), firstPlace(origin.shown));
    return null;
  }
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8, which decoding has replaced. */
export function decode(bytes: Uint8Array, origin: Origin, issues: IssueList): Source | null {
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    issues.error('too-large', message, firstPlace(origin.shown));
    return null;
  }
  const source = new Source(origin, Buffer.from(bytes).toString('utf8'), issues);
  if (isUtf8(bytes)) return source;
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const message = `this is not UTF-8${wide ? ' (it looks like UTF-16)' : ''}: save the file as UTF-8`;
  issues.error('not-utf8', message, source.at(source.text().indexOf('\uFFFD')));
  return null;
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
    issues.error('unreadable', unreadable(path, error, absolute));
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
