/** First pass over a manifest: whose it is, its aliases and entries. The rest waits until the names of all files are known. */
import { dirname, resolve } from 'node:path';
import type { Position, Registry } from '../resources/kind';
import { addressOf, externalKinds, nameProblem } from '../resources/names';
import { type Profile, ProfileError, readProfile } from '../resources/profile';
import { characterViolation } from '../resources/violations';
import { nameInAddress } from './desired';
import { type IssueList, place } from './issues';
import type { AliasLine, EntryNode } from './names';
import { apiVersion } from './schema';
import { checkShape } from './shape';
import type { Source } from './source';
import { describeNode, hide, type Node, parseYaml, readId, readText, type TextNode } from './yaml';

/** One manifest after the first pass. */
export interface Header {
  readonly source: Source;
  /** Undefined where the line is left out, null where it is wrong, which was told. */
  readonly organization: TextNode | null | undefined;
  readonly profile: TextNode | null | undefined;
  readonly aliases: readonly AliasLine[];
  readonly entries: readonly EntryNode[];
  /** All top-level members. */
  readonly members: ReadonlyMap<string, Node>;
}

/** Reads the header of a manifest and checks the structure of all of it; null when nothing more can be said of it than what was told. */
export function readHeader(source: Source, issues: IssueList, kinds: Registry): Header | null {
  const root = parseYaml(source, issues);
  if (root === null) return null;
  const { members } = root;
  if (members === undefined) {
    hide(root);
    const message = `the manifest must be a map that begins with \`apiVersion: ${apiVersion}\`, not ${describeNode(root)}`;
    issues.error('wrong-type', root, message);
    return null;
  }
  if (!isKnownVersion(members.get('apiVersion'), root, issues)) return null;
  source.isShown = true;
  const named = kinds.flatMap((definition) => {
    const { name: section, form } = definition.section;
    const entries = form === 'map' ? (members.get(section)?.members ?? []) : [];
    return [...entries].map(([name, node]) => ({ definition, address: addressOf(definition, name), node }));
  });
  const misnamed = new Set<Node>();
  for (const { address, node } of named) {
    if (isName(nameInAddress(address), node, issues, kinds)) continue;
    hide(node);
    misnamed.add(node);
  }
  checkShape(root, kinds, misnamed, issues);
  const organization = readHeaderText(members.get('organization'), issues);
  return {
    source,
    organization: organization && (readId(issues, kinds, 'organization', organization) ?? null),
    profile: readHeaderText(members.get('profile'), issues),
    aliases: readAliases(members, issues, kinds),
    entries: named.filter(({ node }) => !misnamed.has(node)),
    members,
  };
}

function isKnownVersion(node: Node | undefined, root: Node, issues: IssueList): boolean {
  if (node?.value === apiVersion) return true;
  const text = readText(issues, node);
  if (node === undefined) {
    const message = `\`apiVersion\` is missing: begin the manifest with \`apiVersion: ${apiVersion}\``;
    issues.error('missing-field', { at: root.at, path: 'apiVersion' }, message);
  } else if (text !== undefined) {
    const message = `this version of Tether does not know apiVersion \`${text.value}\`: it reads \`${apiVersion}\``;
    issues.error('unknown-api-version', node, message);
  } else if (typeof node.value !== 'string') {
    issues.error('wrong-type', node, `\`apiVersion\` must be \`${apiVersion}\`, not ${describeNode(node)}`);
  }
  return false;
}

function isName(name: string, { key }: Node, issues: IssueList, kinds: Registry): boolean {
  const violation = characterViolation(name);
  if (violation !== undefined) issues.violation(violation, name, key);
  const problem = violation === undefined ? nameProblem(name, kinds) : undefined;
  if (problem !== undefined) issues.error('bad-name', key, `\`${name}\` ${problem}`);
  return violation === undefined && problem === undefined;
}

function readHeaderText(node: Node | undefined, issues: IssueList): TextNode | null | undefined {
  if (node === undefined) return undefined;
  const text = readText(issues, node);
  if (text?.value !== '') return text ?? null;
  issues.error('empty-value', node, `\`${node.path}\` is empty: give a value, or leave the line out`);
  return null;
}

function readAliases(members: ReadonlyMap<string, Node>, issues: IssueList, kinds: Registry): AliasLine[] {
  const sections = members.get('aliases')?.members;
  return Object.entries(externalKinds).flatMap(([kind, { aliases: section }]) =>
    [...(sections?.get(section)?.members ?? [])].map(([name, node]) => {
      const id = isName(name, node, issues, kinds) ? readId(issues, kinds, kind, node) : undefined;
      return { section, name, id: id?.value ?? null, at: node.key.at };
    }),
  );
}

/** The one organization of all files; every other one is told. A file that names none belongs to it. */
export function commonOrganization(headers: readonly Header[], issues: IssueList): TextNode | null {
  const [first, ...others] = headers.flatMap((one) => one.organization ?? []);
  const [unnamed] = headers;
  if (first === undefined && unnamed && headers.every((one) => one.organization === undefined)) {
    const message = '`organization` is missing: write `organization: NAME`, the name as the service knows it';
    issues.error('missing-field', { at: unnamed.source.at(0), path: 'organization' }, message);
  }
  if (first === undefined) return null;
  for (const other of others) {
    if (other.value === first.value) continue;
    const message = `organization \`${other.value}\`, but \`${first.value}\` at ${place(first.at)}: one folder has one organization; another one is another folder with its own ledger`;
    issues.error('second-organization', other, message, first.at);
  }
  return first;
}

/** The one profile of all files, by its line or the `--profile` flag, which is relative to `cwd`; every other one is told. Null in place of one that cannot be read, which is told. */
export function commonProfile(
  headers: readonly Header[],
  flag: { readonly profile?: string; readonly cwd: string },
  issues: IssueList,
): { readonly name: string; readonly profile: Profile | null } {
  const read = (name: string, from: string, at?: Position) => {
    try {
      return { name, profile: readProfile(name, from) };
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      issues.error('unknown-profile', { path: 'profile', ...(at && { at }) }, error.message);
      return { name, profile: null };
    }
  };
  const lines = headers.flatMap((one) => one.profile ?? []);
  const [first] = lines;
  if (flag.profile !== undefined || first === undefined) return read(flag.profile ?? 'default', flag.cwd);
  const folderOf = ({ source }: Node) => dirname(source.origin.absolute);
  // A name as it is, a file by its absolute path.
  const profileOf = (line: TextNode) =>
    /\.json$|[\\/]/.test(line.value) ? resolve(folderOf(line), line.value) : line.value;
  for (const line of lines) {
    if (profileOf(line) === profileOf(first)) continue;
    const message = `profile \`${line.value}\`, but \`${first.value}\` at ${place(first.at)}: the files of one folder share one profile`;
    issues.error('profile-clash', line, message, first.at);
  }
  return read(first.value, folderOf(first), first.at);
}
