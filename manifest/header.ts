/** The first pass checks the structure and reads what all manifests share. */
import { dirname, resolve } from 'node:path';
import { parseAddress } from '../client/address';
import { BadOption } from '../client/errors';
import { groupBy } from '../resources/groups';
import { isProfileFile, ProfileError, readProfile } from '../resources/profile';
import type { ReadContext } from './files';
import { type LedgerPlace, parseLedgerPlace } from './ledger-place';
import type { Node } from './node';
import { apiVersion } from './schema';
import type { Source } from './source';
import { parseYaml } from './yaml';

/** Reports a file that is not a manifest, and returns null for it. */
export function readRoot(source: Source): Node | null {
  const root = parseYaml(source);
  if (root === null) return null;
  const version = root.get('apiVersion');
  if (version?.value !== apiVersion) {
    const message = `a manifest is a map with \`apiVersion: ${apiVersion}\``;
    (version ?? root).error('unknown-api-version', message);
    return null;
  }
  const organization = root.get('organization')?.id('organization');
  if (organization !== undefined) source.issues.publicWords.add(organization);
  return root;
}

/** Finds the organization that all files share. Returns null after an error. */
export function commonOrganization(roots: readonly Node[]) {
  const [root] = roots;
  if (root === undefined) return null;
  const lines = roots.flatMap((one) => one.get('organization') ?? []);
  if (lines.length === 0) root.error('missing-field', 'add the line `organization: NAME`');
  const [first = root, ...others] = distinct(lines);
  if (others.length === 0) {
    return { organization: String(first.value ?? ''), organizationAt: first.at };
  }
  const names = [first, ...others].map(({ value }) => value).join(', ');
  const rule = 'one folder has one organization and one ledger';
  const message = `these files belong to several organizations (${names}): name the folder of each, because ${rule}`;
  first.error('second-organization', message, ...others.map(({ at }) => at));
  return null;
}

/** Returns the first line of each meaning. The schema reports a value that is not a string. */
function distinct(lines: readonly Node[], meaningOf: (line: Node) => string = textOf): Node[] {
  const texts = lines.filter(({ value }) => typeof value === 'string');
  return [...groupBy(texts, meaningOf).values()].map(([line]) => line);
}

function textOf({ value }: Node): string {
  return String(value);
}

/** Reports such a line in any other file, where its reader would not see it. */
function linesBesideOrganization(roots: readonly Node[], name: 'ledger' | 'addresses'): readonly Node[] {
  const message = `\`${name}\` belongs in the file that has \`organization\`: move the line there`;
  for (const root of roots) {
    if (!root.get('organization')) root.get(name)?.key.error(`misplaced-${name}`, message);
  }
  return roots.flatMap((root) => (root.get('organization') && root.get(name)) ?? []);
}

/** Returns the addresses of the service, each in its usual form. */
export function commonAddresses(roots: readonly Node[]): readonly string[] {
  const lines = linesBesideOrganization(roots, 'addresses').flatMap(({ items }) => items ?? []);
  return distinct(lines).flatMap((line) => {
    try {
      return parseAddress(textOf(line));
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      line.error('bad-address', error.message);
      return [];
    }
  });
}

/** Returns null for the file in the folder, and after an error. */
export function commonLedger(roots: readonly Node[]): LedgerPlace | null {
  const [line, ...others] = distinct(linesBesideOrganization(roots, 'ledger'));
  if (line === undefined) return null;
  for (const other of others) other.errorBeside(line, 'second-ledger', 'one folder has one ledger');
  const place = parseLedgerPlace(textOf(line));
  if (typeof place !== 'string') return place;
  line.error('bad-ledger', `\`ledger\` ${place}`);
  return null;
}

/** A file name is relative to its manifest. In the flag, it is relative to `cwd`. */
export function commonProfile(roots: readonly Node[], flag: string | undefined, context: ReadContext) {
  const folderOf = ({ source }: Node) => dirname(source.origin.absolute);
  const meaningOf = (line: Node) => {
    const name = textOf(line);
    return isProfileFile(name) ? resolve(folderOf(line), name) : name;
  };
  const all = flag === undefined ? roots.flatMap((root) => root.get('profile') ?? []) : [];
  const [line, ...others] = distinct(all, meaningOf);
  // Values are not checked by a profile that nobody meant.
  if (line === undefined && all.length > 0) return null;
  for (const other of others) {
    const message = `the files of one folder share one profile, but here is \`${textOf(other)}\``;
    other.errorBeside(line ?? other, 'profile-clash', message);
  }
  const profileName = line ? textOf(line) : (flag ?? 'default');
  try {
    return { profileName, profile: readProfile(profileName, line ? folderOf(line) : context.cwd) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    context.issues.add('error', 'unknown-profile', line ?? { path: 'profile' }, error.message);
    return null;
  }
}
