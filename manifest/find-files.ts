/** Which files a run reads: the manifests of folders, and files that are named. */
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Findings } from './findings';
import type { Origin } from './source';

const ending = /\.tether\.(yaml|yml|json)$/;

/** True for the names that are looked for in folders. */
export function isManifestName(name: string): boolean {
  return ending.test(name);
}

/** Where paths start, and what file names in the ledger are relative to. */
interface Place {
  readonly cwd: string;
  readonly root: string;
}

/** The manifests of a folder, in it and below, in the order of their names. */
export function findManifests(folder: string, place: Place, findings: Findings): readonly Origin[] {
  const absolute = resolve(place.cwd, folder);
  const found = attempt(folder, findings, () => statSync(absolute), absolute);
  if (found === undefined) return [];
  if (!found.isDirectory()) {
    const message = `${folder} is not a folder: a folder is the unit; \`tether validate\` takes files`;
    findings.error('not-a-folder', {}, message);
    return [];
  }
  const files = manifestsBelow(absolute, folder, findings);
  if (files.length === 0) {
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

/** Each file once, by whatever names it was found. */
function originsOf(files: readonly string[], { cwd, root }: Place, findings: Findings): readonly Origin[] {
  const byPath = new Map<string, string>();
  for (const file of files) {
    const real = attempt(file, findings, () => realpathSync(file));
    if (real !== undefined && !byPath.has(real)) byPath.set(real, file);
  }
  const origins = [...byPath.values()].map((absolute) => ({
    absolute,
    shown: forward(relative(cwd, absolute)),
    file: forward(relative(root, absolute)),
  }));
  return origins.sort((left, right) => (left.file < right.file ? -1 : 1));
}

function manifestsBelow(folder: string, shown: string, findings: Findings): string[] {
  const entries = attempt(shown, findings, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const skipped = entry.name === 'node_modules' || entry.name.startsWith('.');
      return skipped ? [] : manifestsBelow(path, join(shown, entry.name), findings);
    }
    const readable = entry.isFile() || entry.isSymbolicLink();
    return readable && isManifestName(entry.name) ? [path] : [];
  });
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
