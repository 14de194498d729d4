/** Reads entries, and the fields of entries and lines. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import {
  type Field,
  type FieldValue,
  isReference,
  type Reference,
  type ResourceDefinition,
  type SecretSource,
} from '../resources/kind';
import { externalKinds } from '../resources/names';
import { stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { EntryNode, Scope } from './names';
import type { Node } from './node';
import { readExact, resolveName, type Target, textOfTarget } from './references';

/** The keys are the names of fields in code. */
export interface Fields {
  readonly inputs: Readonly<Record<string, FieldValue | Reference>>;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** A wrong field, which was reported, appears only here. */
  readonly spots: ReadonlyMap<string, Node>;
  /** The objects that fields with one reference name. */
  readonly targets: ReadonlyMap<string, Target>;
}

export function readEntry(scope: Scope, { definition, address, node }: EntryNode): DesiredEntry {
  const { kind } = definition;
  const idNode = node.get('id');
  const id = idNode?.id(kind);
  const fields = readFields(scope, definition, node);
  const beside = node.get('allowDuplicate')?.items ?? [];
  return {
    ...entryOf(scope, definition, address, node.key, fields),
    fieldsAt: Object.fromEntries([...fields.spots].map(([name, { at }]) => [name, at])),
    ...(idNode && id !== undefined && { id, idAt: idNode.at }),
    allowDuplicate: beside.flatMap((item) => item.id(kind) ?? []),
  };
}

export function entryOf(
  { base }: Scope,
  definition: ResourceDefinition,
  address: string,
  spot: Node,
  { inputs, secrets, spots }: Fields,
): DesiredEntry {
  const values: Record<string, FieldValue> = {};
  for (const name of Object.keys(inputs)) {
    const value = inputs[name] ?? null;
    values[name] = isReference(value) ? value.address : value;
  }
  const violations = violationsAcross(definition, values, spots, base.profile);
  for (const { rule, path, message } of violations) {
    (spots.get(path) ?? spot).error(rule, message);
  }
  const { kind } = definition;
  return { kind, address, at: spot.at, inputs, secrets, fieldsAt: noPositions, allowDuplicate: noIds };
}

// A hundred thousand links share these.
const noPositions: DesiredEntry['fieldsAt'] = {};
const noIds: DesiredEntry['allowDuplicate'] = [];
const noSecrets: Fields['secrets'] = {};

/** Reads all fields except lists of links. */
export function readFields(scope: Scope, definition: ResourceDefinition, parent: Node): Fields {
  const inputs: Record<string, FieldValue | Reference> = {};
  let secrets = noSecrets;
  const spots = new Map<string, Node>();
  const targets = new Map<string, Target>();
  for (const [name, field] of Object.entries(definition.fields)) {
    const { manifestName: written = name, refersTo } = field;
    if (written === null && refersTo === 'organization') inputs[name] = scope.base.organization;
    const node = parent.get(written ?? '');
    if (node === undefined) continue;
    spots.set(name, node);
    if (node.isBroken) continue;
    if (field.writeOnly) {
      const source = readSecret(scope, node);
      if (source) secrets = { ...secrets, [name]: source };
    } else if (field.type === 'set') {
      if (!field.exactSetOf) inputs[name] = readSet(scope, field, node).map(textOfTarget);
    } else if (typeof node.value === 'boolean' || node.value === null) {
      inputs[name] = node.value;
    } else {
      const target = readTarget(scope, field, node);
      if (target === undefined) continue;
      inputs[name] = target.value;
      targets.set(name, target);
    }
  }
  return { inputs, secrets, spots, targets };
}

/** Reads the members of a list. It reports wrong members and leaves them out. */
export function readSet(scope: Scope, field: Field, { items = [] }: Node): Target[] {
  return items.flatMap((item) => readTarget(scope, field, item) ?? []);
}

function readTarget(scope: Scope, field: Field, node: Node): Target | undefined {
  const { refersTo = '' } = field;
  if (node.members && refersTo in externalKinds) return readExact(scope, refersTo, node);
  const text = node.text(field.format === 'text');
  if (text === undefined) return undefined;
  if (refersTo !== '') return resolveName(scope, refersTo, text, node);
  const violation = stringViolation(field, text, scope.base.profile);
  if (violation !== undefined) return node.reportViolation(violation, text);
  return { value: text, shown: text, spot: node };
}

function readSecret({ base }: Scope, node: Node): SecretSource | undefined {
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
  return { fromFile: isAbsolute(file) ? file : below };
}
