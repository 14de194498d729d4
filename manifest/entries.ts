/** Reads entries, and the fields of entries and lines: values, references, secrets. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import {
  type Field,
  type FieldValue,
  isReference,
  type Reference,
  type ResourceDefinition,
  type SecretSource,
} from '../resources/kind';
import { environmentPattern, externalKinds } from '../resources/names';
import { stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { EntryNode, Scope } from './names';
import type { Node, Spot } from './node';
import { readExact, resolveName, type Target, textOfTarget } from './references';
import { carriedFields } from './schema';

/** By code name. A field that is wrong, which was reported, is in `spots` alone. */
interface Fields extends Pick<DesiredEntry, 'inputs' | 'secrets'> {
  readonly spots: Record<string, Spot>;
}

/** Undefined for what is no map. */
export function readEntry(scope: Scope, { definition, address, node }: EntryNode): DesiredEntry | undefined {
  if (node.members === undefined) return undefined;
  const { kind } = definition;
  const idNode = node.get('id');
  const id = idNode?.id(kind, scope.kinds);
  const fields = readFields(scope, definition, node);
  const places = Object.entries(fields.spots).map(([name, { at }]) => [name, at] as const);
  const beside = node.get('allowDuplicate')?.items ?? [];
  return {
    ...entryOf(scope, definition, address, node.key, fields),
    fieldsAt: Object.fromEntries(places),
    ...(idNode && id !== undefined && { id, idAt: idNode.at }),
    allowDuplicate: beside.flatMap((item) => item.id(kind, scope.kinds) ?? []),
  };
}

/** All links share these, as there may be a hundred thousand. */
export const noFields: Readonly<Record<string, never>> = Object.freeze({});
const noIds: readonly string[] = Object.freeze([]);

/** The entry that fields make, without the places of the fields. Reports what is wrong among them. */
export function entryOf(
  { profile }: Scope,
  definition: ResourceDefinition,
  address: string,
  spot: Spot,
  { inputs, secrets, spots }: Fields,
): DesiredEntry {
  const values: Record<string, FieldValue> = {};
  for (const name of Object.keys(inputs)) {
    const value = inputs[name] ?? null;
    values[name] = isReference(value) ? value.address : value;
  }
  const given = { has: (name: string) => Object.hasOwn(spots, name) };
  const violations = violationsAcross(definition, values, given, profile);
  for (const { rule, path, message } of violations) (spots[path] ?? spot).error(rule, message);
  const { kind } = definition;
  return { kind, address, at: spot.at, fieldsAt: noFields, inputs, secrets, allowDuplicate: noIds };
}

/** Reads the fields of an entry or a line, but for lists of links. `targets` are what single strings among them refer to. */
export function readFields(scope: Scope, definition: ResourceDefinition, parent: Node) {
  const inputs: Record<string, FieldValue | Reference> = {};
  const secrets: Record<string, SecretSource> = {};
  const spots: Record<string, Spot> = {};
  const targets = new Map<string, Target>();
  for (const [name, { manifestName, refersTo }] of Object.entries(definition.fields)) {
    if (manifestName === null && refersTo === 'organization') inputs[name] = scope.organization;
  }
  for (const { written, name, field } of carriedFields(definition)) {
    const node = parent.get(written);
    if (node === undefined) continue;
    spots[name] = node;
    if (field.writeOnly) {
      const source = readSecret(scope, node);
      if (source) secrets[name] = source;
    } else if (field.type === 'set') {
      if (node.items && !field.exactSetOf) inputs[name] = [...readSet(scope, field, node).keys()];
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
  return { inputs, secrets, spots, targets };
}

/** The members of a list by text. Wrong ones and repeats are reported and left out. */
export function readSet(scope: Scope, field: Field, node: Node): Map<string, Target> {
  const firsts = new Map<string, Spot>();
  const members = new Map<string, Target>();
  for (const item of node.items ?? []) {
    const target = readTarget(scope, field, item);
    if (target === undefined) continue;
    const text = textOfTarget(target);
    const sentence = `\`${target.shown}\` is listed twice in \`${node.path}\``;
    if (item.reportRepeat(firsts, text, 'same-twice', sentence)) members.set(text, target);
  }
  return members;
}

function readTarget(scope: Scope, field: Field, node: Node): Target | undefined {
  const { refersTo = '' } = field;
  if (node.members !== undefined && externalKinds[refersTo]) return readExact(scope, refersTo, node);
  const text = node.text(field.format === 'text');
  if (text === undefined) return undefined;
  if (field.refersTo !== undefined) return resolveName(scope, field.refersTo, text, node);
  const violation = stringViolation(field, text, scope.profile);
  if (violation === undefined) return { value: text, shown: text, spot: node };
  if (violation.rule === 'literal-secret') node.hide();
  return node.reportViolation(violation, text);
}

const forms = '`{ fromEnv: NAME }` or `{ fromFile: path }`';

/** Undefined after an error, which never quotes, because what is wrong may be the secret. A path becomes relative to the root. */
function readSecret({ root }: Scope, node: Node): SecretSource | undefined {
  const { members, path, value } = node;
  if (value === null) {
    const message = `\`${path}\` is null, but a secret cannot be cleared: use ${forms}, or leave the line out`;
    return node.error('null-value', message);
  }
  if (members === undefined) {
    const message = `secrets must not be written in a manifest: use ${forms} for \`${path}\``;
    return node.hide().error('literal-secret', message);
  }
  const [[form = '', source] = [], ...more] = members;
  if (source === undefined || more.length > 0 || !['fromEnv', 'fromFile'].includes(form)) {
    return node.hide().error('secret-source', `\`${path}\` takes one source: ${forms}`);
  }
  const text = source.text();
  if (text === undefined) {
    source.hide();
    return undefined;
  }
  const wrong = (problem: string) => source.error('secret-source', `\`${source.path}\` ${problem}`);
  const empty = text === '' ? '; it is empty' : '';
  if (form === 'fromEnv') {
    if (!new RegExp(environmentPattern).test(text)) {
      return wrong(`must be the name of an environment variable: letters, digits and underscores${empty}`);
    }
    // The URL that the entry names would get its value.
    if (!/^(?:TETHER|TFE|AWS)_/i.test(text)) return { fromEnv: text };
    return wrong(`names ${text}, which belongs to Tether itself: no TETHER_*, TFE_* or AWS_* may be sent`);
  }
  if (empty !== '') return wrong(`must be the path of a file${empty}`);
  const absolute = resolve(dirname(node.source.origin.absolute), text);
  return { fromFile: isAbsolute(text) ? text : relative(root, absolute).replaceAll('\\', '/') };
}
