/** Finds the manifests of a run, and reads their text. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { NotAFile, readPlainFile, unlessItFails } from '../resources/plain-file';
import { type IssueList, printable } from './issues';
import { ledgerFileName } from './ledger-place';
import { type Origin, Source } from './source';

const maxBytes = 5_000_000;
const manifestName = /\.tether\.(?:yaml|yml|json)$/;
const skipped = /^(?:node_modules$|\.)/;

export interface ReadContext {
  /** Relative paths start here. */
  readonly cwd: string;
  /** The folder, as an absolute path. */
  readonly root: string;
  readonly issues: IssueList;
}

export function findManifests(context: ReadContext): Origin[] {
  const { cwd, root, issues } = context;
  const origin = toOrigin(root, context);
  const real = tryRead(origin, context, () => realpathSync(root));
  if (real === undefined) return [];
  // A pull request may add a link, and the command names all folders of a checkout.
  const checkout = leaves(cwd, root) ? dirname(root) : cwd;
  if (leaves(realpathSync(checkout), real)) {
    refuse(origin, context, 'outside', `${origin.relativePath} ${linkOut}`);
    return [];
  }
  refuseLedgerAbove(real, context);
  const files = listFiles(root, context);
  if (files.length === 0 && issues.all.length === 0) {
    const message = `there is no *.tether.yaml, *.tether.yml or *.tether.json in ${origin.relativePath} or below`;
    issues.error('no-manifests', message);
  }
  return resolveOrigins(files, context);
}

function listFiles(folder: string, context: ReadContext): string[] {
  const list = () => readdirSync(folder, { withFileTypes: true });
  const entries = tryRead(toOrigin(folder, context), context, list) ?? [];
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) return skipped.test(name) ? [] : listFiles(path, context);
    // Editors and macOS leave such files beside a manifest.
    const isDotFile = name.startsWith('.');
    if (manifestName.test(name) && !isDotFile) return [path];
    const origin = toOrigin(path, context);
    if (name === ledgerFileName && folder !== context.root) {
      refuse(origin, context, 'nested-ledger', secondLedger);
    }
    const isLink = entry.isSymbolicLink() && !skipped.test(name);
    if (isLink && isFolder(path)) refuse(origin, context, 'linked-folder', linkedFolder);
    if (isDotFile && manifestName.test(name)) {
      const bytes = unlessItFails(() => readPlainFile(path, maxBytes));
      refuseStray(bytes ?? undefined, origin, context, 'begins with a dot');
    } else if (
      !isDotFile &&
      !name.startsWith(ledgerFileName) &&
      entry.isFile() &&
      /\.(?:ya?ml|json)$/i.test(name)
    ) {
      const bytes = tryRead(origin, context, () => readPlainFile(path, maxBytes));
      refuseStray(bytes, origin, context, 'does not end in .tether.yaml');
    }
    return [];
  });
}

const linkOut =
  'is a link out of the folder that it stands in: remove the link, or run the command in the folder that it leads to';

// A folder behind a link may have manifests. Without them, Tether would delete what they declare.
const linkedFolder =
  'this is a link to a folder, which is not followed: put the folder itself here, or remove the link';

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

function isFolder(path: string): boolean {
  return unlessItFails(() => statSync(path).isDirectory()) ?? false;
}

/** Refuses a manifest with a wrong file name. Without it, Tether would delete what the file declares. */
function refuseStray(bytes: Buffer | undefined, origin: Origin, context: ReadContext, why: string): void {
  if (!bytes || !version.test(bytes.toString('utf8'))) return;
  const message = `this manifest is not read, because its name ${why}: rename or move it`;
  refuse(origin, context, 'other-ending', message);
}

/** Inside braces, `apiVersion` may stand anywhere. */
const version = /(?:^\uFEFF?(?:\s*\{[\s\S]*?)?|\n)["']?apiVersion["']?\s*:\s*["']?tether\//;

export function resolveOrigins(files: readonly string[], context: ReadContext): Origin[] {
  const byPath = new Map<string, Origin>();
  for (const file of files) {
    const origin = toOrigin(resolve(context.cwd, file), context);
    const real = tryRead(origin, context, () => realpathSync(origin.absolute));
    if (real === undefined || byPath.has(real)) continue;
    const problem = findPathProblem(origin, context);
    if (problem) refuse(origin, context, ...problem);
    else byPath.set(real, origin);
  }
  return [...byPath.values()].sort((left, right) => (left.relativePath < right.relativePath ? -1 : 1));
}

function toOrigin(absolute: string, { cwd }: ReadContext): Origin {
  const path = relative(cwd, absolute).replaceAll('\\', '/') || '.';
  // A line of a log that begins with `::` is a command to GitHub.
  return { absolute, relativePath: /^[\s:]/.test(path) ? `./${path}` : path };
}

/** Finds links out of the folder, which may show any file, and names that a terminal may obey. */
function findPathProblem(
  { absolute, relativePath }: Origin,
  { root }: ReadContext,
): [string, string] | undefined {
  const mayLeave = lstatSync(absolute).isSymbolicLink() || !leaves(root, absolute);
  if (mayLeave && leaves(realpathSync(root), realpathSync(absolute))) {
    return ['outside', 'this is, or lies behind, a link out of this folder: put the file itself here'];
  }
  if (printable(relativePath) === relativePath) return undefined;
  return ['file-name', 'the name of this file holds an invisible character: rename it'];
}

function leaves(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  // On Windows, the relative path to another drive is absolute.
  return isAbsolute(relativePath) || relativePath.split(sep)[0] === '..';
}

/** Returns an empty list after an error. */
export function readManifestFile(origin: Origin, context: ReadContext): Source[] {
  const bytes = tryRead(origin, context, () => readPlainFile(origin.absolute, maxBytes));
  if (bytes === undefined) return [];
  if (bytes.length > maxBytes) {
    refuse(origin, context, 'too-large', `the file has more than ${maxBytes} bytes: split it`);
    return [];
  }
  const source = new Source(origin, bytes.toString('utf8'), context.issues);
  if (isUtf8(bytes)) return [source];
  const at = source.at(source.text().indexOf('\uFFFD'));
  context.issues.error('not-utf8', 'this is not UTF-8: save the file as UTF-8', at);
  return [];
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist, or is a broken symbolic link',
  ENOTDIR: 'is not a folder: name its folder (only `tether validate` takes files)',
};

/** Returns undefined after an error of the file system. */
function tryRead<Result>(origin: Origin, context: ReadContext, call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const failure = reasons[code] ?? `cannot be read (${code})`;
    const isOther = error instanceof NotAFile;
    const reason = isOther ? `is ${error.kind}, not a plain file: name files only` : failure;
    refuse(origin, context, 'unreadable', `${origin.relativePath} ${reason}`);
    return undefined;
  }
}

/** The folder of the command has no position. */
function refuse(
  { absolute, relativePath }: Origin,
  { issues, root }: ReadContext,
  rule: string,
  message: string,
): void {
  const at = { file: printable(relativePath), line: 1, column: 1 };
  issues.error(rule, message, absolute === root ? undefined : at);
}
