/** `tether validate` and `tether schema`, which need no network, token or secret. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Manifests } from '../../manifest/desired';
import { renderIssues } from '../../manifest/issues';
import { type ReadOptions, readManifestFiles, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { emptyLedger } from '../../reconciler/ledger/ledger';
import { inspectLedger } from '../../reconciler/ledger/open';
import { byAddresses } from '../../reconciler/plan/around';
import { bindLedger, otherLedger } from '../../reconciler/plan/bindings';
import { scopeWarnings } from '../../reconciler/plan/object-task';
import { counted } from '../../reconciler/render/text';
import { definitionOf, type Issue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { lackingForCreate } from '../../resources/violations';
import type { Call } from '../call';
import type { Documents } from '../documents';

/** 0 when there is no mistake (warnings aside), else 1. */
export async function validate(call: Call): Promise<number> {
  const { args, io, readOptions } = call;
  const [path = '.', ...more] = args;
  const stats = statSync(resolve(io.cwd, path), { throwIfNoEntry: false });
  const isFolder = more.length === 0 && (stats === undefined || stats.isDirectory());
  const read = isFolder ? readManifests(path, readOptions) : readManifestFiles(args, readOptions);
  const { manifests, sources } = read;
  // Single files have no ledger.
  const ofLedger = isFolder && manifests !== null ? await issuesOfLedger(manifests, io.cwd) : [];
  const found = isFolder ? read.issues : read.issues.map((issue) => withFolder(issue, path, readOptions));
  const issues = [...found, ...ofLedger];
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const objects = manifests?.entries.length ?? 0;
  const shown = call.admits('warn') ? issues : issues.filter(({ severity }) => severity === 'error');
  if (shown.length > 0) call.print(`${renderIssues(shown, sources, call.render)}\n\n`);
  const files = `${counted(sources.size, 'file')} read`;
  const warned = warnings > 0 ? [counted(warnings, 'warning')] : [];
  const counts =
    errors > 0
      ? [counted(errors, 'error'), ...warned, files]
      : [`Valid: ${counted(objects, 'object')}`, files, ...warned];
  call.print(`${counts.join(', ')}.\n`);
  return call.end(errors > 0 ? 1 : 0, {
    issues,
    files: [...sources.keys()],
    objects,
  } satisfies Documents['validate']);
}

/** A file may lack the organization, which another one of its folder names. */
function withFolder(issue: Issue, path: string, options: ReadOptions): Issue {
  if (issue.rule !== 'missing-field' || issue.path !== 'organization') return issue;
  const folder = dirname(path);
  const beside = readManifests(folder, options).manifests?.organizationAt?.file;
  const which =
    beside === undefined ? 'that holds the file with this line' : `with ${beside}, which names it`;
  return { ...issue, message: `${issue.message}; or give the folder ${which}: tether validate ${folder}` };
}

/** Mistakes of manifests that only their ledger shows. */
async function issuesOfLedger(manifests: Manifests, cwd: string): Promise<readonly Issue[]> {
  const { folder, organization, entries, profile, sets } = manifests;
  const ledger = (await inspectLedger(folder, { cwd })) ?? emptyLedger(organization);
  const other = otherLedger(manifests, ledger);
  if (other !== null) return [other];
  const { byAddress } = bindLedger(manifests, ledger, registry);
  const setsOf = byAddresses(sets, ({ fixed }) => fixed);
  const linksOf = byAddresses(entries, ({ inputs }) => inputs);
  return entries.flatMap((entry): readonly Issue[] => {
    const definition = definitionOf(entry.kind, registry);
    const isNew = definition.pair.length === 0 && !byAddress.has(entry.address) && entry.id === undefined;
    const message = isNew ? lackingForCreate(definition, entry, profile) : null;
    const { address: path, at } = entry;
    return [
      ...(message === null
        ? []
        : [{ rule: 'missing-for-create', severity: 'error', message, path, at } as const]),
      ...scopeWarnings(definition, entry, setsOf.get(path), linksOf.get(path), isNew ? {} : null),
    ];
  });
}

export async function schema(call: Call): Promise<number> {
  return call.endWithJson(manifestSchema(registry));
}
