/** Reads entries and their fields. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type {
  DesiredValues,
  Field,
  FieldValue,
  Reference,
  ResourceDefinition,
  SecretSource,
} from '../resources/kind';
import { stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { EntryNode, Scope } from './names';
import type { Node } from './node';
import { plainValue, readReference } from './references';
import { carriedFields } from './schema';

export function readEntry(scope: Scope, { definition, address, node }: EntryNode): DesiredEntry {
  const { kind } = definition;
  const idNode = node.get('id');
  const id = idNode?.id(kind);
  const { inputs, secrets, spots } = readFields(scope, definition, node);
  const beside = node.get('allowDuplicate')?.items ?? [];
  return {
    ...entryOf(scope, definition, address, node.key, inputs, spots),
    secrets,
    fieldsAt: Object.fromEntries([...spots].map(([name, { at }]) => [name, at])),
    ...(idNode && id !== undefined && { id, idAt: idNode.at }),
    allowDuplicate: beside.flatMap((item) => item.id(kind) ?? []),
  };
}

/** Makes an entry without the members that only an object of its own has. */
export function entryOf(
  { base }: Scope,
  definition: ResourceDefinition,
  address: string,
  spot: Node,
  inputs: DesiredValues,
  spots: ReadonlyMap<string, Node>,
): DesiredEntry {
  const values = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, plainValue(value)]));
  const violations = violationsAcross(definition, values, spots, base.profile);
  for (const { rule, path, message } of violations) {
    (spots.get(path) ?? spot).error(rule, message);
  }
  return { kind: definition.kind, address, at: spot.at, inputs, ...ofLink };
}

// A hundred thousand links share these.
const ofLink = { secrets: {}, fieldsAt: {}, allowDuplicate: [] };

/** Reads all fields except lists of links. A wrong field, which was reported, appears only in `spots`. */
function readFields(scope: Scope, definition: ResourceDefinition, parent: Node) {
  const { organization } = scope.base;
  const inputs: Record<string, FieldValue | Reference> =
    'organization' in definition.fields ? { organization } : {};
  const secrets: Record<string, SecretSource> = {};
  const spots = new Map<string, Node>();
  for (const { written, name, field } of carriedFields(definition)) {
    const node = parent.get(written);
    if (node === undefined) continue;
    spots.set(name, node);
    // A list is an exact set of links, which `LinkReader` reads.
    if (field.type === 'set') continue;
    if (field.writeOnly) {
      const source = readSecret(scope, node);
      if (source) secrets[name] = source;
    } else {
      const value = readValue(scope, field, node);
      if (value !== undefined) inputs[name] = value;
    }
  }
  return { inputs, secrets, spots };
}

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
    if (!/^(?:TETHER|TFE|AWS)_/i.test(name)) return { fromEnv: name };
    const message = `${name} must not be sent: TETHER_*, TFE_* and AWS_* are Tether's own`;
    return variable.error('secret-source', message);
  }
  const file = node.get('fromFile')?.text();
  if (file === undefined) return undefined;
  const absolute = resolve(dirname(node.source.origin.absolute), file);
  const below = relative(base.folder, absolute).replaceAll('\\', '/');
  return { fromFile: isAbsolute(file) ? file : below || '.' };
}
