/** Reads manifests into plain values. It reads no secret. */
import { resolve } from 'node:path';
import type { Issue } from '../resources/kind';
import type { Lookups } from '../resources/names';
import { loadValidator } from '../resources/validator';
import type { Manifests } from './desired';
import { readDirectives } from './directives';
import { readEntry } from './entries';
import { findManifests, type ReadContext, readManifestFile, resolveOrigins } from './files';
import { chooseProfile, readAddresses, readLedgerPlace, readOrganization, readRoot } from './header';
import { IssueList, sortedIssues } from './issues';
import { readLinks } from './links';
import { apiVersion, manifestSchema } from './schema';
import { Scope } from './scope';
import { agreedLinks } from './sets';
import { checkShapes } from './shape';
import { Source } from './source';

export interface ReadOptions {
  /** Relative paths start here. The default is the working directory of the process. */
  readonly cwd?: string;
  /** The profile of `--profile` or `TETHER_PROFILE`: a name, or a file relative to `cwd`. */
  readonly profile?: string | undefined;
  /** The meaning of names, once a run has looked them up. */
  readonly lookups?: Lookups;
}

export interface ReadManifests {
  /** It is null when the issues contain an error. */
  readonly manifests: Manifests | null;
  /** Errors come before warnings, and each in the order of the files. */
  readonly issues: readonly Issue[];
  /** The sources for frames. The keys are the `file` of a position. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Reads a folder with its subfolders, or single files. It never throws a user's mistake. */
export function readManifests(from: string | readonly string[], options: ReadOptions = {}): ReadManifests {
  const isFolder = typeof from === 'string';
  const context = makeContext(options, isFolder ? from : '');
  const origins = isFolder ? findManifests(context) : resolveOrigins(from, context);
  const sources = origins.flatMap((origin) => readManifestFile(origin, context));
  return build(sources, context, options);
}

function makeContext(options: ReadOptions, folder = ''): ReadContext {
  const cwd = resolve(options.cwd ?? '');
  return { cwd, root: resolve(cwd, folder), issues: new IssueList() };
}

/** Reads one manifest from text. `file` is its name in positions. */
export function parseManifest(text: string, file: string, options: ReadOptions = {}): ReadManifests {
  const context = makeContext(options);
  const origin = { relativePath: file, absolute: resolve(context.cwd, file) };
  return build([new Source(origin, text, context.issues)], context, options);
}

/** Reads the same texts again, with `lookups`. */
export function readAgain({ manifests, sources }: ReadManifests, options: ReadOptions): ReadManifests {
  const context = makeContext(options, manifests?.folder);
  const copies = [...sources.values()].map(
    (source) => new Source(source.origin, source.text(), context.issues),
  );
  return build(copies, context, options);
}

/** Later passes leave out what an earlier one reported, so that all mistakes are found at once. */
function build(sources: readonly Source[], context: ReadContext, options: ReadOptions): ReadManifests {
  const { root: folder, issues } = context;
  const { lookups = null } = options;
  const areAllRead = !issues.hasErrors();
  const schema = manifestSchema();
  for (const key of [apiVersion, ...listKeys(schema)]) issues.publicWords.add(key);
  const roots = sources.flatMap((source) => readRoot(source) ?? []);
  const owner = readOrganization(roots);
  // Nothing before this reports a value, which may repeat a literal secret that is found here.
  checkShapes(roots, loadValidator('manifest'), issues);
  const service = owner && chooseProfile(roots, options.profile, context);
  const ledger = readLedgerPlace(roots);
  const addresses = readAddresses(roots);
  const bySource = new Map(sources.map((source) => [source.origin.relativePath, source]));
  const result = (manifests: Manifests | null): ReadManifests => ({
    manifests: issues.hasErrors() ? null : manifests,
    issues: sortedIssues(issues.all),
    sources: bySource,
  });
  // A file that could not be read may declare the name.
  const isWhole = areAllRead && roots.length === sources.length;
  if (owner === null || service === null || !isWhole) return result(null);
  const scope = new Scope({ roots, folder, lookups, ...owner, ...service });
  return result({ folder, ledger, addresses, lookups, ...owner, ...service, ...readDesired(scope) });
}

function listKeys(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [key, ...listKeys(part)]);
}

function readDesired(scope: Scope) {
  const entries = [...scope.entries.values()].map((entry) => readEntry(scope, entry));
  const declaredLinks = readLinks(scope);
  const links = agreedLinks(declaredLinks, scope);
  const sets = declaredLinks.sets.map(({ definition, fixed, fixedField, label, node }) => {
    return { kind: definition.kind, fixed: { [fixedField]: fixed.value }, label, at: node.at };
  });
  const directives = readDirectives(scope, new Map(links.map(({ entry, node }) => [entry.address, node])));
  // Every reference is resolved by now, so the scope knows all names.
  const { nameReferences, namesById } = scope;
  const desired = [...entries, ...links.map(({ entry }) => entry)];
  return { entries: desired, sets, nameReferences, namesById, ...directives };
}
