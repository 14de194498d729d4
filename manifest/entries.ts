/** Reads entries and their fields. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Field, FieldValue, Reference, ResourceDefinition, SecretSource } from '../resources/kind';
import { namesHost } from '../resources/plain-file';
import { ownVariable } from '../resources/secrets';
import { isKey, stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { EntryNode, Scope } from './names';
import type { Node } from './node';
import { plainValue, readReference } from './references';
import { carriedFields } from './schema';

export function readEntry(scope: Scope, { definition, address, node }: EntryNode): DesiredEntry {
  const { kind } = definition;
  const idNode = node.get('id');
  const id = idNode?.id(kind);
  const fields = new Map<string, FieldLine>();
  for (const { written, name, field } of carriedFields(definition)) {
    const spot = node.get(written);
    if (spot === undefined) continue;
    // A list is an exact set of links, which `LinkReader` reads.
    const isOther = field.writeOnly || field.type === 'set';
    fields.set(name, { spot, value: isOther ? undefined : readValue(scope, field, spot) });
  }
  const beside = node.get('allowDuplicate')?.items ?? [];
  const entry = entryOf(scope, definition, address, node.key, fields);
  const secrets: Record<string, SecretSource> = {};
  for (const [name, { spot }] of fields) {
    const source = definition.fields[name]?.writeOnly && readSecret(scope, spot);
    const isText = isKey(definition, name, entry.inputs, scope.base.profile);
    if (source) secrets[name] = { ...source, ...(isText && { isKey: true }) };
  }
  return {
    ...entry,
    secrets,
    fieldsAt: Object.fromEntries([...fields].map(([name, { spot }]) => [name, spot.at])),
    ...(idNode && id !== undefined && { id, idAt: idNode.at }),
    allowDuplicate: beside.flatMap((item) => item.id(kind) ?? []),
  };
}

/** A field without a value is a secret, a list of links, or wrong, which was reported. */
interface FieldLine {
  readonly value?: FieldValue | Reference | undefined;
  readonly spot: Node;
}

/** Makes an entry without the members that only an object of its own has. */
export function entryOf(
  { base: { organization, profile } }: Scope,
  definition: ResourceDefinition,
  address: string,
  spot: Node,
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
    (fields.get(path)?.spot ?? spot).error(rule, message);
  }
  return { kind: definition.kind, address, at: spot.at, inputs, ...ofLink };
}

// A hundred thousand links share these.
const ofLink = { secrets: {}, fieldsAt: {}, allowDuplicate: [] };

function readValue(scope: Scope, field: Field, node: Node): FieldValue | Reference | undefined {
  if (typeof node.value === 'boolean' || node.value === null) return node.value;
  if (field.refersTo !== undefined) return readReference(scope, field.refersTo, node)?.value;
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
  const path = node.get('fromFile');
  const file = path?.text();
  if (file === undefined) return undefined;
  if (namesHost(file)) {
    return path?.error('secret-source', 'a secret file must not be on another host: name a local path');
  }
  const absolute = resolve(dirname(node.source.origin.absolute), file);
  const below = relative(base.folder, absolute).replaceAll('\\', '/');
  return { fromFile: isAbsolute(file) ? file : below || '.' };
}
