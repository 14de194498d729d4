/** `tether validate`: every mistake in the manifests, at once; `tether schema`: what manifests may hold. No network, token or secret. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, type ReadOptions, readManifestFiles, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { counted } from '../../reconciler/render/text';
import { registry } from '../../resources/registry';
import { readOptionsOf } from '../io';
import type { Call } from '../output';

/** 0 when there is no mistake (warnings aside), else 1. */
export async function validate({ args, command, flags, io, output }: Call): Promise<number> {
  const { manifests, issues, sources } = readAsked(args, readOptionsOf(flags, io));
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const exitCode = errors > 0 ? 1 : 0;
  const objects = manifests?.entries.length ?? 0;
  if (issues.length > 0) output.print(`${renderIssues(issues, sources, output.render)}\n\n`);
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : [`Valid: ${counted(objects, 'object')}`]),
    ...(errors > 0 && warnings > 0 ? [counted(warnings, 'warning')] : []),
    `${counted(sources.size, 'file')} read`,
    ...(errors === 0 && warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  output.print(`${counts.join(', ')}.\n`);
  output.document({ command, exitCode, issues, files: [...sources.keys()], objects });
  return exitCode;
}

/** One folder, or files. */
function readAsked(paths: readonly string[], options: ReadOptions): ReadManifests {
  const [path = '.', ...more] = paths;
  const found = statSync(resolve(options.cwd ?? '', path), { throwIfNoEntry: false });
  const isFile = found !== undefined && !found.isDirectory();
  return isFile || more.length > 0 ? readManifestFiles(paths, options) : readManifests(path, options);
}

/** Prints the JSON Schema itself, with and without `--json`. */
export async function schema(call: Call): Promise<number> {
  call.output.printJson(manifestSchema(registry));
  return 0;
}
