/** Manifests → desired: files found, read, parsed, merged and judged, with every mistake at once. Reads no secret. */
import { resolve } from 'node:path';
import type { Issue } from '../resources/kind';
import { type Registry, registry } from '../resources/registry';
import type { Manifests } from './desired';
import { findManifests, nameManifests } from './find-files';
import { Findings, place } from './findings';
import { mergeFiles } from './merge';
import { type Outline, outline } from './outline';
import { decode, readManifestFile } from './read-file';
import type { Located } from './reading';
import type { Origin, Source } from './source';

export interface ReadOptions {
  /** Where paths start and positions are relative to; the folder of the process when left out. */
  readonly cwd?: string;
  /** `--profile`: a name or a file relative to `cwd`; overrides the manifests' line. */
  readonly profile?: string;
  readonly registry?: Registry;
}

/** What manifests ask for, and all that is to be said of them. */
export interface ReadManifests {
  /** Null where there is an error among the issues. */
  readonly manifests: Manifests | null;
  /** Errors and warnings, in file order. */
  readonly issues: readonly Issue[];
  /** What was read, by the `file` of a position: the texts, for frames. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Reads every manifest of a folder, in it and below. Throws nothing for a user's mistake: `issues` has them all. The very same result as `earlier`, read with the same options, when no manifest has changed. */
export function readManifests(
  folder: string,
  options: ReadOptions = {},
  earlier?: ReadManifests,
): ReadManifests {
  const findings = new Findings();
  const place = { cwd: resolve(options.cwd ?? ''), root: resolve(options.cwd ?? '', folder) };
  const read = readAll(findManifests(folder, place, findings), findings);
  if (earlier !== undefined && findings.issues.length === 0 && isUnchanged(read, earlier)) return earlier;
  return build(read, findings, { ...options, ...place });
}

function isUnchanged(read: readonly ReadFile[], { sources }: ReadManifests): boolean {
  const isSame = ({ origin, source }: ReadFile) =>
    source !== null && sources.get(origin.shown)?.text() === source.text();
  return read.length === sources.size && read.every(isSame);
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

/** Rules that say nothing while a file could not be taken in: the name may be defined in there. */
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
  const { root, cwd, profile } = options;
  const outlines = read.flatMap(({ source }) => {
    const outlined = source === null ? null : outline(source, findings, kinds);
    if (outlined !== null) source?.showLines();
    return outlined ?? [];
  });
  const organization = findOrganization(outlines, findings);
  const own = outlines.filter((one) => belongsTo(organization, one));
  const manifests = mergeFiles(organization, own, { kinds, findings, root, cwd, profile });
  const incomplete = own.length > 0 && own.length < read.length;
  const files = new Map(
    read.flatMap(({ origin, source }) => (source === null ? [] : [[origin.shown, source] as const])),
  );
  const order = new Map(read.map(({ origin }, index) => [origin.shown, index]));
  const issues = firstOf(
    findings.issues
      .filter((issue) => !(incomplete && aboutOtherFiles.has(issue.rule)))
      .sort((left, right) => compare(left, right, order)),
  );
  const isSound = issues.every((issue) => issue.severity !== 'error');
  return { manifests: isSound ? manifests : null, issues, sources: files };
}

/** A slip in a generated file can make a hundred thousand mistakes; more of a kind than this are only counted. */
const mostIssues = 200;

function firstOf(issues: readonly Issue[]): readonly Issue[] {
  const counts = { error: 0, warning: 0 };
  const kept = issues.filter(({ severity }) => {
    counts[severity] += 1;
    return counts[severity] <= mostIssues;
  });
  const more = (['error', 'warning'] as const).flatMap((severity): Issue[] => {
    const rest = counts[severity] - mostIssues;
    const message = `and ${rest} more, which are told when these are corrected`;
    return rest > 0 ? [{ rule: 'more', severity, message, path: '' }] : [];
  });
  return [...kept, ...more];
}

/** The one organization of all files; every other one is told. A file that names none belongs to it. */
function findOrganization(outlines: readonly Outline[], findings: Findings): Located | null {
  const named = outlines.flatMap((one) => one.organization ?? []);
  const [first, ...others] = named;
  const [unnamed] = outlines;
  if (
    first === undefined &&
    unnamed !== undefined &&
    outlines.every((one) => one.organization === undefined)
  ) {
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    findings.error('missing-field', { at: unnamed.source.at(0), path: 'organization' }, message);
  }
  for (const { text, at } of others) {
    if (text === first?.text) continue;
    const message = `organization \`${text}\`, but \`${first?.text}\` at ${first && place(first.at)}: one folder has one organization; another one is another folder with its own ledger`;
    findings.error(
      'second-organization',
      { at, path: 'organization' },
      message,
      ...(first ? [first.at] : []),
    );
  }
  return first ?? null;
}

function belongsTo(organization: Located | null, { organization: own }: Outline): boolean {
  return own === undefined || own === null || own.text === organization?.text;
}

function compare(left: Issue, right: Issue, order: ReadonlyMap<string, number>): number {
  const rank = (issue: Issue) => (issue.at === undefined ? -1 : (order.get(issue.at.file) ?? 0));
  return (
    rank(left) - rank(right) ||
    (left.at?.line ?? 0) - (right.at?.line ?? 0) ||
    (left.at?.column ?? 0) - (right.at?.column ?? 0)
  );
}
