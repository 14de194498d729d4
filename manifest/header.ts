/** First pass over a manifest: its structure, and whose it is. */
import { dirname, resolve } from 'node:path';
import type { Registry } from '../resources/kind';
import { isProfileFile, type Profile, ProfileError, readProfile } from '../resources/profile';
import { type IssueList, renderPosition } from './issues';
import type { Node } from './node';
import { apiVersion } from './schema';
import { checkShape } from './shape';
import type { Source } from './source';
import { parseYaml } from './yaml';

export interface Header {
  readonly root: Node;
  /** A string; undefined where the line is left out, or wrong, which was reported. */
  readonly organization: Node | undefined;
  readonly profile: Node | undefined;
}

/** Undefined where it is no manifest, which was reported. */
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
  return { root, organization: lineOf('organization'), profile: lineOf('profile') };
}

function isKnownVersion(root: Node): boolean {
  const node = root.get('apiVersion');
  if (node?.value === apiVersion) return true;
  if (node === undefined) {
    const message = `\`apiVersion\` is missing: begin the manifest with \`apiVersion: ${apiVersion}\``;
    root.reportMissing('apiVersion', message);
  } else if (typeof node.value !== 'string') {
    node.error('wrong-type', `\`apiVersion\` must be \`${apiVersion}\`, not ${node.describe()}`);
  } else if (node.text() !== undefined) {
    const message = `this version of Tether does not know apiVersion \`${node.value}\`: it reads \`${apiVersion}\``;
    node.error('unknown-api-version', message);
  }
  return false;
}

/** That of all files, else of the flag; every other one is reported. A file that names none belongs to it. */
export function commonOrganization(headers: Header[], flag?: string) {
  const lines = headers.flatMap((one) => one.organization ?? []);
  if (flag === undefined && lines.length === 0 && !headers.some(({ root }) => root.get('organization'))) {
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    headers[0]?.root.reportMissing('organization', message);
  }
  const advice = 'one folder has one organization; another one is another folder with its own ledger';
  const line = agreedLine('second-organization', lines, advice, textOf);
  if (line === undefined) return flag === undefined ? undefined : { text: flag, at: undefined };
  const text = textOf(line);
  if (flag !== undefined && flag !== text) {
    const message = `organization \`${text}\`, but --organization \`${flag}\`: ${advice}`;
    line.error('second-organization', message);
  }
  return { text, at: line.at };
}

function textOf({ value }: Node): string {
  return String(value);
}

/** The first line; all that mean something else are reported. */
function agreedLine(rule: string, lines: Node[], advice: string, meaning: (line: Node) => string) {
  const [first, ...others] = lines;
  for (const line of others) {
    if (first === undefined || meaning(line) === meaning(first)) continue;
    const message = `${line.path} \`${textOf(line)}\`, but \`${textOf(first)}\` at ${renderPosition(first.at)}: ${advice}`;
    line.error(rule, message, first.at);
  }
  return first;
}

/** That of all files, by its line or the flag, which is relative to `cwd`; every other one is reported. Null where it cannot be read. */
export function commonProfile(
  headers: Header[],
  flag: { readonly profile?: string | undefined; readonly cwd: string },
  issues: IssueList,
): { name: string; profile: Profile | null } {
  const folderOf = ({ source }: Node) => dirname(source.origin.absolute);
  const lines = flag.profile === undefined ? headers.flatMap((one) => one.profile ?? []) : [];
  // A name as it is, a file by its absolute path.
  const first = agreedLine('profile-clash', lines, 'the files of one folder share one profile', (line) =>
    isProfileFile(textOf(line)) ? resolve(folderOf(line), textOf(line)) : textOf(line),
  );
  const name = first ? textOf(first) : (flag.profile ?? 'default');
  try {
    return { name, profile: readProfile(name, first === undefined ? flag.cwd : folderOf(first)) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    issues.add('error', 'unknown-profile', first ?? { path: 'profile' }, error.message);
    return { name, profile: null };
  }
}
