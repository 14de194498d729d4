/** Checks the structure of a manifest by the JSON Schema, and reports errors at the nodes, in plain words. */
import type { ValidateFunction } from 'ajv';
import type { Registry } from '../resources/kind';
import { suggestion } from '../resources/names';
import { validatorOf } from '../resources/validator';
import type { Node } from './node';
import { type JsonSchema, manifestSchema } from './schema';

const validators = new WeakMap<Registry, ValidateFunction>();

function validatorFor(kinds: Registry): ValidateFunction {
  const known = validators.get(kinds) ?? validatorOf('manifest', manifestSchema(kinds));
  validators.set(kinds, known);
  return known;
}

const aboutSecret = /^#\/definitions\/secret\//;
/** The readers report these in better words: combinations of keys, and secrets. */
const leftToReaders = /\/oneOf\/|^#\/definitions\/secret\/(?!properties\/)/;

/** Reports every wrong type, unknown key and missing field. The readers check what strings mean. */
export function checkShape(root: Node, kinds: Registry): void {
  const validate = validatorFor(kinds);
  if (validate(root.plain())) return;
  for (const { instancePath, schemaPath, keyword, params, parentSchema = {} } of validate.errors ?? []) {
    const node = nodeAt(root, instancePath);
    // What stands in place of a secret's source may be the secret.
    if (aboutSecret.test(schemaPath)) node.hide();
    if (leftToReaders.test(schemaPath)) continue;
    if (keyword === 'type') reportWrongType(node, parentSchema);
    else if (keyword === 'required') {
      const name = String(params.missingProperty);
      node.reportMissing(name, `\`${node.path}\` needs \`${name}\``);
    } else if (keyword === 'additionalProperties') {
      reportUnknownKey(node, String(params.additionalProperty), parentSchema);
    }
  }
}

function nodeAt(root: Node, pointer: string): Node {
  let node = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node = node.items?.[Number(key)] ?? node.get(key) ?? node;
  }
  return node;
}

function reportUnknownKey(parent: Node, key: string, { properties = {} }: JsonSchema): void {
  const where = parent.path === '' ? '' : ` in \`${parent.path}\``;
  const message =
    key === '<<'
      ? 'YAML merge keys (`<<`) are not part of YAML 1.2: write the lines out'
      : `unknown key \`${key}\`${where}${suggestion(key, Object.keys(properties), 'the keys here')}`;
  // A misspelt name may stand before a secret.
  (parent.get(key) ?? parent).hide().key.error('unknown-key', message);
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: '`true` or `false`',
  array: 'a list (`[a, b]`, or lines that begin with `-`)',
  object: 'a map (`{ key: value }`, or lines with keys)',
};

function reportWrongType(node: Node, { type: types = [], properties }: JsonSchema): void {
  const [type = ''] = [types].flat();
  if (node.value === undefined || type === 'object') node.hide();
  const wrong = `\`${node.path}\` must be ${nouns[type]}, not ${node.describe()}`;
  const nothing = type === 'string' ? 'give a value' : type === 'array' ? 'write [] for none' : undefined;
  const instead = nothing ?? (type === 'object' && !properties ? 'write {} for none' : undefined);
  if (node.value === null && instead !== undefined) {
    node.error('null-value', `${wrong}: ${instead}, or leave the line out`);
  } else node.error('wrong-type', `${wrong}${remedyOf(type, node)}`);
}

/** Says what was probably meant. */
function remedyOf(type: string, { value }: Node): string {
  if (type === 'string' && value !== undefined) return ': quote it';
  if (type !== 'boolean' || typeof value !== 'string') return '';
  const meant = [/^(?:true|y|yes|on)$/i, /^(?:false|n|no|off)$/i].findIndex((words) => words.test(value));
  return meant < 0 ? '' : `: \`${value}\` is a string here, write \`${meant === 0}\``;
}
