/** Checks the structure of a manifest by the JSON Schema. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { suggestion } from '../resources/names';
import type { Node } from './node';
import { type JsonSchema, ref } from './schema';

export function checkShape(root: Node, validate: ValidateFunction): void {
  if (validate(root.plain())) return;
  const secrets = new Set<string>();
  for (const error of validate.errors ?? []) {
    const { instancePath, schemaPath } = error;
    const isSecret = schemaPath.startsWith('#/definitions/secret/');
    const isPartOfChoice = /\/oneOf\/./.test(schemaPath);
    if (isPartOfChoice || secrets.has(instancePath)) continue;
    const node = nodeAt(root, instancePath);
    if (isSecret) {
      secrets.add(instancePath);
      if (typeof node.value === 'string') node.source.issues.addSecret(node.value);
      const rule = schemaPath.endsWith('/secret/type') ? 'literal-secret' : 'secret-source';
      const rest = error.keyword === 'pattern' ? variableName : `say where the secret is: ${sources}`;
      node.error(rule, `\`${node.path}\` must ${rest}`);
    } else report(node, error);
  }
}

/** Removes the values that repeat a literal secret, because no later message may quote it. */
export function hideRepeats(node: Node, secrets: ReadonlySet<unknown>): void {
  if (secrets.has(node.value)) node.value = undefined;
  for (const below of node.items ?? node.members ?? []) hideRepeats(below, secrets);
}

const sources = '`{ fromEnv: NAME }` or `{ fromFile: path }`, never the secret itself';

const variableName =
  'be the name of an environment variable: letters, digits and underscores, and no digit first';

function nodeAt(root: Node, pointer: string): Node {
  let node = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node = node.items?.[Number(key)] ?? node.get(key) ?? node;
  }
  return node;
}

/** Later passes report what no branch reports here. */
function report(node: Node, { keyword, params, parentSchema = {} }: ErrorObject): void {
  const { path } = node;
  const { properties = {}, oneOf = [] }: JsonSchema = parentSchema;
  if (keyword === 'type') reportWrongType(node, parentSchema);
  else if (keyword === 'required') {
    node.key.error('missing-field', `\`${path}\` needs \`${params.missingProperty}\``);
  } else if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    const value = node.get(name);
    value?.hide();
    const unknown = value?.key;
    const hint = suggestion(name, Object.keys(properties), 'the keys here');
    unknown?.error('unknown-key', `unknown key \`${unknown.path}\`${hint}`);
  } else if (keyword === 'oneOf' && node.members) {
    const forms = oneOf.map(({ required = [] }) => `\`${required.join('` with `')}\``);
    node.error('wrong-keys', `\`${path}\` takes ${forms.join(', or ')}`);
  }
}

const wanted: Readonly<Record<string, readonly [noun: string, hint: string]>> = {
  string: ['a string', 'quote it'],
  boolean: ['`true` or `false`', 'choose one'],
  array: ['a list (`[a, b]`)', 'list its members'],
  object: ['a map (`{ key: value }`)', 'add its members'],
};

function reportWrongType(node: Node, { type: types = [], items }: JsonSchema): void {
  // The schema does not say what is in here, so it may be a secret.
  if (node.items ?? node.members) node.hide();
  const [type = ''] = [types].flat();
  const [noun = type, usual = ''] = wanted[type] ?? [];
  const { value } = node;
  const meant = typeof value === 'string' && value !== '' ? meaningOf(value, type, items) : undefined;
  const hint = meant ?? `${usual}, or leave the line out`;
  node.error('wrong-type', `\`${node.path}\` must be ${noun}, not ${node.describe()}: ${hint}`);
}

/** Says how to write what a string may stand for. No hint is an empty list, which would delete all links of a set. */
function meaningOf(text: string, type: string, items?: JsonSchema): string | undefined {
  const [, yes, no] = /^(?:(y|yes|on|true)|(n|no|off|false))$/i.exec(text) ?? [];
  if (type === 'boolean' && (yes ?? no)) return `for \`${text}\` write \`${yes !== undefined}\``;
  const isListed = items?.type === 'string' || items?.$ref === ref('address').$ref;
  if (type !== 'array' || !isListed) return undefined;
  return `write \`[${/^[\w./-]+$/.test(text) ? text : JSON.stringify(text)}]\``;
}
