/** Manifests → desired, with every mistake at once. Reads no secret. */
import { resolve } from 'node:path';
import type { Issue, Registry } from '../resources/kind';
import { registry } from '../resources/registry';
import type { Manifests } from './desired';
import { readDirectives } from './directives';
import { readEntry } from './entries';
import { decode, manifestsBelow, manifestsNamed, type Place, readManifestFile } from './files';
import { commonOrganization, commonProfile, readHeader } from './header';
import { IssueList } from './issues';
import { addOwnedSets, readLine } from './links';
import { buildScope, type Scope } from './names';
import { agreedLinks, type Lines } from './sets';
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

/** Every manifest in a folder and below. A user's mistake is never thrown. The very same result as `earlier`, read with the same options, when no manifest has changed. */
export function readManifests(
  folder: string,
  options: ReadOptions = {},
  earlier?: ReadManifests,
): ReadManifests {
  const issues = new IssueList();
  const cwd = resolve(options.cwd ?? '');
  const place = { cwd, root: resolve(cwd, folder), issues };
  const read = readAll(manifestsBelow(folder, place), issues);
  if (earlier !== undefined && issues.all.length === 0 && isUnchanged(read, earlier)) return earlier;
  return build(read, { ...options, ...place });
}

/** Single files, for editors and commit hooks: what only other files declare is not known then. */
export function readManifestFiles(files: readonly string[], options: ReadOptions = {}): ReadManifests {
  const issues = new IssueList();
  const cwd = resolve(options.cwd ?? '');
  const place = { cwd, root: cwd, issues };
  return build(readAll(manifestsNamed(files, place), issues), { ...options, ...place });
}

/** One manifest from text (YAML or JSON); `file` is its name in positions, and what it names is beside it in `folder`. */
export function parseManifest(
  text: string,
  file: string,
  { folder = '/', ...options }: Omit<ReadOptions, 'cwd'> & { readonly folder?: string } = {},
): ReadManifests {
  const issues = new IssueList();
  const origin: Origin = { shown: file, file, absolute: resolve(folder, file) };
  const read = { origin, source: decode(Buffer.from(text), origin, issues) };
  return build([read], { ...options, cwd: folder, root: folder, issues });
}

interface ReadFile {
  origin: Origin;
  /** Null for one that could not be taken in, which was told. */
  source: Source | null;
}

function readAll(origins: Origin[], issues: IssueList) {
  return origins.map((origin) => ({ origin, source: readManifestFile(origin, issues) }));
}

function isUnchanged(read: ReadFile[], { sources }: ReadManifests): boolean {
  const isSame = ({ origin, source }: ReadFile) =>
    source !== null && sources.get(origin.shown)?.text() === source.text();
  return read.length === sources.size && read.every(isSame);
}

/** Rules that say nothing while a file could not be taken in: the name may be defined in there. */
const aboutOtherFiles = new Set(['unknown-alias', 'dangling-address']);

function build(read: ReadFile[], options: ReadOptions & Place): ReadManifests {
  const { root, issues, registry: kinds = registry } = options;
  const sources = read.flatMap(({ source }) => source ?? []);
  const headers = sources.flatMap((source) => readHeader(source, kinds) ?? []);
  const organization = commonOrganization(headers);
  const own = headers.filter((one) => !one.organization || one.organization.text === organization?.text);
  const { name, profile } = commonProfile(own, options, issues);
  const roots = own.map((one) => one.root);
  // The secrets of others are not looked for, so no frame shows anything of them.
  for (const { source } of roots) source.isShown = true;
  const scope = buildScope({ kinds, roots, root, organization: organization?.text ?? '', profile });
  const desired = readDesired(scope);
  const incomplete = own.length > 0 && own.length < read.length;
  const told = issues.all.filter(({ rule }) => !(incomplete && aboutOtherFiles.has(rule)));
  const isSound = told.every((one) => one.severity !== 'error');
  return {
    manifests:
      isSound && organization !== undefined && profile !== null
        ? {
            folder: root,
            organization: organization.text,
            organizationAt: organization.node.at,
            profile,
            profileName: name,
            ...desired,
          }
        : null,
    issues: firstOf(inFileOrder(told, read)),
    sources: new Map(sources.map((source) => [source.origin.shown, source])),
  };
}

/** Second pass: everything that names something. */
function readDesired(scope: Scope) {
  const entries = scope.entries.flatMap((node) => readEntry(scope, node) ?? []);
  const lines: Lines = { links: [], sets: [] };
  for (const node of scope.entries) addOwnedSets(scope, node, lines);
  for (const root of scope.roots) {
    for (const definition of scope.kinds) {
      const { name, form } = definition.section;
      const items = form === 'links' ? (root.get(name)?.items ?? []) : [];
      for (const line of items) readLine(scope, definition, line, lines);
    }
  }
  const links = agreedLinks(lines, scope.profile);
  const live = new Map([...scope.addresses, ...links.map(({ entry }) => [entry.address, entry.at] as const)]);
  const sets = lines.sets.map(({ definition, fixed, fixedField, label, spot }) => {
    const { file } = spot.source.origin;
    return { kind: definition.kind, fixed: { [fixedField]: fixed.value }, label, file, at: spot.at };
  });
  const desired = [...entries, ...links.map((link) => link.entry)];
  return { entries: desired, sets, aliases: idsOf(scope), ...readDirectives(scope, live) };
}

function idsOf({ aliases: { workspaces, projects, agentPools } }: Scope): Manifests['aliases'] {
  const ids = (section: typeof workspaces) =>
    Object.fromEntries([...section].flatMap(([name, { id }]) => (id === undefined ? [] : [[name, id]])));
  return { workspaces: ids(workspaces), projects: ids(projects), agentPools: ids(agentPools) };
}

function inFileOrder(issues: Issue[], read: ReadFile[]) {
  const order = new Map(read.map(({ origin }, index) => [origin.shown, index]));
  const rank = ({ at }: Issue) => (at === undefined ? -1 : (order.get(at.file) ?? 0));
  return [...issues].sort(
    (left, right) =>
      rank(left) - rank(right) ||
      (left.at?.line ?? 0) - (right.at?.line ?? 0) ||
      (left.at?.column ?? 0) - (right.at?.column ?? 0),
  );
}

/** A slip in a generated file can make a hundred thousand mistakes; more of a kind than this are only counted. */
const mostIssues = 200;

function firstOf(issues: Issue[]): Issue[] {
  const counts = { error: 0, warning: 0 };
  const kept = issues.filter(({ severity }) => {
    counts[severity] += 1;
    return counts[severity] <= mostIssues;
  });
  const more = (['error', 'warning'] as const).flatMap((severity): Issue[] => {
    const rest = counts[severity] - mostIssues;
    const message = `and ${rest} more, shown once these are fixed`;
    return rest > 0 ? [{ rule: 'more', severity, message, path: '' }] : [];
  });
  return [...kept, ...more];
}
