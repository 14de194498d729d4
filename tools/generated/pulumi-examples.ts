/** Examples of resources and functions in each language, as the schema of the Pulumi package carries them. */
import type { Parameter, ReadFunction } from '../../provider/functions';
import { isSetType, type ResourceType } from '../../provider/resource-types';
import type { Field } from '../../resources/kind';
import { externalKinds } from '../../resources/names';
import { registry } from '../../resources/registry';

type Sample = string | readonly string[];
type Samples = readonly (readonly [string, Sample])[];

/** One that declares what is required. */
export function resourceExample({ kind, fields }: ResourceType): string {
  const samples = samplesOf(fields);
  const node = samples.map(([name, value]) => `\n  ${name}: ${quoted(value, "'")},`).join('');
  const python = samples.map(([name, value]) => `,\n    ${snake(name)}=${quoted(value, '"')}`).join('');
  const yaml = samples.map(([name, value]) => `\n      ${name}: ${plain(value)}`).join('');
  return example({
    typescript: `import * as tether from 'tether-iac/pulumi';\n\nconst example = new tether.${kind}('example', {${node}\n});`,
    python: `import pulumi_tether as tether\n\nexample = tether.${kind}("example"${python})`,
    yaml: `resources:\n  example:\n    type: tether:${kind}\n    properties:${yaml}`,
  });
}

/** One with what is required, or with a name where there is one to look for. */
export function functionExample({ name, inputs }: ReadFunction): string {
  const samples = samplesOf(
    Object.fromEntries(
      Object.entries(inputs).map(([input, parameter]) => [
        input,
        { ...parameter, ...(input === 'name' && { required: true as const }) },
      ]),
    ),
  );
  const node = samples.map(([input, value]) => `${input}: ${quoted(value, "'")}`).join(', ');
  const python = samples.map(([input, value]) => `${snake(input)}=${quoted(value, '"')}`).join(', ');
  const yaml = samples.map(([input, value]) => `\n        ${input}: ${plain(value)}`).join('');
  return example({
    typescript: `import * as tether from 'tether-iac/pulumi';\n\nconst found = tether.${name}Output({ ${node} });`,
    python: `import pulumi_tether as tether\n\nfound = tether.${snake(name)}_output(${python})`,
    yaml: `variables:\n  found:\n    fn::invoke:\n      function: tether:${name}\n      arguments:${yaml}`,
  });
}

/** `oc-…`; `oc-…/prj-…` of a link without an id of its own; `ws-…/inbound` of a set. */
export function idOf(type: ResourceType): string {
  const { idPrefix, pair, fields } = type.definition;
  if (isSetType(type)) return `${prefixOf(fields[type.fixed]?.refersTo)}-…/${type.direction}`;
  if (idPrefix !== undefined) return `${idPrefix}-…`;
  return pair.map((end) => `${prefixOf(fields[end]?.refersTo)}-…`).join('/');
}

/** Of the ids of a kind: `ws`. */
export function prefixOf(kind = ''): string | undefined {
  return externalKinds[kind]?.prefix ?? registry.find((one) => one.kind === kind)?.idPrefix;
}

type Sampled = Omit<Field, 'onChange'> | Parameter;

function samplesOf(fields: Readonly<Record<string, Sampled>>): Samples {
  let ids = 0;
  const sample = (name: string, field: Sampled): string => {
    if ('values' in field && field.values?.[0] !== undefined) return field.values[0];
    if ('format' in field && field.format === 'url')
      return `https://git.example.com${name === 'apiUrl' ? '/api/v3' : ''}`;
    if ('valuesFrom' in field) return 'provider_a';
    if (field.refersTo === 'organization') return 'acme';
    const prefix = prefixOf(field.refersTo);
    if (prefix === undefined) return 'example';
    ids += 1;
    return `${prefix}-${ids}`;
  };
  return Object.entries(fields).flatMap(([name, field]) => {
    if (!field.required) return [];
    const value = sample(name, field);
    return [[name, field.type === 'set' ? [value, sample(name, field)] : value] as const];
  });
}

function quoted(value: Sample, mark: string): string {
  const texts = typeof value === 'string' ? [value] : value;
  const all = texts.map((text) => `${mark}${text}${mark}`).join(', ');
  return typeof value === 'string' ? all : `[${all}]`;
}

function plain(value: Sample): string {
  return typeof value === 'string' ? value : `[${value.join(', ')}]`;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** As the engine's own packages write them: each SDK shows that of its language. */
function example(programs: Readonly<Record<string, string>>): string {
  const fences = Object.entries(programs).map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``);
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${fences.join('\n')}\n\n{{% /example %}}\n{{% /examples %}}`;
}
