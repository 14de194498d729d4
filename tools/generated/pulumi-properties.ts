/** The typed properties of the Pulumi resources, as TypeScript, from the definitions. */
import { clientInputs, type OwnInput, setInputs } from '../../provider/own-inputs';
import { inboundSet, outboundSet, setFields } from '../../provider/set-kinds';
import type { Field, Output } from '../../resources/kind';
import { readProfile } from '../../resources/profile';
import { definitionOf } from '../../resources/registry';

interface Kind {
  readonly kind: string;
  readonly doc: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly own: Readonly<Record<string, OwnInput>>;
  readonly outputs: Readonly<Record<string, Output>>;
}

function ofRegistry(kind: string, own: Kind['own'] = {}, outputs: Kind['outputs'] = {}): Kind {
  const definition = definitionOf(kind);
  return { ...definition, own, outputs: { ...definition.outputs, ...outputs } };
}

const kinds: readonly Kind[] = [
  ofRegistry('OAuthClient', clientInputs),
  ofRegistry(
    'ProjectAttachment',
    {},
    { organization: { type: 'string', doc: 'Name of the organization that owns the client.' } },
  ),
  ofRegistry('RunTrigger'),
  ...[inboundSet, outboundSet].map((set) => ({
    kind: set.kind,
    doc: set.doc,
    fields: setFields(set),
    own: setInputs,
    outputs: {},
  })),
];

const head = `/** Generated from the definitions by \`make docs\`: what each resource takes, and what it shows. */
import { CustomResource, type Input, type Output } from '@pulumi/pulumi';
`;

/** The text of \`provider/pulumi/properties.ts\`. */
export function pulumiProperties(): string {
  return [head, serviceProviders(), ...kinds.map((kind) => `${argsOf(kind)}\n${classOf(kind)}`)].join('\n');
}

/** The values of the shipped profiles, for editors to complete; any other one may be of a profile file. */
function serviceProviders(): string {
  const names = ['default', 'hcp-terraform'].flatMap((name) =>
    Object.keys(readProfile(name, '.').serviceProviders),
  );
  const values = [...new Set(names)].sort().map((name) => `  | '${name}'\n`);
  return `/** Which VCS provider a client connects to: the values of the shipped profiles, or one of a profile file. */\nexport type ServiceProvider =\n${values.join('')}  | (string & Record<never, never>);\n`;
}

function argsOf({ kind, fields, own }: Kind): string {
  const members = Object.entries(fields).map(([name, field]) => {
    return member(
      docOf(field),
      field.required ? `${name}: Input<${inputOf(field)}>` : optional(name, inputOf(field)),
    );
  });
  const further = visible(own).map(([name, input]) => member(input.doc, optional(name, input.type)));
  return `/** What ${article(kind)} takes. */\nexport interface ${kind}Args {\n${[...members, ...further].join('')}}\n`;
}

function optional(name: string, type: string): string {
  return `${name}?: Input<${type} | undefined>`;
}

function inputOf(field: Field): string {
  if (field.valuesFrom === 'serviceProviders') return 'ServiceProvider';
  return field.type === 'set' ? 'readonly Input<string>[]' : typeOf(field);
}

function classOf({ kind, doc, fields, own, outputs }: Kind): string {
  const inputs = Object.entries(fields).map(([name, field]) => {
    const type = field.writeOnly
      ? `${typeOf(field)} | undefined`
      : typeOf({ ...field, nullable: isNullable(field) });
    return member(docOf(field), `declare public readonly ${name}: Output<${type}>`);
  });
  const further = visible(own).map(([name, input]) =>
    member(input.doc, `declare public readonly ${name}: Output<${input.type} | undefined>`),
  );
  const shown = Object.entries(outputs).map(([name, output]) =>
    member(output.doc, `declare public readonly ${name}: Output<${typeOf(output)}>`),
  );
  return `/** The properties of ${article(kind)}. ${doc} */\nexport abstract class ${kind}Properties extends CustomResource {\n${[...inputs, ...further, ...shown].join('')}}\n`;
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
  const change = field.onChange === 'replace' ? ' A change of it replaces the resource.' : '';
  const address = field.doc
    .replaceAll(': an address of this manifest, or an id', ', by id')
    .replaceAll(': an alias or an id', ', by id');
  const unmanaged = field.exactSetOf === undefined ? '' : ' Left out, they are not managed.';
  return `${address}${unmanaged}${change}`;
}

function member(doc: string, text: string): string {
  return `  /** ${doc} */\n  ${text};\n`;
}

function visible(own: Kind['own']): readonly (readonly [string, OwnInput])[] {
  return Object.entries(own).filter(([, input]) => !input.hidden);
}

function article(kind: string): string {
  return `${/^[AEIOU]/u.test(kind) ? 'an' : 'a'} ${kind}`;
}
