/** The Pulumi resource classes, as TypeScript, from the definitions. */
import { type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { readProfile } from '../../resources/profile';

const head = `/** Generated from the definitions by \`make docs\`: what each resource takes and shows, and its class. */
import type { Input, Output } from '@pulumi/pulumi';
import { DeclaredResource, type Inputs, isOfKind } from './declare';
`;

/** The text of `provider/pulumi/classes.ts`. */
export function pulumiClasses(types: readonly ResourceType[] = resourceTypes): string {
  return [head, serviceProviders(), ...types.map((type) => `${argsOf(type)}\n${classOf(type)}`)].join('\n');
}

/** The values of the shipped profiles, for editors to complete; any other one may be of a profile file. */
function serviceProviders(): string {
  const names = ['default', 'hcp-terraform'].flatMap((name) =>
    Object.keys(readProfile(name, '.').serviceProviders),
  );
  const values = [...new Set(names)].sort().map((name) => `  | '${name}'\n`);
  return `/** Which VCS provider a client connects to: the values of the shipped profiles, or one of a profile file. */\nexport type ServiceProvider =\n${values.join('')}  | (string & Record<never, never>);\n`;
}

function argsOf({ kind, fields, own }: ResourceType): string {
  const members = Object.entries(fields).map(([name, field]) => {
    return member(
      docOf(field),
      field.required ? `${name}: Input<${inputOf(field)}>` : optional(name, inputOf(field)),
    );
  });
  const further = visible(own).map(([name, input]) => member(input.doc, optional(name, input.type)));
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

/** Its inputs are documented where it implements what it takes. */
function classOf({ kind, doc, fields, own, outputs }: ResourceType): string {
  const inputs = Object.entries(fields).map(([name, field]) => {
    const type = field.writeOnly
      ? `${typeOf(field)} | undefined`
      : typeOf({ ...field, nullable: isNullable(field) });
    return declared(name, type);
  });
  const further = visible(own).map(([name, input]) => declared(name, `${input.type} | undefined`));
  const shown = Object.entries(outputs).map(
    ([name, output]) => `  /** ${output.doc} */\n${declared(name, typeOf(output))}`,
  );
  const clauses = [`extends DeclaredResource<${kind}Args>`, `implements Inputs<${kind}Args>`];
  const line = `export class ${kind} ${clauses.join(' ')} {`;
  const opening = line.length <= 110 ? line : `export class ${kind}\n  ${clauses.join('\n  ')}\n{`;
  return `/** ${doc} */
${opening}
  static override readonly kind = '${kind}';
  static override readonly isInstance = isOfKind<${kind}>('${kind}');
${[...inputs, ...further, ...shown].join('')}}
`;
}

/** Whether the service may show null: a field that was never set has no value, unless the API gives it one. */
function isNullable({ required, default: value = null }: Field): boolean {
  return required !== true && value === null;
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

function declared(name: string, type: string): string {
  return `  declare readonly ${name}: Output<${type}>;\n`;
}

function visible(own: ResourceType['own']): readonly (readonly [string, ResourceType['own'][string]])[] {
  return Object.entries(own).filter(([, input]) => !input.hidden);
}
