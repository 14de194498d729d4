/** The reference of the Pulumi classes as Markdown, from the definitions. */
import { isSetType, type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { externalKinds } from '../../resources/names';
import { registry } from '../../resources/registry';
import { changeOf, table } from './manifest-reference';

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
  const further = Object.entries(own).flatMap(([name, input]) =>
    input.hidden ? [] : [[`\`${name}?\``, input.type, 'changes nothing', input.doc]],
  );
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

/** `oc-…`; `oc-…/prj-…` of a link without an id of its own; `ws-…/inbound` of a set. */
function idOf(type: ResourceType): string {
  const { idPrefix, pair, fields } = type.definition;
  if (isSetType(type)) return `${prefixOf(fields[type.fixed]?.refersTo)}-…/${type.direction}`;
  if (idPrefix !== undefined) return `${idPrefix}-…`;
  return pair.map((end) => `${prefixOf(fields[end]?.refersTo)}-…`).join('/');
}

function prefixOf(kind = ''): string | undefined {
  return externalKinds[kind]?.prefix ?? registry.find((one) => one.kind === kind)?.idPrefix;
}
