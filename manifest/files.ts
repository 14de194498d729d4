/** Says which files a run reads, and reads their text, which is small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Position } from '../resources/kind';
import { NotAFile, readPlainFile, unlessItFails } from '../resources/plain-file';
import { isManifestName } from './desired';
import { type IssueList, printable } from './issues';
import { type Origin, Source } from './source';

const mostBytes = 5_000_000;

export interface ReadContext {
  /** Where paths start. */
  readonly cwd: string;
  /** The folder, as an absolute path. */
  readonly root: string;
  readonly issues: IssueList;
}

/** The manifests in the root and below, by name. One with another ending is an error, because what it declares would be taken for removed. */
export function manifestsBelow(context: ReadContext): Origin[] {
  const { root, issues } = context;
  const files = filesBelow(root, context);
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no manifest in ${originOf(root, context).shown}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
    issues.error('no-manifests', message);
  }
  return originsOf(files, context);
}

function filesBelow(folder: string, context: ReadContext): string[] {
  const list = () => readdirSync(folder, { withFileTypes: true });
  const entries = attempt(originOf(folder, context), context.issues, list) ?? [];
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) {
      return name === 'node_modules' || name.startsWith('.') ? [] : filesBelow(path, context);
    }
    if (isManifestName(name)) return [path];
    const isSimilar = entry.isFile() && /\.(?:ya?ml|json)$/i.test(name);
    if (isSimilar) refuseStray(originOf(path, context), context.issues);
    return [];
  });
}

function refuseStray(origin: Origin, issues: IssueList): void {
  const bytes = attempt(origin, issues, () => readPlainFile(origin.absolute, mostBytes));
  // A larger file is no manifest.
  if (bytes === undefined || bytes.length > mostBytes || !saysVersion(bytes.toString('utf8'))) return;
  const message = `this file says \`apiVersion: tether/…\` and is not read, because its name does not end in .tether.yaml, .tether.yml or .tether.json: rename it, or move it out of this folder`;
  issues.error('other-ending', message, firstPlace(origin));
}

/** Whether a file says `apiVersion: tether/…` of itself, and does not only hold or mention a file that does. */
function saysVersion(text: string): boolean {
  if (!/^\uFEFF?\s*\{/.test(text)) return /^["']?apiVersion["']?[ \t]*:[ \t]*["']?tether\//m.test(text);
  const json = unlessItFails(() => JSON.parse(text.replace(/^\uFEFF/, '')) as { apiVersion?: unknown });
  if (json !== null) return typeof json.apiVersion === 'string' && json.apiVersion.startsWith('tether/');
  return /\bapiVersion["']?\s*:\s*["']?tether\//.test(text);
}

/** The origins of files or absolute paths, each once, by name, whatever their ending. */
export function originsOf(files: readonly string[], context: ReadContext): Origin[] {
  const byPath = new Map<string, Origin>();
  for (const file of files) {
    const absolute = resolve(context.cwd, file);
    const origin = originOf(absolute, context);
    const real = attempt(origin, context.issues, () => realpathSync(absolute));
    if (real === undefined || byPath.has(real) || isRefused(origin, real, context)) continue;
    byPath.set(real, origin);
  }
  return [...byPath.values()].sort((left, right) => (left.file < right.file ? -1 : 1));
}

function originOf(absolute: string, { cwd, root }: ReadContext): Origin {
  const from = (folder: string) => relative(folder, absolute).replaceAll('\\', '/');
  return { absolute, shown: from(cwd) || '.', file: from(root) };
}

/** A link out of the folder may show any file of this machine, and a terminal may obey a name. */
function isRefused(origin: Origin, real: string, { root, issues }: ReadContext): boolean {
  const { absolute, shown } = origin;
  const homes = [root, dirname(absolute)].map((folder) => realpathSync(folder));
  if (lstatSync(absolute).isSymbolicLink() && !homes.some((home) => isWithin(home, real))) {
    const target = unlessItFails(() => readlinkSync(absolute));
    const message = `this is a link to ${target}, outside of this folder: put the file itself here`;
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
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** The file, or nothing and an error when it cannot be used. */
export function readManifestFile(origin: Origin, issues: IssueList): Source[] {
  const read = () => readPlainFile(origin.absolute, mostBytes);
  const bytes = attempt(origin, issues, read, firstPlace(origin));
  return bytes === undefined ? [] : decode(bytes, origin, issues);
}

/** Nothing and an error for too many bytes, or for bytes that are not UTF-8. */
export function decode(bytes: Buffer, origin: Origin, issues: IssueList): Source[] {
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    issues.error('too-large', message, firstPlace(origin));
    return [];
  }
  const source = new Source(origin, bytes.toString('utf8'), issues);
  if (isUtf8(bytes)) return [source];
  const hint = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2)) ? ' (it looks like UTF-16)' : '';
  const message = `this is not UTF-8${hint}: save the file as UTF-8`;
  issues.error('not-utf8', message, source.at(source.text().indexOf('\uFFFD')));
  return [];
}

/** Undefined and an error that names the path where the call of the file system throws. */
function attempt<Result>(path: Origin, issues: IssueList, call: () => Result, at?: Position) {
  try {
    return call();
  } catch (error) {
    issues.error('unreadable', unreadable(path, error), at);
    return undefined;
  }
}

function unreadable({ shown, absolute }: Origin, error: unknown): string {
  if (error instanceof NotAFile) {
    const isFolder = error.kind === 'a folder';
    const advice = isFolder ? 'give a folder alone, or files only' : 'put the file itself here';
    return `${shown} is ${error.kind}, not a plain file: ${advice}`;
  }
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOTDIR') {
    return `${shown} is not a folder: a folder is the unit; \`tether validate\` takes files`;
  }
  if (code === 'ELOOP') return `${shown} is a link that leads back to itself`;
  const target = unlessItFails(() => readlinkSync(absolute));
  if (code === 'ENOENT' && target !== null) return `${shown} is a link to ${target}, which does not exist`;
  if (code === 'ENOENT') return `there is no file or folder ${shown}`;
  return `${shown} cannot be read${/^(?:EACCES|EPERM)$/.test(code) ? ': no permission' : ` (${code})`}`;
}

function firstPlace({ shown }: Origin): Position {
  return { file: printable(shown), line: 1, column: 1 };
}
