/** Reads manifests into what they ask for, with every mistake at once. Reads no secret. */
import { resolve } from 'node:path';
import type { Issue, Registry } from '../resources/kind';
import { registry } from '../resources/registry';
import type { Lookups, Manifests } from './desired';
import { readDirectives } from './directives';
import { readEntry } from './entries';
import { decode, manifestsBelow, originsOf, type ReadContext, readManifestFile } from './files';
import { commonOrganization, commonProfile, type Header, readHeader } from './header';
import { IssueList, sortedIssues } from './issues';
import { addOwnedSets, readLine } from './links';
import { aliasIds, buildScope, type Scope } from './names';
import { manifestSchema } from './schema';
import { agreedLinks, type Lines } from './sets';
import { type Origin, Source } from './source';

export interface ReadOptions {
  /** Where paths start; the folder of the process when left out. */
  readonly cwd?: string;
  /** `--profile`: a name, or a file relative to `cwd`. It overrides the manifests' line. */
  readonly profile?: string | undefined;
  readonly registry?: Registry;
}

export interface ReadManifests {
  /** Null where there is an error among the issues. */
  readonly manifests: Manifests | null;
  /** Errors first, each in the order of the files. */
  readonly issues: readonly Issue[];
  /** For frames, by the `file` of a position. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Reads every manifest in a folder and below. A user's mistake is never thrown. */
export function readManifests(folder: string, options: ReadOptions = {}): ReadManifests {
  const context = contextOf(options, folder);
  return readOrigins(manifestsBelow(context), context, options);
}

/** Reads single files, for editors and commit hooks. What other files declare is not known then. */
export function readManifestFiles(files: readonly string[], options: ReadOptions = {}): ReadManifests {
  const context = contextOf(options);
  return readOrigins(originsOf(files, context), context, options);
}

function readOrigins(origins: Origin[], context: ReadContext, options: ReadOptions): ReadManifests {
  const sources = origins.flatMap((origin) => readManifestFile(origin, context.issues));
  return build(origins, sources, { ...options, ...context });
}

function contextOf(options: ReadOptions, folder = ''): ReadContext {
  const cwd = resolve(options.cwd ?? '');
  return { cwd, root: resolve(cwd, folder), issues: new IssueList() };
}

/** Reads one manifest from text. `file` is its name in positions; files that it names are relative to `folder`. */
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

/** Reads the same texts again, now that it is known what their names mean. Returns only the issues that this adds. */
export function readAgain(
  read: ReadManifests,
  options: ReadOptions & { readonly lookups: Lookups },
): ReadManifests {
  const context = contextOf(options, read.manifests?.folder);
  const sources = [...read.sources.values()].map((one) => new Source(one.origin, one.text(), context.issues));
  const origins = sources.map(({ origin }) => origin);
  const again = build(origins, sources, { ...options, ...context });
  const known = new Set(read.issues.map((issue) => JSON.stringify(issue)));
  return { ...again, issues: again.issues.filter((issue) => !known.has(JSON.stringify(issue))) };
}

/** These rules are silent while a file could not be read, because the name may be defined in there. */
const aboutOtherFiles = new Set(['unknown-alias', 'dangling-address']);

interface BuildOptions extends Omit<ReadOptions, 'cwd'>, ReadContext {
  readonly lookups?: Lookups;
}

/** `sources` are those of the origins that could be read. */
function build(origins: Origin[], sources: Source[], options: BuildOptions): ReadManifests {
  const { root, issues, registry: kinds = registry, lookups = null } = options;
  const headers = sources.flatMap((source) => readHeader(source, kinds) ?? []);
  const about = commonOrganization(headers);
  const { organization = '' } = about ?? {};
  const isOf = ({ organization: line }: Header) => line?.value === organization;
  const isSeveral = headers.some((one) => one.organization !== undefined && !isOf(one));
  // A file without that line may belong to any of several organizations.
  const own = isSeveral ? headers.filter(isOf) : headers;
  const { name: profileName, profile } = commonProfile(own, options, issues);
  const roots = own.map((one) => one.root);
  // The secrets of other files are not looked for.
  const others = sources.filter((source) => !roots.some((one) => one.source === source));
  for (const source of others) source.hideAllBut(wordsOf(manifestSchema(kinds)));
  const desired = readDesired(buildScope({ kinds, roots, root, organization, profile, lookups }));
  const isPart = own.length > 0 && own.length < origins.length;
  const reported = issues.all.filter(({ rule }) => !(isPart && aboutOtherFiles.has(rule)));
  const files = origins.map(({ shown }) => shown);
  const result = {
    issues: sortedIssues(reported, files, aboutOtherFiles),
    sources: new Map(sources.map((source) => [source.origin.shown, source])),
  };
  const isWrong = reported.some((one) => one.severity === 'error');
  if (isWrong || about === null || profile === null) return { manifests: null, ...result };
  return { manifests: { folder: root, ...about, profile, profileName, ...desired }, ...result };
}

/** All keys of a schema. A value is never among them. */
function wordsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [key, ...wordsOf(part)]);
}

/** The second pass, which knows what names mean. */
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
  const sets = lines.sets.map(({ definition, fixed, fixedField, label, spot }) => {
    return { kind: definition.kind, fixed: { [fixedField]: fixed.value }, label, at: spot.at };
  });
  const aliases = aliasIds(scope);
  const directives = readDirectives(scope, links);
  const { names, written } = scope;
  return {
    entries: [...entries, ...links.map(({ entry }) => entry)],
    sets,
    aliases,
    ...directives,
    names,
    written,
  };
}
