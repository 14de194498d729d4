/** The structure of a manifest: what the JSON Schema says of types, keys and required fields, told at the nodes and in words for people. */
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import type { Registry } from '../resources/kind';
import { suggestion } from '../resources/names';
import type { IssueList } from './issues';
import { type JsonSchema, manifestSchema } from './schema';
import { describeNode, hide, type Node } from './yaml';

interface Checker {
  readonly schema: JsonSchema;
  readonly validate: ValidateFunction;
}

/** Compiled at the first use, which takes as long as reading some hundred manifests. */
const checkers = new WeakMap<Registry, Checker>();

function checkerOf(kinds: Registry): Checker {
  const known = checkers.get(kinds);
  if (known !== undefined) return known;
  const schema = manifestSchema(kinds);
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateFormats: false,
    // The schema is ours, and a test compiles it strictly.
    validateSchema: false,
    meta: false,
    code: { optimize: false },
  });
  const checker = { schema, validate: ajv.compile(schema) };
  checkers.set(kinds, checker);
  return checker;
}

/** How the members of a line go together, and whether something is a secret. */
const leftToReaders = /\/oneOf\/|^#\/definitions\/secret\/(?!properties\/)/;

/**
 * Tells every wrong type, unknown key and missing field of a manifest but for `skipped` nodes. What strings mean is left to the
 * readers, who find nothing where a type is wrong.
 */
export function checkShape(root: Node, kinds: Registry, skipped: ReadonlySet<Node>, issues: IssueList): void {
  const { validate, schema } = checkerOf(kinds);
  if (validate(plain(root, skipped))) return;
  for (const error of validate.errors ?? []) {
    const { instancePath, schemaPath, keyword, params } = error;
    if (leftToReaders.test(schemaPath)) continue;
    const node = nodeAt(root, instancePath);
    if (keyword === 'additionalProperties')
      unknownKey(node, String(params.additionalProperty), error, issues);
    else if (keyword === 'required') missingField(node, String(params.missingProperty), issues);
    else if (['type', 'minimum', 'maximum'].includes(keyword)) wrongType(node, error, schema, issues);
  }
}

/** The values alone, in objects without a prototype: any key is only a key. */
function plain(node: Node, skipped: ReadonlySet<Node>): unknown {
  if (node.items !== undefined) return node.items.map((item) => plain(item, skipped));
  if (node.members === undefined) return node.value;
  const members: Record<string, unknown> = Object.create(null);
  for (const [key, member] of node.members) {
    if (!skipped.has(member)) members[key] = plain(member, skipped);
  }
  return members;
}

function nodeAt(root: Node, pointer: string): Node {
  let node: Node = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node = node.items?.[Number(key)] ?? node.members?.get(key) ?? node;
  }
  return node;
}

function unknownKey(parent: Node, key: string, error: ErrorObject, issues: IssueList): void {
  const node = parent.members?.get(key) ?? parent;
  // A misspelt name may stand before a secret.
  hide(node);
  if (key === '<<') {
    const message = 'YAML merge keys (`<<`) are not part of YAML 1.2: write the lines out';
    issues.error('unknown-key', node.key, message);
    return;
  }
  const { properties }: JsonSchema = error.parentSchema ?? {};
  const where = parent.path === '' ? '' : ` in \`${parent.path}\``;
  const near = suggestion(key, Object.keys(properties ?? {}), 'the keys here');
  issues.error('unknown-key', node.key, `unknown key \`${key}\`${where}${near}`);
}

function missingField(node: Node, name: string, issues: IssueList): void {
  const path = `${node.path}.${name}`;
  issues.error('missing-field', { at: node.key.at, path }, `\`${node.path}\` needs \`${name}\``);
}

function wrongType(node: Node, error: ErrorObject, root: JsonSchema, issues: IssueList): void {
  const schema: JsonSchema = error.parentSchema ?? {};
  const [type] = [schema.type ?? []].flat();
  if (node.value === undefined || type === 'object') hide(node);
  const wanted = `\`${node.path}\` must be ${nounOf(schema, root)}, not ${describeNode(node)}`;
  const instead = node.value === null ? insteadOfNull(type, schema) : undefined;
  if (instead !== undefined) issues.error('null-value', node, `${wanted}: ${instead}, or leave the line out`);
  else {
    const quotes = type === 'string' && node.value !== undefined ? ': quote it' : '';
    issues.error('wrong-type', node, `${wanted}${quotes}`);
  }
}

/** What to write for nothing; undefined where there is no such thing. */
function insteadOfNull(type: string | undefined, { properties }: JsonSchema): string | undefined {
  if (type === 'string') return 'give a value';
  if (type === 'array') return 'write [] for none';
  return type === 'object' && properties === undefined ? 'write {} for none' : undefined;
}

/** What belongs there, with an example of a list or a map. */
function nounOf(schema: JsonSchema, root: JsonSchema): string {
  const [type] = [schema.type ?? []].flat();
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'integer') return `a whole number from ${schema.minimum}`;
  if (type === 'string') return 'a string';
  return `${type === 'array' ? 'a list' : 'a map'} such as \`${example(schema, root)}\``;
}

function example(schema: JsonSchema, root: JsonSchema): string {
  const named = schema.$ref?.slice('#/definitions/'.length);
  if (named !== undefined) return example(root.definitions?.[named] ?? {}, root);
  if (schema.type === 'array') {
    const item = example(schema.items ?? {}, root);
    return item === '…' ? '[a, b]' : `[${item}]`;
  }
  if (schema.type !== 'object') return '…';
  if (typeof schema.additionalProperties === 'object') return '{ name: … }';
  const [first = ''] = Object.keys(schema.properties ?? {});
  const keys = schema.required ?? schema.oneOf?.[0]?.required ?? [first];
  return `{ ${keys.map((key) => `${key}: …`).join(', ')} }`;
}
