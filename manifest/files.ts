/** Finds the manifests of a run, and reads their text. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Position } from '../resources/kind';
import { NotAFile, readPlainFile, unlessItFails } from '../resources/plain-file';
import { type IssueList, printable } from './issues';
import { ledgerFileName } from './ledger-place';
import { type Origin, Source } from './source';

const mostBytes = 5_000_000;
const manifestName = /\.tether\.(?:yaml|yml|json)$/;
const skipped = /^(?:node_modules$|\.)/;

export interface ReadContext {
  /** Relative paths start here. */
  readonly cwd: string;
  /** The folder, as an absolute path. */
  readonly root: string;
  readonly issues: IssueList;
}

export function manifestsBelow(context: ReadContext): Origin[] {
  const { root, issues } = context;
  const real = unlessItFails(() => realpathSync(root));
  if (real !== null) refuseLedgerAbove(real, context);
  const files = filesBelow(root, context);
  if (files.length === 0 && issues.all.length === 0) {
    const { shown } = originOf(root, context);
    const message = `there is no *.tether.yaml, *.tether.yml or *.tether.json in ${shown} or below`;
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
    if (entry.isDirectory()) return skipped.test(name) ? [] : filesBelow(path, context);
    if (manifestName.test(name)) return [path];
    const origin = originOf(path, context);
    if (name === ledgerFileName && folder !== context.root) {
      context.issues.error('nested-ledger', secondLedger, firstPlace(origin));
    }
    if (entry.isSymbolicLink() && !skipped.test(name)) refuseLinkedFolder(origin, context);
    if (entry.isFile() && /\.(?:ya?ml|json)$/i.test(name)) refuseStray(origin, context.issues);
    return [];
  });
}

const secondLedger =
  'a second ledger inside this folder: move this subfolder out, or remove one of the two ledgers';

/** Refuses a part of a folder with a ledger, because two ledgers would manage the same objects. */
function refuseLedgerAbove(folder: string, context: ReadContext): void {
  const above = dirname(folder);
  // A run on the folder above skips some folders.
  if (above === folder || skipped.test(basename(folder))) return;
  if (unlessItFails(() => statSync(join(above, ledgerFileName)).isFile())) {
    const message = `the folder above (${above}) has a ledger that covers this folder: run the command there, or move that ledger`;
    context.issues.error('nested-ledger', message);
  } else refuseLedgerAbove(above, context);
}

/** Refuses a link to a folder of manifests elsewhere. Without them, Tether would delete what they declare. */
function refuseLinkedFolder(origin: Origin, context: ReadContext): void {
  const real = unlessItFails(() => realpathSync(origin.absolute));
  if (real === null || !holdsManifests(real, context)) return;
  const message = 'this folder is not read, because it is a link: put the folder itself here';
  context.issues.error('outside', message, firstPlace(origin));
}

/** Looks for files, not for links, and not in the folder of this run, which is read anyway. */
function holdsManifests(folder: string, context: ReadContext): boolean {
  if (!isOutside(folder, context)) return false;
  const entries = unlessItFails(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.some((entry) => {
    if (entry.isFile()) return manifestName.test(entry.name);
    const isRead = entry.isDirectory() && !skipped.test(entry.name);
    return isRead && holdsManifests(join(folder, entry.name), context);
  });
}

/** Refuses a manifest with a wrong file name. Without it, Tether would delete what the file declares. */
function refuseStray(origin: Origin, issues: IssueList): void {
  const bytes = attempt(origin, issues, () => readPlainFile(origin.absolute, mostBytes));
  // A larger file is not a manifest.
  if (!bytes || bytes.length > mostBytes || !version.test(bytes.toString('utf8'))) return;
  const message =
    'this manifest is not read, because its name does not end in .tether.yaml: rename or move it';
  issues.error('other-ending', message, firstPlace(origin));
}

/** Inside braces, `apiVersion` may stand anywhere. */
const version = /(?:^\uFEFF?(?:\s*\{[\s\S]*?)?|\n)["']?apiVersion["']?\s*:\s*["']?tether\//;

export function originsOf(files: readonly string[], context: ReadContext): Origin[] {
  const byPath = new Map<string, Origin>();
  for (const file of files) {
    const absolute = resolve(context.cwd, file);
    const origin = originOf(absolute, context);
    const real = attempt(origin, context.issues, () => realpathSync(absolute));
    if (real === undefined || byPath.has(real) || isRefused(origin, real, context)) continue;
    byPath.set(real, origin);
  }
  return [...byPath.values()].sort((left, right) => (left.shown < right.shown ? -1 : 1));
}

function originOf(absolute: string, { cwd }: ReadContext): Origin {
  const shown = relative(cwd, absolute).replaceAll('\\', '/') || '.';
  // A line of a log that begins with `::` is a command to GitHub.
  return { absolute, shown: /^[\s:]/.test(shown) ? `./${shown}` : shown };
}

function isOutside(real: string, { root }: ReadContext): boolean {
  const way = relative(realpathSync(root), real);
  // On Windows, the relative path to another drive is absolute.
  return isAbsolute(way) || way.split(sep)[0] === '..';
}

/** Refuses links out of the folder, which may show any file, and names that a terminal may obey. */
function isRefused(origin: Origin, real: string, context: ReadContext): boolean {
  const { absolute, shown } = origin;
  const { issues } = context;
  const isLink = lstatSync(absolute).isSymbolicLink();
  if (isLink && isOutside(real, context)) {
    const message = 'this is a link out of this folder: put the file itself here';
    issues.error('outside', message, firstPlace(origin));
  } else if (printable(shown) !== shown) {
    const message = 'the name of this file holds an invisible character: rename it';
    issues.error('file-name', message, firstPlace(origin));
  } else return false;
  return true;
}

/** Returns an empty list after an error. */
export function readManifestFile(origin: Origin, issues: IssueList): Source[] {
  const read = () => readPlainFile(origin.absolute, mostBytes);
  const bytes = attempt(origin, issues, read, firstPlace(origin));
  if (bytes === undefined) return [];
  if (bytes.length > mostBytes) {
    const message = `the file has more than ${mostBytes} bytes: split it`;
    issues.error('too-large', message, firstPlace(origin));
    return [];
  }
  const source = new Source(origin, bytes.toString('utf8'), issues);
  if (isUtf8(bytes)) return [source];
  const at = source.at(source.text().indexOf('\uFFFD'));
  issues.error('not-utf8', 'this is not UTF-8: save the file as UTF-8', at);
  return [];
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist, or is a broken symbolic link',
  ENOTDIR: 'is not a folder: name its folder (only `tether validate` takes files)',
};

/** Returns undefined after an error of the file system. */
function attempt<Result>(
  { shown }: Origin,
  issues: IssueList,
  call: () => Result,
  at?: Position,
): Result | undefined {
  try {
    return call();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const failed = reasons[code] ?? `cannot be read (${code})`;
    const isOther = error instanceof NotAFile;
    const reason = isOther ? `is ${error.kind}, not a plain file: name files only` : failed;
    issues.error('unreadable', `${shown} ${reason}`, at);
    return undefined;
  }
}

function firstPlace({ shown }: Origin): Position {
  return { file: printable(shown), line: 1, column: 1 };
}
