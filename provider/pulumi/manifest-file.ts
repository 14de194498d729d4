/** Reads manifests for a program: every mistake at once, and secrets from where they are said to be. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { RunError } from '@pulumi/pulumi';
import { type DesiredOrganization, readManifests, renderIssues } from '../../manifest';
import type { SecretSource } from '../../resources';
import { resolveSecret } from '../../resources/secrets';
import type { Surroundings } from '../surroundings';

export interface ManifestForProgram {
  readonly organizations: readonly DesiredOrganization[];
  /** One text each. */
  readonly warnings: readonly string[];
  /** The value of a secret; rejects with what is missing, never with a value. */
  secret(address: string, field: string, source: SecretSource): Promise<string>;
}

/** Throws one `RunError` with every mistake and its place. */
export function readForProgram(
  paths: readonly string[],
  profile: string | undefined,
  around: Surroundings,
): ManifestForProgram {
  const cwd = around.folder();
  const [path] = paths;
  // Nothing declared would mean everything destroyed.
  if (path === undefined) throw new RunError('path of a Manifest is an empty list: name a file or a folder');
  const first = resolve(cwd, path);
  const root = isFolder(first) ? first : dirname(first);
  const read = readManifests(paths, { root, cwd, ...(profile === undefined ? {} : { profile }) });
  const errors = read.issues.filter((issue) => issue.severity === 'error');
  if (errors.length > 0) {
    throw new RunError(`${paths.join(', ')}:\n${renderIssues(errors, read.sources, { color: false })}`);
  }
  const warnings = read.issues.map((issue) => renderIssues([issue], read.sources, { color: false }));
  return {
    organizations: read.organizations,
    warnings,
    secret: async (address, field, source) => {
      // Variables are looked up late, when a program may have set them.
      const env = 'fromEnv' in source ? variablesOf(source.fromEnv, around) : {};
      const resolution = await resolveSecret(source, { env, root });
      if (resolution.ok) return resolution.value;
      throw new RunError(`${field} of ${address}: ${resolution.why}`);
    },
  };
}

function variablesOf(name: string, around: Surroundings): Readonly<Record<string, string>> {
  const value = around.variable(name);
  return value === undefined ? {} : { [name]: value };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
