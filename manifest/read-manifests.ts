/** Manifests → desired: files found, read, parsed, merged and judged, with every mistake at once. Reads no secret. */
import { resolve } from 'node:path';
import { type Registry, registry } from '../resources';
import type { Issue } from '../resources/issue';
import type { LoadedFile, Manifests } from './desired';
import { findManifests, nameManifests } from './find-files';
import { Findings, place } from './findings';
import { groupBy } from './group-by';
import { readOrganization, type Setting } from './organization';
import { type Outline, outline } from './outline';
import { decode, readManifestFile } from './read-file';
import type { Origin, Source } from './source';

export interface ReadOptions {
  /** Where paths start and positions are relative to; the folder of the process when left out. */
  readonly cwd?: string;
  /** `--profile`: a name or a file relative to `cwd`; overrides the manifests' line. */
  readonly profile?: string;
  readonly registry?: Registry;
}

/** Desired state and, for frames, the texts it was read from, by the `file` of a position. */
export interface ReadManifests extends Manifests {
  readonly sources: ReadonlyMap<string, Source>;
}

/** Reads every manifest of a folder, in it and below. Throws nothing for a user's mistake: `issues` has them all. */
export function readManifests(folder: string, options: ReadOptions = {}): ReadManifests {
  const findings = new Findings();
  const place = { cwd: resolve(options.cwd ?? ''), root: resolve(options.cwd ?? '', folder) };
  return build(readAll(findManifests(folder, place, findings), findings), findings, { ...options, ...place });
}

/** Reads single files, for editors and commit hooks: what only other files declare is not known then. */
export function readManifestFiles(files: readonly string[], options: ReadOptions = {}): ReadManifests {
  const findings = new Findings();
  const cwd = resolve(options.cwd ?? '');
  const origins = nameManifests(files, { cwd, root: cwd }, findings);
  return build(readAll(origins, findings), findings, { ...options, cwd, root: cwd });
}

/** Reads one manifest from text (YAML or JSON); `file` is its name in positions, and what it names is beside it in `folder`. */
export function parseManifest(
  text: string,
  file: string,
  options: Omit<ReadOptions, 'cwd'> & { readonly folder?: string } = {},
): ReadManifests {
  const findings = new Findings();
  const { folder = '/', ...rest } = options;
  const origin: Origin = { shown: file, file, absolute: resolve(folder, file) };
  const read = { origin, source: decode(Buffer.from(text), origin, findings) };
  return build([read], findings, { ...rest, cwd: folder, root: folder });
}

function readAll(origins: readonly Origin[], findings: Findings): readonly ReadFile[] {
  return origins.map((origin) => ({ origin, source: readManifestFile(origin, findings) }));
}

/** Rules that say nothing while a file could not be read: the name may be defined in there. */
const aboutOtherFiles = new Set(['unknown-alias', 'dangling-address']);

interface ReadFile {
  readonly origin: Origin;
  readonly source: Source | null;
}

function build(
  read: readonly ReadFile[],
  findings: Findings,
  options: ReadOptions & { readonly cwd: string; readonly root: string },
): ReadManifests {
  const kinds = options.registry ?? registry;
  const setting: Setting = {
    kinds,
    findings,
    root: options.root,
    cwd: options.cwd,
    profile: options.profile,
  };
  const outlines = new Map<Origin, Outline>();
  for (const { origin, source } of read) {
    const outlined = source === null ? null : outline(source, findings, kinds);
    if (outlined !== null) outlines.set(origin, outlined);
  }
  const named = new Set([...outlines.values()].flatMap((one) => one.organization?.text ?? []));
  // A file that does not say whose it is most likely belongs to the only organization there is.
  const fallback = named.size === 1 ? [...named][0] : undefined;
  const groups = groupBy(outlines.values(), (one) => one.organization?.text ?? fallback ?? null);
  const organizations = [...groups].flatMap(
    ([name, members]) => readOrganization(name, members, setting) ?? [],
  );
  tellSharedIds(organizations, findings);
  const incomplete = outlines.size > 0 && outlines.size < read.length;
  const files = read.flatMap(({ origin, source }): LoadedFile[] =>
    source === null
      ? []
      : [{ file: origin.file, organization: outlines.get(origin)?.organization?.text ?? null }],
  );
  const sources = read.flatMap(({ origin, source }) =>
    source === null ? [] : [[origin.shown, source] as const],
  );
  const order = new Map(read.map(({ origin }, index) => [origin.shown, index]));
  return {
    folder: options.root,
    organizations,
    files,
    issues: findings.issues
      .filter((issue) => !(incomplete && aboutOtherFiles.has(issue.rule)))
      .sort((left, right) => compare(left, right, order)),
    sources: new Map(sources),
  };
}

/** Ids are unique in the whole service, so two addresses of any organizations that claim one are a mistake. */
function tellSharedIds(organizations: Manifests['organizations'], findings: Findings): void {
  const owners = new Map<string, Manifests['organizations'][number]['entries'][number]>();
  for (const entry of organizations.flatMap((one) => one.entries)) {
    if (entry.id === undefined || entry.idAt === undefined) continue;
    const owner = owners.get(entry.id);
    if (owner?.idAt === undefined) owners.set(entry.id, entry);
    else {
      const message = `${entry.address} and ${owner.address} (at ${place(owner.idAt)}) both claim ${entry.id}: one object has one address`;
      findings.error('same-id-twice', { at: entry.idAt, path: 'id' }, message, owner.idAt);
    }
  }
}

function compare(left: Issue, right: Issue, order: ReadonlyMap<string, number>): number {
  const rank = (issue: Issue) => (issue.at === undefined ? -1 : (order.get(issue.at.file) ?? 0));
  return (
    rank(left) - rank(right) ||
    (left.at?.line ?? 0) - (right.at?.line ?? 0) ||
    (left.at?.column ?? 0) - (right.at?.column ?? 0)
  );
}
