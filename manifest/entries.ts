/** Entries and the fields of them, which lines of links share: values, references, secrets, sets. */

import { dirname, isAbsolute, relative, resolve } from 'node:path';
import {
  type DesiredValues,
  type Field,
  type FieldValue,
  type FieldValues,
  isReference,
  type Position,
  type Reference,
  type ResourceDefinition,
  type SecretSource,
} from '../resources/kind';
import { environmentPattern, nearest, suggestion } from '../resources/names';
import { stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { Spot } from './issues';
import { resolveName, type Scope, type Target, textOfTarget } from './names';
import { manifestName } from './schema';
import { hide, type Node, readId, readText } from './yaml';

/** An entry with an address of its own, not yet read. */
export interface EntryNode {
  readonly definition: ResourceDefinition;
  readonly address: string;
  readonly node: Node;
}

/** What a string in a manifest refers to, with its place. */
export type Member = Target & Spot;

/** A list field that stands for links, of which it allows exactly these. */
export interface OwnedSet {
  readonly entry: DesiredEntry;
  readonly linkKind: string;
  readonly members: readonly Member[];
  /** The field's key. */
  readonly key: Spot;
}

/** An entry that was read. */
export interface ReadEntry {
  readonly entry: DesiredEntry;
  readonly sets: readonly OwnedSet[];
}

/** Reads one entry; undefined when it is no map at all. What is wrong in it is left out, which was told. */
export function readEntry(scope: Scope, { definition, address, node }: EntryNode): ReadEntry | undefined {
  const { members } = node;
  if (members === undefined) return undefined;
  const fields = readFields(scope, definition, members);
  const id = readId(scope.issues, scope.kinds, definition.kind, members.get('id'));
  const protect = members.get('protect')?.value;
  const entry: DesiredEntry = {
    kind: definition.kind,
    address,
    file: node.source.origin.file,
    at: node.key.at,
    fieldsAt: fields.fieldsAt,
    inputs: fields.inputs,
    secrets: fields.secrets,
    ...(id && { id: id.value, idAt: id.at }),
    protect: typeof protect === 'boolean' ? protect : null,
    allowDuplicate: members.get('allowDuplicate')?.value === true,
  };
  const given = new Set(Object.keys(fields.fieldsAt));
  checkAcross(scope, definition, entry, given, (field) => {
    const written = definition.fields[field];
    return `${node.path}.${(written && manifestName(field, written)) ?? field}`;
  });
  return { entry, sets: fields.sets.map((set) => ({ ...set, entry })) };
}

/** Places what the rules across fields find. */
export function checkAcross(
  { profile, issues }: Scope,
  definition: ResourceDefinition,
  { inputs, fieldsAt, at }: DesiredEntry,
  given: ReadonlySet<string>,
  pathOf: (field: string) => string,
): void {
  if (profile === null) return;
  const values: FieldValues = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, isReference(value) ? value.address : value]),
  );
  for (const { rule, path, message } of violationsAcross(definition, values, given, profile)) {
    issues.error(rule, { at: fieldsAt[path] ?? at, path: pathOf(path) }, message);
  }
}

/** Fields by code name; those that a manifest leaves out or that are wrong are in none but `fieldsAt`, which has the places of all that are written. */
export interface ReadFields {
  readonly inputs: DesiredValues;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly fieldsAt: Readonly<Record<string, Position>>;
  readonly sets: readonly Omit<OwnedSet, 'entry'>[];
  /** What the fields with one string refer to. */
  readonly targets: ReadonlyMap<string, Member>;
}

/** Reads the fields of an entry or a line. Types and missing fields were told before. */
export function readFields(
  scope: Scope,
  definition: ResourceDefinition,
  members: ReadonlyMap<string, Node>,
): ReadFields {
  const inputs: Record<string, FieldValue | Reference> = {};
  const secrets: Record<string, SecretSource> = {};
  const fieldsAt: Record<string, Position> = {};
  const targets = new Map<string, Member>();
  const sets: Omit<OwnedSet, 'entry'>[] = [];
  for (const [name, field] of Object.entries(definition.fields)) {
    const written = manifestName(name, field);
    if (written === null && field.refersTo === 'organization') inputs[name] = scope.organization;
    const node = members.get(written ?? '');
    if (written === null || node === undefined) continue;
    fieldsAt[name] = node.at;
    if (field.writeOnly) {
      const source = readSecret(scope, node);
      if (source !== undefined) secrets[name] = source;
    } else if (field.type === 'set') {
      const list = readSet(scope, field, node);
      if (list === undefined) continue;
      if (field.exactSetOf === undefined) inputs[name] = list.map(textOfTarget);
      else sets.push({ linkKind: field.exactSetOf, members: list, key: node.key });
    } else if (field.type === 'boolean') {
      if (typeof node.value === 'boolean') inputs[name] = node.value;
    } else if (node.value === null) {
      if (field.nullable) inputs[name] = null;
    } else {
      const target = readTarget(scope, field, node);
      if (target === undefined) continue;
      inputs[name] = target.value;
      targets.set(name, target);
    }
  }
  return { inputs, secrets, fieldsAt, sets, targets };
}

