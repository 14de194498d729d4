/** Which files a run reads, and their text, which is small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import type { Position } from '../resources/kind';
import { NotAFile, readPlainFile } from '../resources/plain-file';
import { IssueList, printable } from './issues';
import { isManifestName, type Origin, Source } from './source';

/** Largest manifest, in bytes. */
const mostBytes = 5_000_000;

/** What may hold a manifest that was given another name. */
const similarEnding = /\.(ya?ml|json)$/i;

/** A path as people write it, and whole. */
type Path = Pick<Origin, 'shown' | 'absolute'>;

/** Where paths start, what file names in the ledger are relative to, and where mistakes are collected. */
export interface Place {
  readonly cwd: string;
  readonly root: string;
  readonly issues: IssueList;
}

/** The manifests in the root and below, by name. One with another ending is an error: what it declares would be taken for removed. */
export function manifestsBelow(shown: string, place: Place): Origin[] {
  const { root, issues } = place;
  const found = attempt({ shown, absolute: root }, issues, () => statSync(root));
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${shown} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    issues.error('not-a-folder', message);
    return [];
  }
  const files = filesBelow({ shown, absolute: root }, place);
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no manifest in ${shown}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    issues.error('no-manifests', message);
  }
  return originsOf(files, place);
}

/** These files, whatever their ending; a folder among them is an error. */
export function manifestsNamed(files: readonly string[], place: Place): Origin[] {
  const { cwd, issues } = place;
  const named = files.flatMap((shown) => {
    const absolute = resolve(cwd, shown);
    const found = attempt({ shown, absolute }, issues, () => statSync(absolute));
    if (found === undefined) return [];
    if (!found.isDirectory()) return [absolute];
    issues.error('not-a-file', `${shown} is a folder: validate it alone, or name files only`);
    return [];
  });
  return originsOf(named, place);
}

function filesBelow(folder: Path, place: Place): string[] {
  const { shown, absolute } = folder;
  const entries = attempt(folder, place.issues, () => readdirSync(absolute, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = join(absolute, name);
    if (entry.isDirectory()) {
      const skipped = name === 'node_modules' || name.startsWith('.');
      return skipped ? [] : filesBelow({ shown: join(shown, name), absolute: path }, place);
    }
    if (isManifestName(name)) return [path];
    if (entry.isFile() && similarEnding.test(name)) refuseStray(originOf(path, place), place.issues);
    return [];
  });
}

function refuseStray(origin: Origin, issues: IssueList): void {
  const bytes = attempt(origin, issues, () => readPlainFile(origin.absolute, mostBytes));
  // Too large to be looked into; no manifest is.
  if (bytes === undefined || bytes.length > mostBytes) return;
  const line = versionLine(new Source(origin, bytes.toString('utf8'), new IssueList()));
  if (line === undefined) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  issues.error('other-ending', message, { ...firstPlace(origin), line });
}

const mention = /^.*\bapiVersion["']?\s*:\s*["']?tether\//m;
const atBeginning = /(?<=^(?:\{\s*)?)["']?apiVersion["']?\s*:\s*["']?tether\//m;

/** The line of a file's `apiVersion: tether/…`; undefined where it has none, or in the middle of something else. */
function versionLine(source: Source): number | undefined {
  const text = source.text();
  const offset = mention.test(text) ? versionOffset(text) : undefined;
  return offset === undefined ? undefined : source.at(offset).line;
}

/** Looks with more patience than `parseYaml`: a manifest with a mistake in it was a manifest all the same. */
function versionOffset(text: string): number | undefined {
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

/** Each file once, by whatever names it was found. */
function originsOf(files: string[], place: Place): Origin[] {
  const byPath = new Map<string, Origin>();
  for (const absolute of files) {
    const origin = originOf(absolute, place);
    const real = attempt(origin, place.issues, () => realpathSync(absolute));
    if (real === undefined || byPath.has(real) || isRefused(origin, real, place)) continue;
    byPath.set(real, origin);
  }
  return [...byPath.values()].sort((left, right) => (left.file < right.file ? -1 : 1));
}

function originOf(absolute: string, { cwd, root }: Place): Origin {
  const from = (folder: string) => relative(folder, absolute).replaceAll('\\', '/');
  return { absolute, shown: from(cwd), file: from(root) };
}

/** A link that leads out of the folder may show any file of this machine; a name may hold what a terminal obeys. */
function isRefused(origin: Origin, real: string, { root, issues }: Place): boolean {
  const { absolute, shown } = origin;
  const homes = [root, dirname(absolute)].map((folder) => realpathSync(folder));
  if (lstatSync(absolute).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const message = `this is a link to ${targetOf(absolute)}, outside of this folder: put the file itself here`;
    issues.error('outside', message, firstPlace(origin));
    return true;
  }
  if (printable(shown) === shown) return false;
  const message = 'the name of this file holds an invisible character: rename it';
  issues.error('file-name', message, firstPlace(origin));
  return true;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // On Windows the way to another drive is absolute.
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

/** Null when it cannot be used, which was told. */
export function readManifestFile(origin: Origin, issues: IssueList): Source | null {
  const read = () => readPlainFile(origin.absolute, mostBytes);
  const bytes = attempt(origin, issues, read, firstPlace(origin));
  return bytes === undefined ? null : decode(bytes, origin, issues);
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8, which decoding has replaced. */
export function decode(bytes: Uint8Array, origin: Origin, issues: IssueList): Source | null {
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    issues.error('too-large', message, firstPlace(origin));
    return null;
  }
  const source = new Source(origin, Buffer.from(bytes).toString('utf8'), issues);
  if (isUtf8(bytes)) return source;
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const message = `this is not UTF-8${wide ? ' (it looks like UTF-16)' : ''}: save the file as UTF-8`;
  issues.error('not-utf8', message, source.at(source.text().indexOf('\uFFFD')));
  return null;
}

/** What a call of the file system throws becomes an error that names the path. */
function attempt<Result>(
  path: Path,
  issues: IssueList,
  call: () => Result,
  at?: Position,
): Result | undefined {
  try {
    return call();
  } catch (error) {
    issues.error('unreadable', unreadable(path, error), at);
    return undefined;
  }
}

function unreadable({ shown, absolute }: Path, error: unknown): string {
  if (error instanceof NotAFile) {
    return `${shown} is ${error.kind}, not a plain file: put the file itself here`;
  }
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ELOOP') return `${shown} is a link that leads back to itself`;
  if (code === 'ENOENT') {
    const target = targetOf(absolute);
    return target === undefined
      ? `there is no file or folder ${shown}`
      : `${shown} is a link to ${target}, which does not exist: correct the link, or name the file itself`;
  }
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  return `${shown} cannot be read${isForbidden ? ': no permission' : ` (${code})`}`;
}

/** Where a symbolic link points to; undefined for everything else. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function firstPlace({ shown }: Origin): Position {
  return { file: printable(shown), line: 1, column: 1 };
}
