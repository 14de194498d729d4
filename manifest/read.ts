/** Manifests → desired, with every mistake at once. Reads no secret. */
import { resolve } from 'node:path';
import { groupBy } from '../resources/groups';
import type { Issue, Registry } from '../resources/kind';
import { registry } from '../resources/registry';
import type { Manifests } from './desired';
import { readDirectives } from './directives';
import { readEntry } from './entries';
import { decode, manifestsBelow, originsOf, type ReadContext, readManifestFile } from './files';
import { commonOrganization, commonProfile, readHeader } from './header';
import { IssueList } from './issues';
import { addOwnedSets, readLine } from './links';
import { buildScope, type Scope } from './names';
import { agreedLinks, type Lines } from './sets';
import { type Origin, Source } from './source';

export interface ReadOptions {
  /** Where paths start; the folder of the process when left out. */
  readonly cwd?: string;
  /** `--profile`: a name or a file relative to `cwd`; overrides the manifests' line. */
  readonly profile?: string | undefined;
  /** `--organization`: of a folder whose files name none, or that has no manifest yet. */
  readonly organization?: string | undefined;
  readonly registry?: Registry;
}

export interface ReadManifests {
  /** Null where there is an error among the issues. */
  readonly manifests: Manifests | null;
  /** In file order. */
  readonly issues: readonly Issue[];
  /** For frames, by the `file` of a position. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Every manifest in a folder and below. A user's mistake is never thrown. `earlier`, of the same options, is returned where no manifest has changed. */
export function readManifests(
  folder: string,
  options: ReadOptions = {},
  earlier?: ReadManifests,
): ReadManifests {
  const context = contextOf(options, folder);
  const { issues } = context;
  const origins = manifestsBelow(context, options.organization !== undefined);
  const sources = origins.flatMap((origin) => readManifestFile(origin, issues));
  const isSame = (source: Source) => earlier?.sources.get(source.origin.shown)?.text() === source.text();
  const isUnchanged = earlier?.sources.size === sources.length && sources.every(isSame);
  if (earlier && issues.all.length === 0 && isUnchanged) return earlier;
  return build(origins, sources, { ...options, ...context });
}

/** Single files, for editors and commit hooks: what others declare is not known then. */
export function readManifestFiles(files: readonly string[], options: ReadOptions = {}): ReadManifests {
  const context = contextOf(options);
  const origins = originsOf(files, context);
  const sources = origins.flatMap((origin) => readManifestFile(origin, context.issues));
  return build(origins, sources, { ...options, ...context });
}

function contextOf(options: ReadOptions, folder = '') {
  const cwd = resolve(options.cwd ?? '');
  return { cwd, root: resolve(cwd, folder), issues: new IssueList() };
}

/** One manifest from text (YAML or JSON); `file` is its name in positions, and what it names is beside it in `folder`. */
export function parseManifest(
  text: string,
  file: string,
  { folder = '/', ...options }: Omit<ReadOptions, 'cwd'> & { readonly folder?: string } = {},
): ReadManifests {
  const issues = new IssueList();
  const origin = { shown: file, file, absolute: resolve(folder, file) };
  const sources = decode(Buffer.from(text), origin, issues);
  return build([origin], sources, { ...options, cwd: folder, root: folder, issues });
}

/** The same texts again, now that it is known what their names mean; with the issues that only this shows. */
export function readAgain(
  read: ReadManifests,
  options: ReadOptions & Pick<ReadContext, 'lookups'>,
): ReadManifests {
  const context = contextOf(options, read.manifests?.folder);
  const sources = [...read.sources.values()].map((one) => new Source(one.origin, one.text(), context.issues));
  const origins = sources.map(({ origin }) => origin);
  const again = build(origins, sources, { ...options, ...context });
  const known = new Set(read.issues.map((issue) => JSON.stringify(issue)));
  return { ...again, issues: again.issues.filter((issue) => !known.has(JSON.stringify(issue))) };
}

/** Rules that say nothing while a file could not be taken in: the name may be defined in there. */
const aboutOtherFiles = new Set(['unknown-alias', 'dangling-address']);

/** `sources`: of these origins, those that could be read. */
function build(origins: Origin[], sources: Source[], options: ReadOptions & ReadContext): ReadManifests {
  const { root, issues, registry: kinds = registry, lookups = null } = options;
  const headers = sources.flatMap((source) => readHeader(source, kinds) ?? []);
  const organization = commonOrganization(headers, options.organization);
  const own = headers.filter((one) => !one.organization || one.organization.value === organization?.text);
  const { name, profile } = commonProfile(own, options, issues);
  const roots = own.map((one) => one.root);
  // The secrets of others are not looked for, so no frame shows anything of them.
  for (const { source } of roots) source.isShown = true;
  const scope = buildScope({ kinds, roots, root, organization: organization?.text ?? '', profile, lookups });
  const desired = readDesired(scope);
  const isPart = own.length > 0 && own.length < origins.length;
  const reported = issues.all.filter(({ rule }) => !(isPart && aboutOtherFiles.has(rule)));
  const result = {
    issues: firstOf(oncePerName(inFileOrder(reported, origins))),
    sources: new Map(sources.map((source) => [source.origin.shown, source])),
  };
  const isWrong = reported.some((one) => one.severity === 'error');
  if (isWrong || organization === undefined || profile === null) return { manifests: null, ...result };
  const { text, at } = organization;
  const about = { organization: text, organizationAt: at, profile, profileName: name };
  return { manifests: { folder: root, ...about, ...desired }, ...result };
}

/** Second pass: what names mean. */
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
  const declared = () =>
    new Map([...scope.addresses, ...links.map(({ entry, spot }) => [entry.address, spot] as const)]);
  const sets = lines.sets.map(({ definition, fixed, fixedField, label, spot }) => {
    const { file } = spot.source.origin;
    return { kind: definition.kind, fixed: { [fixedField]: fixed.value }, label, file, at: spot.at };
  });
  const desired = [...entries, ...links.map((link) => link.entry)];
  const { named, written } = scope;
  return {
    entries: desired,
    sets,
    aliases: idsOf(scope),
    ...readDirectives(scope, declared),
    named,
    written,
  };
}

