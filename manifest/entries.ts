/** Entries of map sections: their fields, secrets, adoption id and protection. */
import type {
  DesiredValues,
  Field,
  FieldValues,
  Position,
  ResourceDefinition,
  SecretSource,
} from '../resources/kind';

import { addressOf } from '../resources/names';
import { idViolation } from '../resources/violations';
import type { DesiredEntry } from './desired';
import { type Member, readField, readMembersOfSet, type Scoped } from './field-value';
import type { MapEntry } from './node';
import type { EntryNode } from './outline';
import { join, readBoolean, readMap, readMembers, readText, tellViolation } from './reading';
import { readSecret } from './secret';

/** A list field that stands for links, of which it allows exactly these. */
export interface OwnedSet {
  readonly entry: DesiredEntry;
  readonly field: string;
  readonly linkKind: string;
  readonly members: readonly Member[];
  readonly at: Position;
  readonly path: string;
}

/** An entry that was read; `claims` is where its `id:` stands. */
export interface ReadEntry {
  readonly entry: DesiredEntry;
  readonly sets: readonly OwnedSet[];
}

/** Keys of a map entry that are ours and not the API's. */
export const ownKeys = ['id', 'protect', 'allowDuplicate'] as const;

/** The name a manifest gives a field; null where it carries none. */
export function manifestName(name: string, field: Field): string | null {
  return field.manifestName === undefined ? name : field.manifestName;
}

/** Reads one entry; undefined when it is no map at all. What is wrong in it is left out, with an error. */
export function readEntry(reading: Scoped, node: EntryNode, root: string): ReadEntry | undefined {
  const { definition } = node;
  const path = join(definition.section.name, node.name);
  const map = readMap(reading, node.value, path, exampleOf(definition));
  if (map === undefined) return undefined;
  const names = Object.entries(definition.fields).flatMap(([name, field]) => manifestName(name, field) ?? []);
  const members = readMembers(reading, map, [...ownKeys, ...names], path);
  const fields = readFields(reading, definition, members, path, node.at, root);
  const claim = readClaim(reading, definition, members.get('id'), path);
  const entry: DesiredEntry = {
    kind: definition.kind,
    address: addressOf(definition, node.name),
    file: reading.source.origin.file,
    at: node.at,
    fieldsAt: fields.fieldsAt,
    inputs: fields.inputs,
    secrets: fields.secrets,
    ...(claim === undefined ? {} : { id: claim.id, idAt: claim.at }),
    protect: readFlag(reading, members.get('protect'), path),
    allowDuplicate: readFlag(reading, members.get('allowDuplicate'), path) === true,
  };
  if (reading.scope.profile !== null) {
    const paths = (field: string) => fieldPath(definition, path, field);
    checkEntry(reading, definition, entry, fields.given, paths);
  }
  const sets = fields.sets.map((set) => ({ ...set, entry }));
  return { entry, sets };
}

/** Runs the definition's rules across fields and places what they find. */
export function checkEntry(
  reading: Scoped,
  definition: ResourceDefinition,
  entry: DesiredEntry,
  given: ReadonlySet<string>,
  pathOf: (field: string) => string,
): void {
  const { profile } = reading.scope;
  if (profile === null) return;
  const plain = Object.entries(entry.inputs).map(([name, value]) =>
    typeof value === 'object' && value !== null && 'address' in value ? [name, value.address] : [name, value],
  );
  const found = definition.check?.(Object.fromEntries(plain) as FieldValues, given, profile) ?? [];
  for (const { rule, path, message } of found) {
    reading.findings.error(rule, { at: entry.fieldsAt[path] ?? entry.at, path: pathOf(path) }, message);
  }
}

interface ReadFields {
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly fieldsAt: Readonly<Record<string, Position>>;
  readonly given: ReadonlySet<string>;
  readonly sets: readonly Omit<OwnedSet, 'entry'>[];
}

function readFields(
  reading: Scoped,
  definition: ResourceDefinition,
  members: ReadonlyMap<string, MapEntry>,
  path: string,
  at: Position,
  root: string,
): ReadFields {
  const inputs: Record<string, DesiredValues[string]> = {};
  const secrets: Record<string, SecretSource> = {};
  const fieldsAt: Record<string, Position> = {};
  const given = new Set<string>();
  const sets: Omit<OwnedSet, 'entry'>[] = [];
  for (const [name, field] of Object.entries(definition.fields)) {
    const written = manifestName(name, field);
    if (field.refersTo === 'organization' && written === null) inputs[name] = reading.scope.organization;
    const member = written === null ? undefined : members.get(written);
    if (written === null) continue;
    if (member === undefined) {
      if (field.required) missing(reading, written, path, at);
      continue;
    }
    fieldsAt[name] = member.value.at;
    given.add(name);
    const fieldPath = join(path, written);
    if (field.writeOnly) {
      const source = readSecret(reading, member.value, fieldPath, root);
      if (source !== undefined) secrets[name] = source;
    } else if (field.exactSetOf !== undefined) {
      const linkKind = field.exactSetOf;
      const list = readMembersOfSet(reading, field, member.value, fieldPath);
      if (list !== undefined)
        sets.push({ field: name, linkKind, members: list, at: member.keyAt, path: fieldPath });
    } else {
      const read = readField(reading, field, member.value, fieldPath);
      if (read !== undefined) inputs[name] = read.value;
    }
  }
  return { inputs, secrets, fieldsAt, given, sets };
}

function missing(reading: Scoped, name: string, path: string, at: Position): void {
  reading.findings.error('missing-field', { at, path: join(path, name) }, `\`${path}\` needs \`${name}\``);
}

function readClaim(
  reading: Scoped,
  definition: ResourceDefinition,
  member: MapEntry | undefined,
  path: string,
): { id: string; at: Position } | undefined {
  if (member === undefined) return undefined;
  const spot = { at: member.value.at, path: join(path, 'id') };
  const id = readText(reading, member.value, spot.path);
  if (id === undefined) return undefined;
  const violation = idViolation(definition.kind, id, reading.kinds);
  if (violation === undefined) return { id, at: spot.at };
  tellViolation(reading, violation, id, spot);
  return undefined;
}

/** Null where the line is left out, or wrong. */
function readFlag(reading: Scoped, member: MapEntry | undefined, path: string): boolean | null {
  return (member && readBoolean(reading, member.value, join(path, member.key))) ?? null;
}

function fieldPath(definition: ResourceDefinition, path: string, name: string): string {
  const field = definition.fields[name];
  return join(path, (field && manifestName(name, field)) ?? name);
}

function exampleOf(definition: ResourceDefinition): string {
  const first = Object.entries(definition.fields).find(([name, field]) => manifestName(name, field) !== null);
  return `{ ${first === undefined ? 'id' : manifestName(...first)}: … }`;
}
