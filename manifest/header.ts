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
export function readOrganization(roots: readonly Node[]) {
  const [root] = roots;
  if (root === undefined) return null;
  const lines = roots.flatMap((file) => file.get('organization') ?? []);
  if (lines.length === 0) root.error('missing-field', 'add the line `organization: NAME`');
  const [first = root, ...conflicts] = distinctLines(lines);
  if (conflicts.length === 0) {
    return { organization: String(first.value ?? ''), organizationAt: first.at };
  }
  const names = [first, ...conflicts].map(({ value }) => value).join(', ');
  const rule = 'one folder has one organization and one ledger';
  const message = `these files belong to several organizations (${names}): name the folder of each, because ${rule}`;
  first.error('second-organization', message, ...conflicts.map(({ at }) => at));
  return null;
}

/** Returns the first of all lines that mean the same. The schema reports a value that is not a string. */
function distinctLines(lines: readonly Node[], toMeaning: (line: Node) => string = toText): Node[] {
  const texts = lines.filter(({ value }) => typeof value === 'string');
  return [...groupBy(texts, toMeaning).values()].map(([line]) => line);
}

function toText({ value }: Node): string {
  return String(value);
}

/** Returns the lines of this name in the files with `organization`, and reports those in any other file. */
function linesBesideOrganization(roots: readonly Node[], name: 'ledger' | 'addresses'): readonly Node[] {
  const message = `\`${name}\` belongs in the file that has \`organization\`: move the line there`;
  for (const root of roots) {
    if (!root.get('organization')) root.get(name)?.key.error(`misplaced-${name}`, message);
  }
  return roots.flatMap((root) => (root.get('organization') && root.get(name)) ?? []);
}

/** Returns the addresses of the service, each in its usual form. */
export function readAddresses(roots: readonly Node[]): readonly string[] {
  const lines = linesBesideOrganization(roots, 'addresses').flatMap(({ items }) => items ?? []);
  return distinctLines(lines).flatMap((line) => {
    try {
      return parseAddress(toText(line));
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      line.error('bad-address', error.message);
      return [];
    }
  });
}

/** Returns null for the file in the folder, and after an error. */
export function readLedgerPlace(roots: readonly Node[]): LedgerPlace | null {
  const [line, ...conflicts] = distinctLines(linesBesideOrganization(roots, 'ledger'));
  if (line === undefined) return null;
  for (const conflict of conflicts) conflict.errorBeside(line, 'second-ledger', 'one folder has one ledger');
  const place = parseLedgerPlace(toText(line));
  if (typeof place !== 'string') return place;
  line.error('bad-ledger', `\`ledger\` ${place}`);
  return null;
}

/**
 * Chooses the explicit profile, of `--profile` or `TETHER_PROFILE`, over that of the manifests. The name of a file is relative to its
 * manifest. In an explicit profile, it is relative to `cwd`.
 */
export function chooseProfile(
  roots: readonly Node[],
  explicitProfile: string | undefined,
  context: ReadContext,
) {
  const toFolder = ({ source }: Node) => dirname(source.origin.absolute);
  const toMeaning = (line: Node) => {
    const name = toText(line);
    return isProfileFile(name) ? resolve(toFolder(line), name) : name;
  };
  const lines = explicitProfile === undefined ? roots.flatMap((root) => root.get('profile') ?? []) : [];
  const [line, ...conflicts] = distinctLines(lines, toMeaning);
  // Every line is wrong. A check by the default profile would report values that may be right.
  if (line === undefined && lines.length > 0) return null;
  for (const conflict of conflicts) {
    const message = `the files of one folder share one profile, but here is \`${toText(conflict)}\``;
    conflict.errorBeside(line ?? conflict, 'profile-clash', message);
  }
  const profileName = line ? toText(line) : (explicitProfile ?? 'default');
  try {
    return { profileName, profile: readProfile(profileName, line ? toFolder(line) : context.cwd) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    context.issues.add('error', 'unknown-profile', line ?? { path: 'profile' }, error.message);
    return null;
  }
}
