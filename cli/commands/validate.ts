/** `tether validate` and `tether schema`, which need no network, token or secret. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, readManifestFiles, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { counted } from '../../reconciler/render/text';
import { registry } from '../../resources/registry';
import type { Call } from '../call';

/** 0 when there is no mistake (warnings aside), else 1. */
export async function validate(call: Call): Promise<number> {
  const { manifests, issues, sources } = readAsked(call);
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const objects = manifests?.entries.length ?? 0;
  if (issues.length > 0) call.print(`${renderIssues(issues, sources, call.render)}\n\n`);
  const read = `${counted(sources.size, 'file')} read`;
  const warned = warnings > 0 ? [counted(warnings, 'warning')] : [];
  const counts =
    errors > 0
      ? [counted(errors, 'error'), ...warned, read]
      : [`Valid: ${counted(objects, 'object')}`, read, ...warned];
  call.print(`${counts.join(', ')}.\n`);
  return call.end(errors > 0 ? 1 : 0, { issues, files: [...sources.keys()], objects });
}

function readAsked({ args, io, readOptions }: Call): ReadManifests {
  const [path = '.', ...more] = args;
  const found = statSync(resolve(io.cwd, path), { throwIfNoEntry: false });
  const isFile = found !== undefined && !found.isDirectory();
  return isFile || more.length > 0 ? readManifestFiles(args, readOptions) : readManifests(path, readOptions);
}

/** Prints the JSON Schema itself, with and without `--json`. */
export async function schema(call: Call): Promise<number> {
  return call.endWithJson(manifestSchema(registry));
}
