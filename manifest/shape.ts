/** Checks the structure of a manifest by the JSON Schema. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { suggestion } from '../resources/names';
import type { Node } from './node';
import type { JsonSchema } from './schema';

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
      if (typeof node.value === 'string') node.source.issues.literalSecrets.add(node.value);
      const rule = schemaPath.endsWith('/secret/type') ? 'literal-secret' : 'secret-source';
      node.error(rule, `\`${node.path}\` must say where the secret is: ${sources}`);
    } else report(node, error);
  }
}

/** Removes the values that repeat a literal secret, because no later message may quote it. */
export function hideRepeats(node: Node, secrets: ReadonlySet<unknown>): void {
  if (secrets.has(node.value)) node.value = undefined;
  for (const below of node.items ?? node.members ?? []) hideRepeats(below, secrets);
}

const sources = '`{ fromEnv: NAME }` or `{ fromFile: path }`, never the secret itself';

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
    const unknown = node.get(name)?.key;
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
  array: ['a list (`[a, b]`)', 'write [] for none'],
  object: ['a map (`{ key: value }`)', 'write {} for none'],
};

function reportWrongType(node: Node, { type: types = [] }: JsonSchema): void {
  const [type = ''] = [types].flat();
  const [noun = type, hint = ''] = wanted[type] ?? [];
  const wrong = `\`${node.path}\` must be ${noun}, not ${node.describe()}`;
  node.error('wrong-type', `${wrong}: ${hint}, or leave the line out`);
}
