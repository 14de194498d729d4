/** The reference of the JSON documents, from their schema and the tables of codes. */
import type { JsonSchema } from '../../manifest/schema';
import { errorCodes } from './error-codes';
import { outputSchema } from './output-schema';
import { ruleCodes } from './rule-codes';

const intro = `<!-- Generated from the types and codes: do not edit. -->
# JSON documents and codes

With \`--json\` a command prints one document on stdout and nothing else, and \`--report json=FILE\` writes the same. Their JSON Schema is
[\`schemas/output.schema.json\`](../../schemas/output.schema.json), shipped in the package as \`tether-iac/schemas/output.schema.json\`; it
refuses members that it does not know. \`version\` is the version of the form: it changes when a member goes or gets another meaning. New
members and codes come without that, together with their schema. \`tether schema\` prints the schema of manifests itself.

Sentences (\`message\`, \`because\`, \`why\`, \`text\`) are for people and may change; codes are for programs and do not.`;

const exitCodes: Readonly<Record<number, string>> = {
  0: 'done, or nothing to do',
  1: 'error; or something could not be seen, has a problem, or was left undone',
  2: 'drift found (`drift`), or changes (`plan --detailed-exitcode`)',
  130: 'interrupted; what was done so far is in the ledger',
};

/** Markdown: the documents by command, what they are made of, and every list of codes. */
export function jsonReference(): string {
  const { definitions = {}, oneOf = [] } = outputSchema();
  const documents = oneOf.map(({ $ref = '' }) => definitionName($ref));
  const shapes = Object.keys(definitions).filter((name) => !documents.includes(name));
  const inEach = ['version', 'command', 'exitCode'];
  const head = pick(definitions[documents[0] ?? ''] ?? {}, (name) => inEach.includes(name));
  return `${[
    intro,
    '## In every document',
    members({
      ...head,
      properties: {
        ...head.properties,
        command: { type: 'string', description: 'All its words: `ledger show`.' },
      },
    }),
    ...documents.flatMap((name) => [
      name === 'error' ? '## Errors' : `## \`tether ${name.replace('-', ' ')}\``,
      ...(name === 'error'
        ? ['Of any command that could not do its work. The members besides `error` come with some codes.']
        : []),
      members(pick(definitions[name] ?? {}, (member) => !inEach.includes(member))),
    ]),
    '## Shapes',
    ...shapes.flatMap((name) => [`### ${name}`, shape(definitions[name] ?? {})]),
    '## Exit codes',
    table('Code', Object.entries(exitCodes)),
    '## Error codes',
    '`error.code` says what ended a run, and `code` beside the `message` of a step why that failed.',
    table('Code', Object.entries(errorCodes)),
    '## Rule codes',
    '`rule` of mistakes and warnings in manifests, and of problems that only show against the service or the ledger.',
    table('Rule', Object.entries(ruleCodes)),
  ].join('\n\n')}\n`;
}

function table(first: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return [`| ${first} | Meaning |`, '|---|---|', ...lines].join('\n');
}

function pick(schema: JsonSchema, isWanted: (name: string) => boolean): JsonSchema {
  const wanted = Object.entries(schema.properties ?? {}).filter(([name]) => isWanted(name));
  return { ...schema, properties: Object.fromEntries(wanted) };
}

/** An object as a table, anything else as a line. */
function shape(schema: JsonSchema): string {
  return schema.properties === undefined ? typeText(schema) : members(schema);
}

function members({ properties = {}, required = [] }: JsonSchema): string {
  return ['| Member | Type | Meaning |', '|---|---|---|', ...rows('', properties, required)].join('\n');
}

/** Those of nested objects without a name of their own, too. */
function rows(
  before: string,
  properties: NonNullable<JsonSchema['properties']>,
  required: readonly string[],
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${before}${name}`;
    const optional = required.includes(name) ? '' : ', may be absent';
    const { description = '' } = schema as { description?: string };
    const inner = schema.type === 'array' ? schema.items : schema;
    const below = schema.type === 'array' ? `${path}[].` : `${path}.`;
    return [
      `| \`${path}\` | ${typeText(schema)}${optional} | ${description.replaceAll('\n', ' ')} |`,
      ...rows(below, inner?.properties ?? {}, inner?.required ?? []),
    ];
  });
}

function typeText(schema: JsonSchema): string {
  const { $ref, items, additionalProperties, type } = schema;
  const {
    allOf,
    anyOf,
    const: only,
    enum: values,
  } = schema as {
    allOf?: readonly JsonSchema[];
    anyOf?: readonly JsonSchema[];
    const?: unknown;
    enum?: readonly unknown[];
  };
  if ($ref !== undefined) return `[${definitionName($ref)}](#${definitionName($ref).toLowerCase()})`;
  if (allOf?.[0] !== undefined) return typeText(allOf[0]);
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  // Those are listed below.
  if (values !== undefined && values.length > 25) return 'code';
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (items !== undefined) return `list of ${typeText(items)}`;
  if (typeof additionalProperties === 'object') return `map to ${typeText(additionalProperties)}`;
  return String(type);
}

function definitionName(reference: string): string {
  return reference.replace('#/definitions/', '');
}
