/** Second pass: the files of a folder, merged, with every name resolved. */
import { dirname, resolve } from 'node:path';
import type { Position } from '../resources/kind';
import { addressOf } from '../resources/names';
import { type Profile, ProfileError, readProfile } from '../resources/profile';
import type { Registry } from '../resources/registry';
import { readApproved } from './approved';
import { approvalLine, type DesiredEntry, type ExactSet, type Manifests } from './desired';
import { type ReadEntry, readEntry } from './entries';
import type { Scoped } from './field-value';
import { type Findings, place } from './findings';
import { checkGraph } from './link-graph';
import { readLines } from './link-lines';
import { checkLinks, uniqueLinks } from './link-rules';
import { type Lines, ownedLines } from './links';
import { readForget, readMoved, refuseDangling, refuseRepeats } from './orders';
import type { Outline } from './outline';
import type { Located } from './reading';
import type { Alias, AliasSection, Scope } from './scope';

/** What holds for all files. */
export interface Setting {
  readonly kinds: Registry;
  readonly findings: Findings;
  readonly root: string;
  readonly cwd: string;
  /** `--profile`, which overrides the line. */
  readonly profile: string | undefined;
}

/** Merges what the files say; null when they do not say whose they are, or under which profile. */
export function mergeFiles(
  organization: Located | null,
  outlines: readonly Outline[],
  setting: Setting,
): Manifests | null {
  const { text: profileName, profile } = findProfile(outlines, setting);
  const scope = buildScope(organization?.text ?? '', profile, outlines, setting);
  const readings = outlines.map((one) => ({ outline: one, reading: { ...one, scope } satisfies Scoped }));
  const entries = readings.flatMap(({ outline, reading }) =>
    outline.entries.flatMap((node) => readEntry(reading, node, setting.root) ?? []),
  );
  const kept = firstOfEach(entries, scope);
  const bySource = new Map(readings.map(({ reading }) => [reading.source.origin.file, reading]));
  const owned = kept.flatMap((one) => {
    const reading = bySource.get(one.entry.file);
    return reading === undefined ? [] : one.sets.map((set) => ownedLines(reading, set));
  });
  const written = readings.flatMap(({ outline, reading }) =>
    setting.kinds.flatMap((definition) => {
      const node =
        definition.section.form === 'links' ? outline.sections.get(definition.section.name) : undefined;
      return node === undefined ? [] : [readLines(reading, definition, node)];
    }),
  );
  const lines = together([...owned, ...written]);
  checkLinks(lines, setting.findings);
  const links = uniqueLinks(lines);
  checkGraph(links, profile, setting.findings);
  const desired = [...kept.map((one) => one.entry), ...links.map((link) => link.entry)];
  const orders = readOrders(readings, desired, setting);
  tellSharedIds(desired, setting.findings);
  if (organization === null || profile === null) return null;
  return {
    folder: setting.root,
    organization: organization.text,
    organizationAt: organization.at,
    profile,
    profileName,
    entries: desired,
    sets: lines.sets.map(exactSet),
    aliases: {
      workspaces: plainAliases(scope, 'workspaces'),
      projects: plainAliases(scope, 'projects'),
      agentPools: plainAliases(scope, 'agentPools'),
    },
    ...orders,
  };
}

function findProfile(
  outlines: readonly Outline[],
  setting: Setting,
): { text: string; profile: Profile | null } {
  const { findings } = setting;
  const read = (text: string, from: string, at?: Position): Profile | null => {
    try {
      return readProfile(text, from);
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      const spot = at === undefined ? { path: 'profile' } : { at, path: 'profile' };
      findings.error('unknown-profile', spot, error.message);
      return null;
    }
  };
  if (setting.profile !== undefined)
    return { text: setting.profile, profile: read(setting.profile, setting.cwd) };
  const lines = outlines.flatMap((one) => {
    const folder = dirname(one.source.origin.absolute);
    return one.profile === null
      ? []
      : [{ ...one.profile, folder, identity: identify(one.profile.text, folder) }];
  });
  const [first] = lines;
  if (first === undefined) return { text: 'default', profile: read('default', setting.cwd) };
  for (const line of lines) {
    if (line.identity === first.identity) continue;
    const message = `profile \`${line.text}\`, but \`${first.text}\` at ${place(first.at)}: the files of one folder share one profile`;
    findings.error('profile-clash', { at: line.at, path: 'profile' }, message, first.at);
  }
  return { text: first.text, profile: read(first.text, first.folder, first.at) };
}

function identify(text: string, folder: string): string {
  return text.endsWith('.json') || /[\\/]/.test(text) ? resolve(folder, text) : text;
}

