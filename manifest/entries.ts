/** Reads entries and their fields. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Field, FieldValue, Reference, ResourceDefinition, SecretSource } from '../resources/kind';
import { namesHost } from '../resources/plain-file';
import { ownVariable } from '../resources/secrets';
import { isKey, stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { Node } from './node';
import { carriedFields } from './schema';
import { type EntryNode, plainValue, type Scope } from './scope';

export function readEntry(scope: Scope, { definition, address, node }: EntryNode): DesiredEntry {
  const { kind } = definition;
  const idNode = node.get('id');
  const id = idNode?.id(kind);
  const fields = new Map<string, FieldLine>();
  for (const { keyInManifest, name, field } of carriedFields(definition)) {
    const fieldNode = node.get(keyInManifest);
    if (fieldNode === undefined) continue;
    // A list is an exact set of links, which `readLinks` reads.
    const isValue = !field.writeOnly && field.type !== 'set';
    fields.set(name, { node: fieldNode, value: isValue ? readValue(scope, field, fieldNode) : undefined });
  }
  const duplicates = node.get('allowDuplicate')?.items ?? [];
  const entry = makeEntry(scope, definition, address, node.key, fields);
  const secrets: Record<string, SecretSource> = {};
  for (const [name, { node: fieldNode }] of fields) {
    const source = definition.fields[name]?.writeOnly && readSecret(scope, fieldNode);
    const isKeyField = isKey(definition, name, entry.inputs, scope.base.profile);
    if (source) secrets[name] = { ...source, ...(isKeyField && { isKey: true }) };
  }
  return {
    ...entry,
    secrets,
    fieldsAt: Object.fromEntries([...fields].map(([name, { node: fieldNode }]) => [name, fieldNode.at])),
    ...(idNode && id !== undefined && { id, idAt: idNode.at }),
    allowDuplicate: duplicates.flatMap((item) => item.id(kind) ?? []),
  };
}

/** A field of an entry. A secret and a list of links have no value, and a wrong field has none after it was reported. */
interface FieldLine {
  readonly value?: FieldValue | Reference | undefined;
  readonly node: Node;
}

/** Makes an entry with the members that a link has. `readEntry` adds the others. */
export function makeEntry(
  { base: { organization, profile } }: Scope,
  definition: ResourceDefinition,
  address: string,
  node: Node,
  fields: ReadonlyMap<string, FieldLine>,
): DesiredEntry {
  const inputs: Record<string, FieldValue | Reference> =
    'organization' in definition.fields ? { organization } : {};
  const values: Record<string, FieldValue> = {};
  for (const [name, { value }] of fields) {
    if (value === undefined) continue;
    inputs[name] = value;
    values[name] = plainValue(value);
  }
  for (const { rule, path, message } of violationsAcross(definition, values, fields, profile)) {
    (fields.get(path)?.node ?? node).error(rule, message);
  }
  return { kind: definition.kind, address, at: node.at, inputs, ...membersOfLink };
}

// A hundred thousand links share these.
const membersOfLink = { secrets: {}, fieldsAt: {}, allowDuplicate: [] };

function readValue(scope: Scope, field: Field, node: Node): FieldValue | Reference | undefined {
  if (typeof node.value === 'boolean' || node.value === null) return node.value;
  if (field.refersTo !== undefined) return scope.readReference(field.refersTo, node)?.value;
  return node.text((text) => stringViolation(field, text, scope.base.profile));
}

function readSecret({ base }: Scope, node: Node): SecretSource | undefined {
  if (node.members?.length !== 1) return undefined;
  const variable = node.get('fromEnv');
  if (variable !== undefined) {
    const name = String(variable.value);
    // The value would be sent to the URL that the entry names.
    if (!ownVariable.test(name)) return { fromEnv: name };
    const message = `${name} must not be sent: TETHER_*, TFE_* and AWS_* are Tether's own`;
    return variable.error('secret-source', message);
  }
  const fileNode = node.get('fromFile');
  const file = fileNode?.text();
  if (file === undefined) return undefined;
  if (namesHost(file)) {
    return fileNode?.error('secret-source', 'a secret file must not be on another host: name a local path');
  }
  const absolute = resolve(dirname(node.source.origin.absolute), file);
  const path = relative(base.folder, absolute).replaceAll('\\', '/');
  return { fromFile: isAbsolute(file) ? file : path || '.' };
}
