/** First pass over the manifests of a folder: their structure, and what must be the same in all of them. */
import { dirname, resolve } from 'node:path';
import type { Registry } from '../resources/kind';
import { isProfileFile, type Profile, ProfileError, readProfile } from '../resources/profile';
import { type IssueList, renderPosition } from './issues';
import type { Node } from './node';
import { apiVersion } from './schema';
import { checkShape } from './shape';
import type { Source } from './source';
import { parseYaml } from './yaml';

/** A line is undefined where it is left out, or wrong, which was reported. */
export interface Header {
  readonly root: Node;
  readonly organization: Node | undefined;
  readonly profile: Node | undefined;
}

/** Undefined where the file is no manifest, which was reported. */
export function readHeader(source: Source, kinds: Registry): Header | undefined {
  const root = parseYaml(source);
  if (root === null) return undefined;
  if (root.members === undefined) {
    const message = `the manifest must be a map that begins with \`apiVersion: ${apiVersion}\`, not ${root.describe()}`;
    return root.hide().error('wrong-type', message);
  }
  if (!isKnownVersion(root)) return undefined;
  checkShape(root, kinds);
  const lineOf = (name: string): Node | undefined => {
    const node = root.get(name);
    if (node?.value === '') {
      return node.error('empty-value', `\`${name}\` is empty: give a value, or leave the line out`);
    }
    const text = name === 'organization' ? node?.id(name, kinds) : node?.text();
    return text === undefined ? undefined : node;
  };
  const [organization, profile] = ['organization', 'profile'].map(lineOf);
  return { root, organization, profile };
}

function isKnownVersion(root: Node): boolean {
  const node = root.get('apiVersion');
  if (node?.value === apiVersion) return true;
  const message = `\`apiVersion\` must be \`${apiVersion}\`: this version of Tether reads no other`;
  if (node) node.error('unknown-api-version', message);
  else root.reportMissing('apiVersion', `begin the manifest with \`apiVersion: ${apiVersion}\``);
  return false;
}

/** The organization that all files share. Null after an error. */
export function commonOrganization(headers: readonly Header[]) {
  const lines = headers.flatMap((one) => one.organization ?? []);
  const line = agreedLine('second-organization', lines, (one, other) => {
    return `several organizations: ${textOf(one)} here, ${textOf(other)} at ${renderPosition(other.at)}. Name their folders: one folder has one organization and one ledger`;
  });
  if (line === undefined) {
    // One that is wrong was reported at its line.
    if (headers.some(({ root }) => root.get('organization'))) return null;
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    headers[0]?.root.reportMissing('organization', message);
    return null;
  }
  return { organization: textOf(line), organizationAt: line.at };
}

function textOf({ value }: Node): string {
  return String(value);
}

/** The first line. Where others mean something else, all of them are reported, and so is the first. */
function agreedLine(
  rule: string,
  lines: readonly Node[],
  message: (one: Node, other: Node) => string,
  meaning = textOf,
): Node | undefined {
  const [first, ...rest] = lines;
  const others = rest.filter((line) => first && meaning(line) !== meaning(first));
  const [second] = others;
  if (first && second) first.error(rule, message(first, second), second.at);
  for (const line of others) if (first) line.error(rule, message(line, first), first.at);
  return first;
}

/** The profile of all files, by their line or by the flag, which is relative to `cwd`. Null where it cannot be read. */
export function commonProfile(
  headers: readonly Header[],
  flag: { readonly profile?: string | undefined; readonly cwd: string },
  issues: IssueList,
): { name: string; profile: Profile | null } {
  const folderOf = ({ source }: Node) => dirname(source.origin.absolute);
  const lines = flag.profile === undefined ? headers.flatMap((one) => one.profile ?? []) : [];
  const meaning = (line: Node) =>
    isProfileFile(textOf(line)) ? resolve(folderOf(line), textOf(line)) : textOf(line);
  const message = (one: Node, other: Node) =>
    `profile \`${textOf(one)}\`, but \`${textOf(other)}\` at ${renderPosition(other.at)}: the files of one folder share one profile`;
  const first = agreedLine('profile-clash', lines, message, meaning);
  const name = first ? textOf(first) : (flag.profile ?? 'default');
  try {
    return { name, profile: readProfile(name, first === undefined ? flag.cwd : folderOf(first)) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    issues.add('error', 'unknown-profile', first ?? { path: 'profile' }, error.message);
    return { name, profile: null };
  }
}