function idsOf({ aliases: { workspaces, projects, agentPools } }: Scope): Manifests['aliases'] {
  // One without an id was reported.
  const ids = (section: typeof workspaces) =>
    Object.fromEntries([...section].map(([name, { id = '' }]) => [name, id]));
  return { workspaces: ids(workspaces), projects: ids(projects), agentPools: ids(agentPools) };
}

function inFileOrder(issues: Issue[], origins: Origin[]) {
  const order = new Map(origins.map(({ shown }, index) => [shown, index]));
  const rank = ({ at }: Issue) => (at === undefined ? -1 : (order.get(at.file) ?? 0));
  return [...issues].sort(
    (left, right) =>
      rank(left) - rank(right) ||
      (left.at?.line ?? 0) - (right.at?.line ?? 0) ||
      (left.at?.column ?? 0) - (right.at?.column ?? 0),
  );
}

/** A name that nothing declares is one mistake, however many lines use it: the first place, and the others beside it. */
function oncePerName(issues: Issue[]): Issue[] {
  const groups = groupBy(issues, (issue) => (aboutOtherFiles.has(issue.rule) ? issue.message : issue));
  return [...groups.values()].flatMap(([first, ...others]) => {
    const related = others.flatMap(({ at }) => at ?? []);
    return first === undefined ? [] : [{ ...first, ...(related.length > 0 && { related }) }];
  });
}

/** At most so many errors, and as many warnings: a slip in a generated file can make a hundred thousand. */
const mostIssues = 200;

function firstOf(issues: Issue[]): Issue[] {
  const groups = [...groupBy(issues, ({ severity }) => severity)];
  const left = new Set(groups.flatMap(([, some]) => some.slice(mostIssues)));
  const more = groups.flatMap(([severity, { length }]): Issue[] => {
    const message = `and ${length - mostIssues} more ${severity}s, shown once these are fixed`;
    return length > mostIssues ? [{ rule: 'more', severity, message, path: '' }] : [];
  });
  return [...issues.filter((issue) => !left.has(issue)), ...more];
}
