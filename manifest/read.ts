/** Reads manifests into plain values. It reads no secret. */
import { resolve } from 'node:path';
import type { Issue } from '../resources/kind';
import { loadValidator } from '../resources/validator';
import type { Lookups, Manifests } from './desired';
import { readDirectives } from './directives';
import { readEntry } from './entries';
import { manifestsBelow, originsOf, type ReadContext, readManifestFile } from './files';
import { commonAddresses, commonLedger, commonOrganization, commonProfile, readRoot } from './header';
import { IssueList, sortedIssues } from './issues';
import { LinkReader } from './links';
import { Scope } from './names';
import { apiVersion, manifestSchema } from './schema';
import { agreedLinks } from './sets';
import { checkShapes } from './shape';
import { Source } from './source';

export interface ReadOptions {
  /** Relative paths start here. The default is the working directory of the process. */
  readonly cwd?: string;
  /** A name, or a file relative to `cwd`. */
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
  const context = contextOf(options, isFolder ? from : '');
  const origins = isFolder ? manifestsBelow(context) : originsOf(from, context);
  const sources = origins.flatMap((origin) => readManifestFile(origin, context));
  return build(sources, context, options);
}

function contextOf(options: ReadOptions, folder = ''): ReadContext {
  const cwd = resolve(options.cwd ?? '');
  return { cwd, root: resolve(cwd, folder), issues: new IssueList() };
}

/** Reads one manifest from text. `file` is its name in positions. */
export function parseManifest(text: string, file: string, options: ReadOptions = {}): ReadManifests {
  const context = contextOf(options);
  const origin = { shown: file, absolute: resolve(context.cwd, file) };
  return build([new Source(origin, text, context.issues)], context, options);
}

/** Reads the same texts again, with `lookups`. */
export function readAgain({ manifests, sources }: ReadManifests, options: ReadOptions): ReadManifests {
  const context = contextOf(options, manifests?.folder);
  const all = [...sources.values()];
  const again = all.map((one) => new Source(one.origin, one.text(), context.issues));
  return build(again, context, options);
}

/** Later passes leave out what an earlier one reported, so that all mistakes are found at once. */
function build(sources: readonly Source[], context: ReadContext, options: ReadOptions): ReadManifests {
  const { root: folder, issues } = context;
  const { lookups = null } = options;
  const areAllRead = !issues.hasErrors();
  const schema = manifestSchema();
  for (const word of [apiVersion, ...keysOf(schema)]) issues.publicWords.add(word);
  const roots = sources.flatMap((source) => readRoot(source) ?? []);
  const about = commonOrganization(roots);
  checkShapes(roots, loadValidator('manifest'), issues);
  const shared = about && commonProfile(roots, options.profile, context);
  const ledger = commonLedger(roots);
  const addresses = commonAddresses(roots);
  const bySource = new Map(sources.map((source) => [source.origin.shown, source]));
  const result = (manifests: Manifests | null): ReadManifests => ({
    manifests: issues.hasErrors() ? null : manifests,
    issues: sortedIssues(issues.all),
    sources: bySource,
  });
  // A file that could not be read may declare the name.
  const isWhole = areAllRead && roots.length === sources.length;
  if (about === null || shared === null || !isWhole) return result(null);
  const scope = new Scope({ roots, folder, lookups, ...about, ...shared });
  return result({ folder, ledger, addresses, lookups, ...about, ...shared, ...readDesired(scope) });
}

function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [key, ...keysOf(part)]);
}

function readDesired(scope: Scope) {
  const { names, written } = scope;
  const entries = [...scope.entries.values()].map((one) => readEntry(scope, one));
  const reader = new LinkReader(scope);
  const links = agreedLinks(reader);
  const sets = reader.sets.map(({ definition, fixed, end, label, spot }) => {
    return { kind: definition.kind, fixed: { [end]: fixed.value }, label, at: spot.at };
  });
  const all = [...entries, ...links.map(({ entry }) => entry)];
  return { entries: all, sets, names, written, ...readDirectives(scope, links) };
}
