/** First pass over one manifest: whose it is, its aliases, and which addresses it has; the rest waits until all names are known. */
import { externalKinds, type Position, type ResourceDefinition } from '../resources/kind';
import { nameProblem } from '../resources/names';
import type { Registry } from '../resources/registry';
import { idViolation } from '../resources/violations';
import type { Findings } from './findings';
import { isNull, type MapEntry, type Node } from './node';
import {
  join,
  type Located,
  type Reading,
  readMap,
  readMembers,
  readText,
  refuseInvisible,
  tellViolation,
  wrongType,
} from './reading';
import type { AliasSection } from './scope';
import type { Source } from './source';
import { parseTree } from './tree';

export const apiVersion = 'tether/v1';

export interface AliasLine {
  readonly section: AliasSection;
  readonly name: string;
  /** Null for one that was told to be wrong, which is not told again where it is used. */
  readonly id: string | null;
  readonly at: Position;
}

/** An entry with an address of its own, not yet read. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly name: string;
  readonly at: Position;
  readonly value: Node;
}

/** One manifest after the first pass. */
export interface Outline extends Reading {
  /** Undefined where the line is left out, null where it is wrong, which was told. */
  readonly organization: Located | null | undefined;
  readonly profile: Located | null;
  readonly aliases: readonly AliasLine[];
  readonly entries: readonly EntryNode[];
  /** Link sections, `moved`, `forget` and `approved`, by name. */
  readonly sections: ReadonlyMap<string, Node>;
}

/** Outlines a manifest; null when nothing more can be said of it than what `findings` got. */
export function outline(source: Source, findings: Findings, kinds: Registry): Outline | null {
  const reading: Reading = { source, findings, kinds };
  const tree = parseTree(source, findings);
  if (tree === null) return null;
  if (tree.type !== 'map') {
    wrongType(reading, tree, '', `a map that begins with \`apiVersion: ${apiVersion}\``);
    return null;
  }
  const known = tree.entries.find((one) => one.key === 'apiVersion');
  if (!isApiVersion(reading, known, tree.at)) return null;
  const members = readMembers(reading, tree, topLevelKeys(kinds), '');
  const schema = members.get('$schema');
  if (schema !== undefined) readText(reading, schema.value, '$schema');
  const sections = new Map<string, Node>();
  for (const name of listSections(kinds)) {
    const member = members.get(name);
    if (member !== undefined) sections.set(name, member.value);
  }
  return {
    ...reading,
    organization: readOrganization(reading, members.get('organization')),
    profile: locate(reading, members.get('profile')),
    aliases: readAliases(reading, members.get('aliases')),
    entries: kinds.flatMap((definition) =>
      definition.section.form === 'map'
        ? readEntries(reading, definition, members.get(definition.section.name))
        : [],
    ),
    sections,
  };
}

/** All keys of a manifest. */
export function topLevelKeys(kinds: Registry): string[] {
  const maps = kinds.filter((one) => one.section.form === 'map').map((one) => one.section.name);
  return ['apiVersion', 'profile', 'organization', 'aliases', ...maps, ...listSections(kinds), '$schema'];
}

function listSections(kinds: Registry): string[] {
  const links = kinds.filter((one) => one.section.form === 'links').map((one) => one.section.name);
  return [...links, 'moved', 'forget', 'approved'];
}

function isApiVersion(reading: Reading, member: MapEntry | undefined, at: Position): boolean {
  const path = 'apiVersion';
  if (member === undefined) {
    const message = `\`apiVersion\` is missing: begin the manifest with \`apiVersion: ${apiVersion}\``;
    reading.findings.error('missing-field', { at, path }, message);
    return false;
  }
  if (member.value.type === 'scalar' && member.value.value === apiVersion) return true;
  const text = readText(reading, member.value, path);
  if (text !== undefined) {
    const message = `this version of Tether does not know apiVersion \`${text}\`: it reads \`${apiVersion}\``;
    reading.findings.error('unknown-api-version', { at: member.value.at, path }, message);
  }
  return false;
}

function readOrganization(reading: Reading, member: MapEntry | undefined): Located | null | undefined {
  if (member === undefined) return undefined;
  const located = locate(reading, member);
  if (located === null) return null;
  const violation = idViolation('organization', located.text, reading.kinds);
  if (violation === undefined) return located;
  tellViolation(reading, violation, located.text, { at: located.at, path: 'organization' });
  return null;
}

function locate(reading: Reading, member: MapEntry | undefined): Located | null {
  if (member === undefined) return null;
  const text = readText(reading, member.value, member.key);
  if (text === '') {
    const message = `\`${member.key}\` is an empty text: give a value, or leave the line out`;
    reading.findings.error('empty-value', { at: member.value.at, path: member.key }, message);
  }
  return text === undefined || text === '' ? null : { text, at: member.value.at };
}

function readAliases(reading: Reading, member: MapEntry | undefined): AliasLine[] {
  if (member === undefined) return [];
  const map = readMap(reading, member.value, 'aliases', 'workspaces: { network: ws-… }');
  if (map === undefined) return [];
  const external = Object.entries(externalKinds);
  const sections = readMembers(
    reading,
    map,
    external.map(([, one]) => one.aliases),
    'aliases',
  );
  return external.flatMap(([refersTo, { aliases, prefix }]) => {
    const section = sections.get(aliases);
    if (section === undefined) return [];
    const path = `aliases.${aliases}`;
    const entries = readMap(reading, section.value, path, `name: ${prefix}-…`)?.entries ?? [];
    return entries.flatMap(({ key, keyAt, value }): AliasLine[] => {
      const wrong: AliasLine[] = [{ section: aliases, name: key, id: null, at: keyAt }];
      if (!isName(reading, key, keyAt, path)) return wrong;
      const id = readText(reading, value, join(path, key));
      if (id === undefined) return wrong;
      const violation = idViolation(refersTo, id, reading.kinds);
      if (violation === undefined) return [{ section: aliases, name: key, id, at: keyAt }];
      const spot = { at: value.at, path: join(path, key) };
      tellViolation(reading, violation, id, spot);
      return wrong;
    });
  });
}

function readEntries(
  reading: Reading,
  definition: ResourceDefinition,
  member: MapEntry | undefined,
): EntryNode[] {
  if (member === undefined) return [];
  const path = definition.section.name;
  if (isNull(member.value)) {
    const message = `\`${path}\` is null where a map belongs: write {} for none, or leave the line out`;
    reading.findings.error('null-value', { at: member.value.at, path }, message);
    return [];
  }
  const entries = readMap(reading, member.value, path, 'name: { … }')?.entries ?? [];
  return entries
    .filter((entry) => isName(reading, entry.key, entry.keyAt, path, entry.value))
    .map((entry) => ({ definition, name: entry.key, at: entry.keyAt, value: entry.value }));
}

function isName(reading: Reading, name: string, at: Position, path: string, value?: Node): boolean {
  const spot = { at, path: join(path, name) };
  if (refuseInvisible(reading, name, spot)) return false;
  const problem = nameProblem(name, reading.kinds);
  if (problem === undefined) return true;
  if (value !== undefined) reading.source.mask(value.range);
  reading.findings.error('bad-name', spot, `\`${name}\` ${problem}`);
  return false;
}
