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

/** The manifests of these paths, each once, in the order of their names; and whether the root folder is among the paths. */
export function findFiles(
  paths: readonly string[],
  place: { readonly root: string; readonly cwd: string },
  findings: Findings,
): { readonly origins: readonly Origin[]; readonly wholeRoot: boolean } {
  const files = new Map<string, string>();
  let wholeRoot = false;
  const add = (file: string) => {
    const real = realpathSync(file);
    if (!files.has(real)) files.set(real, file);
  };
  for (const path of paths) {
    const absolute = resolve(place.cwd, path);
    const kind = attempt(path, findings, () => statSync(absolute), absolute);
    if (kind === undefined) continue;
    if (!kind.isDirectory()) {
      add(absolute);
      continue;
    }
    if (!relative(absolute, place.root).startsWith('..')) wholeRoot = true;
    const found = manifestsBelow(absolute, path, findings);
    if (found.length === 0) {
      const message = `there is no manifest in ${path}: looked for *.tether.yaml, *.tether.yml and *.tether.json in it and below, but not in node_modules and dot folders`;
      findings.error('no-manifests', {}, message);
    }
    for (const file of found) attempt(file, findings, () => add(file));
  }
  const origins = [...files.values()].map((absolute) => ({
    absolute,
    shown: forward(relative(place.cwd, absolute)),
    file: forward(relative(place.root, absolute)),
  }));
  return { origins: origins.sort((left, right) => (left.file < right.file ? -1 : 1)), wholeRoot };
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
