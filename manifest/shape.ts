/** Checks the structure of a manifest by the JSON Schema; errors are reported at the nodes, in plain words. */
import type { ValidateFunction } from 'ajv';
import type { Registry } from '../resources/kind';
import { suggestion } from '../resources/names';
import { validatorOf } from '../resources/validator';
import type { Node } from './node';
import { type JsonSchema, manifestSchema } from './schema';

interface Checked {
  readonly schema: JsonSchema;
  readonly validate: ValidateFunction;
}

const checked = new WeakMap<Registry, Checked>();

function checkedBy(kinds: Registry): Checked {
  const known = checked.get(kinds);
  if (known) return known;
  const schema = manifestSchema(kinds);
  const made = { schema, validate: validatorOf('manifest', schema) };
  checked.set(kinds, made);
  return made;
}

const aboutSecret = /^#\/definitions\/secret\//;
/** Rules whose breaches the readers report in better words: combinations of keys, and secrets. */
const leftToReaders = /\/oneOf\/|^#\/definitions\/secret\/(?!properties\/)/;

/** Reports every wrong type, unknown key and missing field. What strings mean is left to the readers. */
export function checkShape(root: Node, kinds: Registry): void {
  const { schema, validate } = checkedBy(kinds);
  if (validate(root.plain())) return;
  for (const { instancePath, schemaPath, keyword, params, parentSchema = {} } of validate.errors ?? []) {
    const node = nodeAt(root, instancePath);
    // What stands in place of a secret's source may be the secret.
    if (aboutSecret.test(schemaPath)) node.hide();
    if (leftToReaders.test(schemaPath)) continue;
    if (keyword === 'additionalProperties') {
      reportUnknownKey(node, String(params.additionalProperty), parentSchema);
    } else if (keyword === 'required') {
      const name = String(params.missingProperty);
      node.reportMissing(name, `\`${node.path}\` needs \`${name}\``);
    } else if (['type', 'minimum', 'maximum'].includes(keyword)) {
      reportWrongType(node, parentSchema, schema, kinds);
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

function reportWrongType(node: Node, schema: JsonSchema, root: JsonSchema, kinds: Registry): void {
  const [type] = [schema.type ?? []].flat();
  if (node.value === undefined || type === 'object') node.hide();
  const wanted = `\`${node.path}\` must be ${nounOf(type, schema, root)}, not ${node.describe()}`;
  const instead = node.value === null ? insteadOfNull(type, schema) : undefined;
  if (instead === undefined) node.error('wrong-type', `${wanted}${remedyOf(type, node, kinds)}`);
  else node.error('null-value', `${wanted}: ${instead}, or leave the line out`);
}

/** What was probably meant. */
function remedyOf(type: string | undefined, { path, value, items }: Node, kinds: Registry): string {
  if (type === 'string' && value !== undefined) return ': quote it';
  if (type === 'boolean' && typeof value === 'string') {
    if (/^(?:true|false)$/i.test(value)) return `: write ${value.toLowerCase()} without quotes`;
    const meant = /^(?:y|yes|on)$/i.test(value) ? 'true' : /^(?:n|no|off)$/i.test(value) ? 'false' : '';
    return meant && `: \`${value}\` is a string in YAML 1.2, write \`${meant}\``;
  }
  const ends = kinds.flatMap(({ section }) => (path.startsWith(`${section.name}[`) ? section.ends : []));
  const end = items && ends.find(({ singular }) => path.endsWith(`].${singular}`));
  if (!end) return '';
  return end.plural ? `: write \`${end.plural}: […]\` for exactly these` : ': write a line for each';
}

/** What to write for nothing; undefined where there is no such thing. */
function insteadOfNull(type: string | undefined, { properties }: JsonSchema): string | undefined {
  if (type === 'string') return 'give a value';
  if (type === 'array') return 'write [] for none';
  return type === 'object' && !properties ? 'write {} for none' : undefined;
}

function nounOf(type: string | undefined, schema: JsonSchema, root: JsonSchema): string {
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (type === 'string') return 'a string';
  return `${type === 'array' ? 'a list' : 'a map'} such as \`${example(schema, root)}\``;
}

function example({ $ref, type, items, ...schema }: JsonSchema, root: JsonSchema): string {
  if ($ref) return example(root.definitions?.[$ref.replace('#/definitions/', '')] ?? {}, root);
  if (type === 'array') {
    const item = example(items ?? {}, root);
    return item === '…' ? '[a, b]' : `[${item}]`;
  }
  if (type !== 'object') return '…';
  if (typeof schema.additionalProperties === 'object') return '{ name: … }';
  const [first = ''] = Object.keys(schema.properties ?? {});
  const keys = schema.required ?? schema.oneOf?.[0]?.required ?? [first];
  return `{ ${keys.map((key) => `${key}: …`).join(', ')} }`;
}