/** The members of a list, each once; undefined when it is no list. A member that is wrong is left out, which was told. */
export function readSet(scope: Scope, field: Field, node: Node): readonly Member[] | undefined {
  if (node.items === undefined) return undefined;
  const members = new Map<string, Member>();
  for (const item of node.items) {
    const target = readTarget(scope, field, item);
    if (target === undefined) continue;
    const earlier = members.get(textOfTarget(target));
    if (earlier === undefined) members.set(textOfTarget(target), target);
    else {
      const message = `\`${target.shown}\` is listed twice in \`${node.path}\``;
      scope.issues.error('same-twice', item, message, earlier.at);
    }
  }
  return [...members.values()];
}

function readTarget(scope: Scope, field: Field, node: Node): Member | undefined {
  const { issues, profile } = scope;
  const text = readText(issues, node, field.format === 'text')?.value;
  if (text === undefined) return undefined;
  const spot = { at: node.at, path: node.path };
  if (field.refersTo !== undefined) {
    const target = resolveName(scope, field.refersTo, text, spot);
    return target && { ...target, ...spot };
  }
  const violation = stringViolation(field, text, profile);
  if (violation === undefined) return { value: text, shown: text, ...spot };
  if (violation.rule === 'literal-secret') hide(node);
  issues.violation(violation, text, spot);
  return undefined;
}

const sources = ['fromEnv', 'fromFile'];
const forms = '`{ fromEnv: NAME }` or `{ fromFile: path }`';

/**
 * The source that a secret names, without reading it; undefined after an error. A relative `fromFile` is beside the manifest in the text,
 * and relative to the root, with forward slashes, in the result. Wherever something is wrong, the secret itself may stand: no frame shows it.
 */
function readSecret({ issues, root }: Scope, node: Node): SecretSource | undefined {
  const { members, path, at } = node;
  const wrong = (rule: string, message: string, spot: Spot = { at, path }) => {
    issues.error(rule, spot, message);
    return undefined;
  };
  if (node.value === null) {
    const message = `\`${path}\` is null, but a secret cannot be cleared: use ${forms}, or leave the line out`;
    return wrong('null-value', message);
  }
  if (members === undefined) {
    hide(node);
    return wrong('literal-secret', `secrets must not be written in a manifest: use ${forms} for \`${path}\``);
  }
  const strangers = [...members].filter(([name]) => !sources.includes(name));
  for (const [name, member] of strangers) {
    if (nearest(name, sources) === undefined) {
      hide(node);
      wrong('unknown-key', `a key of \`${path}\` is unknown: use ${forms}`, { at: member.key.at, path });
    } else {
      hide(member);
      wrong(
        'unknown-key',
        `unknown key \`${name}\` in \`${path}\`${suggestion(name, sources, '')}`,
        member.key,
      );
    }
  }
  if (strangers.length > 0) return undefined;
  const [[form, source] = [], ...more] = members;
  if (source === undefined || more.length > 0) {
    return wrong('secret-source', `\`${path}\` takes one source: ${forms}`);
  }
  const text = readText(issues, source)?.value;
  const isFile = form === 'fromFile';
  if (text !== undefined && (isFile ? text !== '' : new RegExp(environmentPattern).test(text))) {
    if (!isFile) return { fromEnv: text };
    const absolute = resolve(dirname(node.source.origin.absolute), text);
    return { fromFile: isAbsolute(text) ? text : relative(root, absolute).replaceAll('\\', '/') };
  }
  hide(source);
  const wanted = isFile
    ? 'the path of a file'
    : 'the name of an environment variable: letters, digits and underscores';
  const empty = text === '' ? '; it is empty' : '';
  if (text === undefined) return undefined;
  return wrong('secret-source', `\`${source.path}\` must be ${wanted}${empty}`, source);
}
