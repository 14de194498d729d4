/** Checks the structure of a manifest by the JSON Schema. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonSchema } from '../resources/json-schema';
import { suggestion } from '../resources/names';
import { registry } from '../resources/registry';
import type { IssueList } from './issues';
import type { Node } from './node';
import { ref } from './schema';
import { word } from './source';

/**
 * Frames show the values of these top-level keys, and `***` for all others. A URL may hold a password, and a client a literal secret, so a new
 * key is shown only if it is added here.
 */
const shownKeys = [
  ...['organization', 'profile', 'aliases', 'forget', 'approved'],
  ...registry.flatMap(({ section }) => (section.form === 'links' ? section.name : [])),
];

type Mistake = readonly [node: Node, error: ErrorObject];

/** Finds literal secrets first, because no other message may quote one. */
export function checkShapes(roots: readonly Node[], validate: ValidateFunction, issues: IssueList): void {
  const mistakes = roots.flatMap((root) => findMistakes(root, validate));
  for (const root of roots) hideRepeats(root, issues.literalSecrets);
  for (const [node, error] of mistakes) report(node, error);
  for (const root of roots) {
    for (const key of shownKeys) publish(root.get(key), issues);
  }
}

/** Reports wrong secrets, and returns the other mistakes. */
function findMistakes(root: Node, validate: ValidateFunction): readonly Mistake[] {
  if (validate(root.plain())) return [];
  const secrets = new Set<string>();
  return (validate.errors ?? []).flatMap((error): Mistake[] => {
    const { instancePath, schemaPath } = error;
    const isPartOfChoice = /\/oneOf\/./.test(schemaPath);
    if (isPartOfChoice || secrets.has(instancePath)) return [];
    const node = findNode(root, instancePath);
    if (!schemaPath.startsWith('#/definitions/secret/')) return [[node, error]];
    secrets.add(instancePath);
    if (typeof node.value === 'string') node.source.issues.literalSecrets.add(node.value);
    const rule = schemaPath.endsWith('/secret/type') ? 'literal-secret' : 'secret-source';
    const rest = error.keyword === 'pattern' ? variableName : `say where the secret is: ${sources}`;
    node.error(rule, `\`${node.path}\` must ${rest}`);
    return [];
  });
}

/** Removes the values that repeat a literal secret. */
function hideRepeats(node: Node, secrets: ReadonlySet<unknown>): void {
  if (secrets.has(node.value)) node.value = undefined;
  for (const child of node.items ?? node.members ?? []) hideRepeats(child, secrets);
}

/** Frames show these words from now on. */
function publish(node: Node | undefined, issues: IssueList): void {
  for (const text of [node?.name, node?.value]) {
    for (const part of String(text ?? '').match(word) ?? []) issues.publicWords.add(part);
  }
  for (const child of node?.items ?? node?.members ?? []) publish(child, issues);
}

const sources = '`{ fromEnv: NAME }` or `{ fromFile: path }`, never the secret itself';

const variableName =
  'be the name of an environment variable: letters, digits and underscores, and no digit first';

function findNode(root: Node, pointer: string): Node {
  let node = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node = node.items?.[Number(key)] ?? node.get(key) ?? node;
  }
  return node;
}

/** Reports a violation of the schema. `keywordsOfLaterPasses` has the keywords that it leaves alone. */
function report(node: Node, { keyword, params, parentSchema = {} }: ErrorObject): void {
  reporters[keyword]?.(node, parentSchema, params);
}

type Reporter = (node: Node, schema: JsonSchema, params: ErrorObject['params']) => void;

/** `test/manifest/schema-and-reader.test.ts` fails for a keyword of the schema that is in neither list. */
export const reporters: Readonly<Record<string, Reporter>> = {
  type: reportWrongType,
  required: (node, _schema, { missingProperty }) => {
    node.key.error('missing-field', `\`${node.path}\` needs \`${missingProperty}\``);
  },
  additionalProperties: (node, { properties = {} }, { additionalProperty }) => {
    const name = String(additionalProperty);
    const member = node.get(name);
    const hint = suggestion(name, Object.keys(properties), 'the keys here');
    member?.key.error('unknown-key', `unknown key \`${member.path}\`${hint}`);
    member?.clear();
  },
  oneOf: (node, { oneOf = [] }) => {
    if (!node.members) return;
    const forms = oneOf.map(({ required = [] }) => `\`${required.join('` with `')}\``);
    node.error('wrong-keys', `\`${node.path}\` takes ${forms.join(', or ')}`);
  },
};

/** The passes after this one check what these keywords describe, and say more about it, such as which id a value is. */
export const keywordsOfLaterPasses = ['const', 'minLength', 'pattern', 'propertyNames'];

const typeTexts: Readonly<Record<string, readonly [noun: string, hint: string]>> = {
  string: ['a string', 'quote it, or leave the line out'],
  boolean: ['`true` or `false`', 'choose one, or leave the line out'],
  // A list or map that is left out would delete what Tether manages of it.
  array: ['a list (`[a, b]`)', 'list its members'],
  object: ['a map (`{ key: value }`)', 'add its members'],
};

function reportWrongType(node: Node, { type: types = [], items }: JsonSchema): void {
  const [type = ''] = [types].flat();
  const [noun = type, usual = ''] = typeTexts[type] ?? [];
  const { value } = node;
  const fix = typeof value === 'string' && value !== '' ? suggestSpelling(value, type, items) : undefined;
  node.error('wrong-type', `\`${node.path}\` must be ${noun}, not ${node.describe()}: ${fix ?? usual}`);
  // The schema does not say what is in a list or map that does not belong here.
  if (value === undefined) node.clear();
}

/** Says how to write what a string may stand for. It never suggests an empty list, which would delete all links of a set. */
function suggestSpelling(text: string, type: string, items?: JsonSchema): string | undefined {
  const [, yes, no] = /^(?:(y|yes|on|true)|(n|no|off|false))$/i.exec(text) ?? [];
  if (type === 'boolean' && (yes ?? no)) return `for \`${text}\` write \`${yes !== undefined}\``;
  const isListOfStrings = items?.type === 'string' || items?.$ref === ref('address').$ref;
  const member = /^[\w./ ()-]+$/.test(text) ? text : JSON.stringify(text);
  return type === 'array' && isListOfStrings ? `write \`[${member}]\`` : undefined;
}
