/** `tether validate`: every mistake in the manifests, at once; `tether schema`: what manifests may hold. No network, token or secret. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, type ReadOptions, readManifestFiles, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { counted } from '../../reconciler/render/text';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import type { ManifestFlags, OutputFlags } from '../flags';
import { readOptionsOf } from '../io';

/** 0 when there is no mistake (warnings are none), else 1. */
export async function validate(call: Call<ManifestFlags>): Promise<number> {
  const { args, flags, io, output } = call;
  const asked = args.length === 0 ? ['.'] : args;
  const read = readAsked(asked, readOptionsOf(flags, io));
  const { manifests, issues, sources } = read;
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const exitCode = errors > 0 ? 1 : 0;
  const objects = manifests?.entries.length ?? 0;
  if (issues.length > 0) output.print(`${renderIssues(issues, sources, output.render)}\n\n`);
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
  const files = `${counted(sources.size, 'file')} read`;
  output.print(
    errors > 0
      ? `${found}, ${files}.\n`
      : `Valid: ${counted(objects, 'object')}, ${files}${found === '' ? '' : `, ${found}`}.\n`,
  );
  output.document({
    command: call.command,
    exitCode,
    issues,
    files: [...sources.keys()],
    objects,
  });
  return exitCode;
}

/** One folder, or files. */
function readAsked(paths: readonly string[], options: ReadOptions): ReadManifests {
  const [path, ...more] = paths;
  const isFolder = path !== undefined && more.length === 0 && !isFile(resolve(options.cwd ?? '', path));
  return isFolder ? readManifests(path, options) : readManifestFiles(paths, options);
}

function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

/** Prints the JSON Schema itself, with and without `--json`. */
export async function schema(call: Call<OutputFlags>): Promise<number> {
  call.output.printJson(manifestSchema(registry));
  return 0;
}