function buildScope(
  organization: string,
  profile: Profile | null,
  outlines: readonly Outline[],
  setting: Setting,
): Scope {
  const aliases = {
    workspaces: new Map<string, Alias>(),
    projects: new Map<string, Alias>(),
    agentPools: new Map<string, Alias>(),
  };
  const wrongAliases = new Set<string>();
  for (const { section, name, id, at } of outlines.flatMap((one) => one.aliases)) {
    if (id === null) {
      wrongAliases.add(`${section} ${name}`);
      continue;
    }
    const earlier = aliases[section].get(name);
    if (earlier === undefined) aliases[section].set(name, { id, at });
    else if (earlier.id !== id) {
      const path = `aliases.${section}.${name}`;
      const message = `\`${name}\` is ${id} here, but ${earlier.id} at ${place(earlier.at)}: one alias has one meaning`;
      setting.findings.error('alias-clash', { at, path }, message, earlier.at);
    }
  }
  const aliasOf = new Map<string, string>();
  for (const section of Object.values(aliases)) {
    for (const [name, { id }] of section) {
      const other = aliasOf.get(id);
      if (other === undefined || name < other) aliasOf.set(id, name);
    }
  }
  const addresses = new Map<string, Position>();
  const claims = new Map<string, string>();
  for (const { definition, name, at, value } of outlines.flatMap((one) => one.entries)) {
    const address = addressOf(definition, name);
    const earlier = addresses.get(address);
    if (earlier === undefined) addresses.set(address, at);
    else {
      const message = `${address} is also at ${place(earlier)}: an address stands in one place`;
      const path = `${definition.section.name}.${name}`;
      setting.findings.error('same-address-twice', { at, path }, message, earlier);
    }
    const id = value.type === 'map' ? value.entries.find((one) => one.key === 'id')?.value : undefined;
    if (id?.type === 'scalar' && typeof id.value === 'string' && !claims.has(id.value)) {
      claims.set(id.value, address);
    }
  }
  return { organization, profile, kinds: setting.kinds, aliases, wrongAliases, aliasOf, addresses, claims };
}

/** Two addresses that claim one id are a mistake: an object has one address. */
function tellSharedIds(entries: readonly DesiredEntry[], findings: Findings): void {
  const owners = new Map<string, DesiredEntry>();
  for (const entry of entries) {
    if (entry.id === undefined || entry.idAt === undefined) continue;
    const owner = owners.get(entry.id);
    if (owner?.idAt === undefined) owners.set(entry.id, entry);
    else {
      const message = `${entry.address} and ${owner.address} (at ${place(owner.idAt)}) both claim ${entry.id}: one object has one address`;
      findings.error('same-id-twice', { at: entry.idAt, path: 'id' }, message, owner.idAt);
    }
  }
}

function firstOfEach(entries: readonly ReadEntry[], scope: Scope): ReadEntry[] {
  return entries.filter(({ entry }) => scope.addresses.get(entry.address) === entry.at);
}

function together(all: readonly Lines[]): Lines {
  return { links: all.flatMap((one) => one.links), sets: all.flatMap((one) => one.sets) };
}

function exactSet(set: Lines['sets'][number]): ExactSet {
  const fixed = { [set.fixedField]: set.fixed.value };
  return { kind: set.definition.kind, fixed, label: set.label, file: set.file, at: set.at };
}

function plainAliases(scope: Scope, section: AliasSection): Readonly<Record<string, string>> {
  return Object.fromEntries([...scope.aliases[section]].map(([name, alias]) => [name, alias.id]));
}

function readOrders(
  readings: readonly { readonly outline: Outline; readonly reading: Scoped }[],
  entries: readonly DesiredEntry[],
  setting: Setting,
): Pick<Manifests, 'moved' | 'forget' | 'approved'> {
  const live = new Map(entries.map((entry) => [entry.address, entry.at]));
  const of = (name: string) =>
    readings.map(({ outline, reading }) => ({ reading, node: outline.sections.get(name) }));
  const moved = of('moved').flatMap(({ reading, node }) => readMoved(reading, node, live));
  refuseDangling(setting, moved, live);
  const forget = of('forget').flatMap(({ reading, node }) => readForget(reading, node, live));
  const approved = of('approved').flatMap(({ reading, node }) => readApproved(reading, node));
  refuseRepeats(setting, 'moved', moved, (line) => `from ${line.from}`);
  refuseRepeats(setting, 'moved', moved, (line) => `to ${line.to}`);
  refuseRepeats(setting, 'forget', forget, (line) => line.address);
  refuseRepeats(setting, 'approved', approved, (line) =>
    'serial' in line ? `${line.action} for serial ${line.serial}` : approvalLine(line),
  );
  return { moved: moved.map(({ toSpot: _, ...line }) => line), forget, approved };
}
