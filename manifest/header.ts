/** First pass over the manifests of a folder: their structure, and what must be the same in all of them. */
import { dirname, resolve } from 'node:path';
import { groupBy } from '../resources/groups';
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
  const [line, ...others] = [...groupBy(lines, textOf).values()].flatMap(([first]) => first ?? []);
  if (line === undefined) {
    // One that is wrong was reported at its line.
    if (headers.some(({ root }) => root.get('organization'))) return null;
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    headers[0]?.root.reportMissing('organization', message);
    return null;
  }
  if (others.length > 0) {
    const message = severalOrganizations([line, ...others].map(textOf), lines);
    line.error('second-organization', message, ...others.map((other) => other.at));
  }
  return { organization: textOf(line), organizationAt: line.at };
}

/** Says what to type instead, where each organization has folders of its own. */
function severalOrganizations(names: readonly string[], lines: readonly Node[]): string {
  const folderOf = ({ source }: Node) => dirname(source.origin.shown);
  const isWithin = (inner: string, outer: string) => outer === '.' || `${inner}/`.startsWith(`${outer}/`);
  const folders = [...new Set(lines.map(folderOf))];
  const outermost = folders.filter((one) => !folders.some((other) => other !== one && isWithin(one, other)));
  const isShared = outermost.some((folder) => {
    const own = lines.filter((line) => isWithin(folderOf(line), folder));
    return new Set(own.map(textOf)).size > 1;
  });
  const advice = isShared
    ? 'Give each of them a folder of its own'
    : `Name their folders: tether plan ${outermost.join(' ')}`;
  return `several organizations: ${names.join(', ')}. One folder has one organization and one ledger. ${advice}`;
}

function textOf({ value }: Node): string {
  return String(value);
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
  const clash = (one: Node, other: Node) => {
    const there = `\`${textOf(other)}\` at ${renderPosition(other.at)}`;
    const message = `profile \`${textOf(one)}\`, but ${there}: the files of one folder share one profile`;
    one.error('profile-clash', message, other.at);
  };
  const [first, ...rest] = lines;
  const others = rest.filter((line) => first && meaning(line) !== meaning(first));
  if (first && others[0]) clash(first, others[0]);
  for (const line of others) if (first) clash(line, first);
  const name = first ? textOf(first) : (flag.profile ?? 'default');
  try {
    return { name, profile: readProfile(name, first === undefined ? flag.cwd : folderOf(first)) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    issues.add('error', 'unknown-profile', first ?? { path: 'profile' }, error.message);
    return { name, profile: null };
  }
}
