/** The Pulumi resource classes, as TypeScript, from the definitions. */
import { isNullable } from '../../provider/functions';
import { type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { readProfile } from '../../resources/profile';

const head = `/** Generated from the definitions by \`make docs\`: what each resource takes and shows, and its class. */
import type { Input } from '@pulumi/pulumi';
import { resourceClass, type StateOf } from './declare';
`;

/** The text of `provider/pulumi/classes.ts`. */
export function pulumiClasses(types: readonly ResourceType[] = resourceTypes): string {
  return [head, serviceProviders(), ...types.map((type) => `${argsOf(type)}\n${classOf(type)}`)].join('\n');
}

/** The values of the shipped profiles, for editors to complete, by the names that the engine gives them; any other one may be of a profile file. */
function serviceProviders(): string {
  const names = ['default', 'hcp-terraform'].flatMap((name) =>
    Object.keys(readProfile(name, '.').serviceProviders),
  );
  const values = [...new Set(names)]
    .sort()
    .map((name) => `  ${name.charAt(0).toUpperCase()}${name.slice(1)}: '${name}',\n`);
  return `/** The values of the shipped profiles, by the names that \`pulumi import\` prints. */
export const ServiceProvider = {
${values.join('')}} as const;

/** Which VCS provider a client connects to: the values of the shipped profiles, or one of a profile file. */
export type ServiceProvider =
  | (typeof ServiceProvider)[keyof typeof ServiceProvider]
  | (string & Record<never, never>);
`;
}

function argsOf({ kind, fields, own }: ResourceType): string {
  const members = Object.entries(fields).map(([name, field]) => {
    return member(
      docOf(field),
      field.required ? `${name}: Input<${inputOf(field)}>` : optional(name, inputOf(field)),
    );
  });
  const further = Object.entries(own).map(([name, input]) => member(input.doc, optional(name, input.type)));
  return `export interface ${kind}Args {
${[...members, ...further].join('')}}
`;
}

function optional(name: string, type: string): string {
  return `${name}?: Input<${type} | undefined>`;
}

function inputOf(field: Field): string {
  if (field.valuesFrom === 'serviceProviders') return 'ServiceProvider';
  return field.type === 'set' ? 'readonly Input<string>[]' : typeOf(field);
}

/** What it shows that is not an input as it was given; empty where all is. */
function shownOf({ kind, fields, outputs }: ResourceType): string {
  const inputs = Object.entries(fields).flatMap(([name, field]) => {
    const type = typeOf({ ...field, nullable: isNullable(field) });
    return field.required || field.writeOnly ? [] : [`  ${name}: ${type};\n`];
  });
  const shown = Object.entries(outputs).map(([name, output]) =>
    member(output.doc, `${name}: ${typeOf(output)}`),
  );
  const members = [...inputs, ...shown];
  return members.length === 0 ? '' : `export interface ${kind}Shown {\n${members.join('')}}\n\n`;
}

function classOf(type: ResourceType): string {
  const { kind, doc } = type;
  const shown = shownOf(type);
  const types = shown === '' ? `${kind}Args` : `${kind}Args, ${kind}Shown`;
  const base = `export class ${kind} extends resourceClass<${types}>`;
  const line = `${base}('${kind}') {}`;
  const declared = line.length <= 110 ? line : `${base}(\n  '${kind}',\n) {}`;
  const state = `/** What is known of one that is read. */\nexport type ${kind}State = StateOf<${types}>;`;
  return `${shown}${state}\n\n/** ${doc} */\n${declared}\n`;
}

function typeOf({ type, nullable }: { readonly type: Field['type']; readonly nullable?: boolean }): string {
  const plain = type === 'set' ? 'string[]' : type;
  return nullable ? `${plain} | null` : plain;
}

function docOf(field: Field): string {
  const change = field.onChange === 'replace' ? ' A change replaces the resource.' : '';
  const unmanaged = field.exactSetOf === undefined ? '' : ' Left out, they are not managed.';
  return `${field.doc}${unmanaged}${change}`;
}

function member(doc: string, text: string): string {
  return `  /** ${doc} */\n  ${text};\n`;
}
