/** The reference of the Pulumi classes as Markdown, from the definitions. */
import { type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { changeOf, table } from './manifest-reference';
import { idOf, prefixOf } from './pulumi-examples';

/** The whole page. */
export function pulumiReference(): string {
  return `${[intro, ...resourceTypes.map(classReference)].join('\n\n')}\n`;
}

const intro = `<!-- Generated from the definitions of the kinds: do not edit. -->
# Pulumi classes

Of \`tether-iac/pulumi\`; [the guide](../pulumi.md) shows them at work. What is required has no \`?\`. Outputs are known after the
resource was read or written. \`CLASS.get(name, id)\` reads what exists and never changes it.`;

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
  const shown = Object.entries(outputs).map(([name, output]) => [`\`${name}\``, output.type, output.doc]);
  return [
    `## ${kind}\n\n${doc} Its id is \`${idOf(type)}\`.`,
    table(['Input', 'Type', 'A change', 'Meaning'], [...inputs, ...further]),
    ...(shown.length === 0 ? [] : [table(['Output', 'Type', 'Meaning'], shown)]),
  ].join('\n\n');
}

function typeOf({ type, refersTo, nullable }: Field): string {
  const prefix = prefixOf(refersTo);
  const one = prefix === undefined ? type : `\`${prefix}-…\` id`;
  return `${type === 'set' ? `list of ${one}s` : one}${nullable ? ' or null' : ''}`;
}
