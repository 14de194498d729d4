/** First pass over the manifests of a folder: their structure, and what they must share. */
import { dirname, resolve } from 'node:path';
import type { ValidateFunction } from 'ajv';
import type { Registry } from '../resources/kind';
import { isProfileFile, ProfileError, readProfile } from '../resources/profile';
import type { ReadContext } from './files';
import { renderPosition } from './issues';
import type { Node } from './node';
import { apiVersion } from './schema';
import { checkShape } from './shape';
import type { Source } from './source';
import { parseYaml } from './yaml';

/** Returns null for a file that is no manifest, which was reported. */
export function readRoot(source: Source, kinds: Registry, validate: ValidateFunction): Node | null {
  const root = parseYaml(source);
  if (root === null) return null;
  const version = root.get('apiVersion');
  if (version?.value !== apiVersion) {
    const message = `a manifest is a map that begins with \`apiVersion: ${apiVersion}\``;
    (version ?? root).error('unknown-api-version', message);
    return null;
  }
  checkShape(root, validate);
  const organization = root.get('organization')?.id('organization', kinds);
  if (organization !== undefined) source.issues.publicWords.add(organization);
  return root;
}

/** Finds the organization that all files share. Returns null after an error. */
export function commonOrganization(roots: readonly Node[]) {
  const lines = roots.flatMap((root) => root.get('organization') ?? []);
  const line = agreedLine('second-organization', lines, textOf);
  if (line !== undefined) return { organization: textOf(line), organizationAt: line.at };
  roots[0]?.error('missing-field', 'add the line `organization: NAME`');
  return null;
}

function textOf({ value }: Node): string {
  return String(value);
}

/** Returns the first line, and reports each that means something else. */
function agreedLine(
  rule: string,
  [first, ...rest]: readonly Node[],
  meaningOf: (line: Node) => string,
): Node | undefined {
  for (const line of rest) {
    if (first === undefined || meaningOf(line) === meaningOf(first)) continue;
    const there = `${textOf(first)} at ${renderPosition(first.at)}`;
    const message = `\`${line.path}\` is ${textOf(line)} here, but ${there}`;
    line.error(rule, `${message}: the files of one folder share one`, first.at);
  }
  return first;
}

/** A file is relative to its manifest, or with the flag to `cwd`. Returns null after an error. */
export function commonProfile(roots: readonly Node[], flag: string | undefined, context: ReadContext) {
  const folderOf = ({ source }: Node) => dirname(source.origin.absolute);
  const lines = roots.flatMap((root) => root.get('profile') ?? []);
  const line = agreedLine('profile-clash', flag === undefined ? lines : [], (one) => {
    const name = textOf(one);
    return isProfileFile(name) ? resolve(folderOf(one), name) : name;
  });
  const profileName = line ? textOf(line) : (flag ?? 'default');
  try {
    return { profileName, profile: readProfile(profileName, line ? folderOf(line) : context.cwd) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    context.issues.add('error', 'unknown-profile', line ?? { path: 'profile' }, error.message);
    return null;
  }
}
