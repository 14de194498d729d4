/** The schema of the Pulumi package, from which the engine makes SDKs and reads what is secret, from the definitions. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  isNullable,
  type Parameter,
  type ReadFunction,
  type Result,
  readFunctions,
  shownOf,
} from '../../provider/functions';
import { type ResourceType, resourceTypes } from '../../provider/resource-types';
import type { Field, Output } from '../../resources/kind';
import { readProfile } from '../../resources/profile';
import { functionExample, idOf, resourceExample } from './pulumi-examples';

type Json = Readonly<Record<string, unknown>>;

const root = resolve(__dirname, '..', '..', '..');

/** The whole document, as the engine's `package get-schema` takes it. */
export function pulumiSchema(): Json {
  const { version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: 'tether',
    displayName: 'Tether',
    version,
    description,
    keywords: ['pulumi', 'category/vcs', 'kind/native', 'oauth-client', 'run-trigger', 'hcp-terraform'],
    license,
    language: {
      csharp: { respectSchemaVersion: true },
      go: { respectSchemaVersion: true },
      // Its classes are those of this package: programs of an import name them.
      nodejs: { respectSchemaVersion: true, packageName: 'tether-iac/pulumi' },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
    },
    config: { variables: settings },
    provider: {
      description:
        'One account of one service. What it is given wins over the `TETHER_*` variables of the environment; what is left out comes from them, a token only where no address is given.',
      inputProperties: settings,
      properties: Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'rate')),
    },
    types: {
      [tokenOf('ServiceProvider')]: serviceProvider(),
      ...Object.fromEntries(listedTypes().map((type) => [tokenOf(listedName(type)), listedType(type)])),
    },
    resources: Object.fromEntries(resourceTypes.map((type) => [tokenOf(type.kind), resource(type)])),
    functions: Object.fromEntries(readFunctions.map((read) => [tokenOf(read.name), readFunction(read)])),
  };
}

/** Under which name states and programs of every language know it. */
function tokenOf(name: string): string {
  return `tether:index:${name}`;
}

const settings: Readonly<Record<string, Json>> = {
  address: {
    type: 'string',
    description: 'Base URL of the service, with /api/v2. Variable: `TETHER_ADDRESS`.',
  },
  token: {
    type: 'string',
    secret: true,
    description:
      'API token. Kept in the state as a secret; prefer `TETHER_TOKEN` or `tokenEnv`, which a rotated token does not make stale.',
  },
  tokenEnv: { type: 'string', description: 'Name of the variable that holds the token.' },
  profile: {
    type: 'string',
    description: 'Name or file of a profile; `default` when left out. Variable: `TETHER_PROFILE`.',
  },
  rate: { type: 'number', description: 'Requests a second.' },
};

function resource(type: ResourceType): Json {
  const { kind, doc, fields, own, outputs } = type;
  const taken = Object.entries(own);
  const inputs = {
    ...mapped(fields, inputProperty),
    ...mapped(Object.fromEntries(taken), ({ type: plain, doc: description }) => ({
      type: plain,
      description,
    })),
  };
  const shown = { ...inputs, ...mapped(outputs, property) };
  const isAlwaysShown = ([, field]: readonly [string, Field]) =>
    field.required === true || (field.writeOnly !== true && !isNullable(field));
  const required = [
    ...Object.entries(fields).filter(isAlwaysShown),
    ...Object.entries(outputs).filter(([, { nullable }]) => !nullable),
  ];
  return {
    description: `${doc}\n\n${resourceExample(type)}\n\n## Import\n\n\`\`\`sh\npulumi import ${tokenOf(kind)} example ${idOf(type)}\n\`\`\``,
    properties: shown,
    required: required.map(([name]) => name),
    inputProperties: inputs,
    requiredInputs: Object.keys(fields).filter((name) => fields[name]?.required),
    stateInputs: {
      type: 'object',
      description: 'What is known of it: with its organization, or its ends, many share a list.',
      properties: shown,
    },
    // The types of the classes that a program declared before there was a plugin.
    aliases: [{ type: `pulumi-nodejs:dynamic/tether:${kind}` }],
  };
}

/** The provider itself decides what replaces, by its profile; the engine is only told for its docs. */
function inputProperty(field: Field): Json {
  const { doc, exactSetOf, onChange, updatableWith, writeOnly } = field;
  const description = `${doc}${exactSetOf === undefined ? '' : ' Left out, they are not managed.'}`;
  return {
    ...property({ ...field, doc: description }),
    ...(field.valuesFrom && {
      oneOf: [{ type: 'string' }, { type: 'string', $ref: `#/types/${tokenOf('ServiceProvider')}` }],
    }),
    ...(writeOnly && { secret: true }),
    ...(onChange === 'replace' && !updatableWith && { willReplaceOnChanges: true }),
  };
}

function property({ type, doc }: Output | Parameter): Json {
  const description = doc.replace('`null` clears it', 'Null clears it, where the language can send one');
  return type === 'set' ? { type: 'array', items: { type: 'string' }, description } : { type, description };
}

/** The values of the shipped profiles, for editors to complete; any other one may be of a profile file. */
function serviceProvider(): Json {
  const named = ['default', 'hcp-terraform'].flatMap((name) =>
    Object.entries(readProfile(name, root).serviceProviders),
  );
  const values = [...new Map(named)].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    type: 'string',
    description: 'Which VCS provider a client connects to: the values of the shipped profiles.',
    enum: values.map(([value, { displayName: description }]) => ({ value, description })),
  };
}

function listedTypes(): readonly ResourceType[] {
  const lists = readFunctions.flatMap(({ outputs }) => Object.values(outputs));
  return [...new Set(lists.flatMap((result) => (result.type === 'list' ? result.of : [])))];
}

function listedName({ kind }: ResourceType): string {
  return `Listed${kind}`;
}

function listedType(type: ResourceType): Json {
  return { type: 'object', description: `${type.doc} As a list shows it.`, ...object(shownOf(type)) };
}

/** Its members, and those that are never null. */
function object(results: Readonly<Record<string, Result>>): Json {
  const always = Object.entries(results).filter(([, result]) => result.type === 'list' || !result.nullable);
  return { properties: mapped(results, resultProperty), required: always.map(([name]) => name) };
}

function resultProperty(result: Result): Json {
  if (result.type !== 'list') return property(result);
  const items = { $ref: `#/types/${tokenOf(listedName(result.of))}` };
  return { type: 'array', items, description: result.doc };
}

function readFunction(read: ReadFunction): Json {
  const { doc, inputs, outputs } = read;
  return {
    description: `${doc}\n\n${functionExample(read)}`,
    inputs: {
      properties: mapped(inputs, property),
      required: Object.keys(inputs).filter((name) => inputs[name]?.required),
    },
    outputs: object(outputs),
  };
}

function mapped<Value>(
  members: Readonly<Record<string, Value>>,
  made: (member: Value) => Json,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, made(member)]));
}
