/** The reference of the Pulumi classes as Markdown, from the definitions. */
import { type ReadFunction, readFunctions } from '../../provider/functions';
import { type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { changeOf, table } from './manifest-reference';
import { idOf, prefixOf } from './pulumi-examples';

/** The whole page. */
export function pulumiReference(): string {
  const classes = resourceTypes.map(classReference);
  return `${[intro, ...classes, functions, ...readFunctions.map(functionReference)].join('\n\n')}\n`;
}

const intro = `<!-- Generated from the definitions of the kinds: do not edit. -->
# Pulumi classes

Of \`tether-iac/pulumi\`; [the guide](../pulumi.md) shows them at work. What is required has no \`?\`. Outputs are known after the
resource was read or written. \`CLASS.get(name, id, state?)\` reads what exists and never changes it; where \`state\` has its organization, or
its ends, many share a list. SDKs of other languages have the same under the names of that language; their schema
is [\`pulumi.schema.json\`](../../schemas/pulumi.schema.json).`;

const functions = `## Functions

Each reads without a resource. \`NAMEOutput\` takes inputs that are only known later, and \`dependsOn\`. Where
the one output is a list, TypeScript gives the list itself: \`(await listRunTriggers(…))[0]\`; other languages give an object with that member.`;

function classReference(type: ResourceType): string {
  const { kind, doc, fields, own, outputs } = type;
  const inputs = Object.entries(fields).map(([name, field]) => [
    `\`${name}${field.required ? '' : '?'}\``,
    typeOf(field),
    changeOf(field),
    `${field.doc}${field.writeOnly ? ' A secret.' : ''}`,
  ]);
  const further = Object.entries(own).map(([name, input]) => [
    `\`${name}?\``,
    input.type,
    'changes nothing',
    input.doc,
  ]);
  const shown = Object.entries(outputs).map(([name, output]) => [`\`${name}\``, typeOf(output), output.doc]);
  return [
    `## ${kind}\n\n${doc} Its id is \`${idOf(type)}\`.`,
    table(['Input', 'Type', 'A change', 'Meaning'], [...inputs, ...further]),
    ...(shown.length === 0 ? [] : [table(['Output', 'Type', 'Meaning'], shown)]),
  ].join('\n\n');
}

function functionReference({ name, doc, inputs, outputs }: ReadFunction): string {
  const taken = Object.entries(inputs).map(([input, { required, refersTo, doc: meaning }]) => [
    `\`${input}${required ? '' : '?'}\``,
    typeOf({ type: 'string', refersTo }),
    meaning,
  ]);
  const given = Object.entries(outputs).map(([output, result]) => [
    `\`${output}\``,
    result.type === 'list' ? `list of ${result.of.kind}` : typeOf(result),
    result.doc,
  ]);
  return [
    `### ${name}\n\n${doc}`,
    table(['Input', 'Type', 'Meaning'], taken),
    table(['Output', 'Type', 'Meaning'], given),
  ].join('\n\n');
}

type Typed = Pick<Field, 'type' | 'nullable'> & { readonly refersTo?: string | undefined };

function typeOf({ type, refersTo, nullable }: Typed): string {
  const prefix = prefixOf(refersTo);
  const plain = type === 'set' ? 'string' : type;
  const one = prefix === undefined ? plain : `\`${prefix}-…\` id`;
  return `${type === 'set' ? `list of ${one}s` : one}${nullable ? ' or null' : ''}`;
}
