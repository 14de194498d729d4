/** First pass over a manifest: whose it is, and its entries. The rest waits until the names of all files are known. */
import { dirname, resolve } from 'node:path';
import type { Registry } from '../resources/kind';
import { addressOf } from '../resources/names';
import { type Profile, ProfileError, readProfile } from '../resources/profile';
import { type IssueList, place } from './issues';
import { type EntryNode, isName } from './names';
import type { Node } from './node';
import { apiVersion } from './schema';
import { checkShape } from './shape';
import type { Source } from './source';
import { parseYaml } from './yaml';

interface Line {
  text: string;
  node: Node;
}

/** One manifest after the first pass. */
export interface Header {
  readonly root: Node;
  /** Undefined where the line is left out, or wrong, which was told. */
  readonly organization: Line | undefined;
  readonly profile: Line | undefined;
  readonly entries: EntryNode[];
}

/** Reads a header and checks the structure of the whole manifest; undefined where it is none, which was told. */
export function readHeader(source: Source, kinds: Registry): Header | undefined {
  const root = parseYaml(source);
  if (root === null) return undefined;
  const { members } = root;
  if (members === undefined) {
    const message = `the manifest must be a map that begins with \`apiVersion: ${apiVersion}\`, not ${root.describe()}`;
    return root.hide().error('wrong-type', message);
  }
  if (!isKnownVersion(root)) return undefined;
  source.isShown = true;
  const misnamed = new Set<Node>();
  const entries = kinds.flatMap((definition) => {
    const { name: section, form } = definition.section;
    const named = form === 'map' ? (members.get(section)?.members ?? []) : [];
    return [...named].flatMap(([name, node]) => {
      if (isName(name, node, kinds)) return [{ definition, address: addressOf(definition, name), node }];
      misnamed.add(node.hide());
      return [];
    });
  });
  checkShape(root, kinds, misnamed);
  const lineOf = (name: string, read: (node: Node) => string | undefined): Line | undefined => {
    const node = members.get(name);
    if (node === undefined) return undefined;
    if (node.value === '') {
      return node.error('empty-value', `\`${node.path}\` is empty: give a value, or leave the line out`);
    }
    const text = read(node);
    return text === undefined ? undefined : { text, node };
  };
  return {
    root,
    organization: lineOf('organization', (node) => node.id('organization', kinds)),
    profile: lineOf('profile', (node) => node.text()),
    entries,
  };
}

function isKnownVersion(root: Node): boolean {
  const node = root.get('apiVersion');
  if (node === undefined) {
    const message = `\`apiVersion\` is missing: begin the manifest with \`apiVersion: ${apiVersion}\``;
    root.lacks('apiVersion', message);
  } else if (typeof node.value !== 'string') {
    node.error('wrong-type', `\`apiVersion\` must be \`${apiVersion}\`, not ${node.describe()}`);
  } else if (node.value !== apiVersion && node.text() !== undefined) {
    const message = `this version of Tether does not know apiVersion \`${node.value}\`: it reads \`${apiVersion}\``;
    node.error('unknown-api-version', message);
  }
  return node?.value === apiVersion;
}

/** The one organization of all files; every other one is told. A file that names none belongs to it. */
export function commonOrganization(headers: Header[]): Line | undefined {
  const [first, ...others] = headers.flatMap((one) => one.organization ?? []);
  if (first === undefined) {
    if (headers.some(({ root }) => root.get('organization'))) return undefined;
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    return headers[0]?.root.lacks('organization', message);
  }
  for (const { text, node } of others) {
    if (text === first.text) continue;
    const message = `organization \`${text}\`, but \`${first.text}\` at ${place(first.node.at)}: one folder has one organization; another one is another folder with its own ledger`;
    node.error('second-organization', message, first.node.at);
  }
  return first;
}

/** The one profile of all files, by its line or the flag, which is relative to `cwd`; every other one is told. Null where it cannot be read. */
export function commonProfile(
  headers: Header[],
  flag: { readonly profile?: string; readonly cwd: string },
  issues: IssueList,
): { name: string; profile: Profile | null } {
  const read = (name: string, from: string, spot?: Node) => {
    try {
      return { name, profile: readProfile(name, from) };
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      issues.add('error', 'unknown-profile', spot ?? { path: 'profile' }, error.message);
      return { name, profile: null };
    }
  };
  const lines = headers.flatMap((one) => one.profile ?? []);
  const [first] = lines;
  if (flag.profile !== undefined || first === undefined) return read(flag.profile ?? 'default', flag.cwd);
  const folderOf = ({ node }: Line) => dirname(node.source.origin.absolute);
  // A name as it is, a file by its absolute path.
  const profileOf = (line: Line) =>
    /\.json$|[\\/]/.test(line.text) ? resolve(folderOf(line), line.text) : line.text;
  for (const line of lines) {
    if (profileOf(line) === profileOf(first)) continue;
    const message = `profile \`${line.text}\`, but \`${first.text}\` at ${place(first.node.at)}: the files of one folder share one profile`;
    line.node.error('profile-clash', message, first.node.at);
  }
  return read(first.text, folderOf(first), first.node);
}
