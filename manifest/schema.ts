/** The JSON Schema of manifests. The reader checks structure by it, and editors complete by it. */
import type { Field, Registry, ResourceDefinition } from '../resources/kind';
import { environmentPattern, externalKinds, namePattern, organizationPattern } from '../resources/names';

export const apiVersion = 'tether/v1';

/** Draft-07, or a part of one. */
export type JsonSchema = {
  readonly [member: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Properties;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly definitions?: Properties;
};

type Properties = Readonly<Record<string, JsonSchema>>;
type Carried = readonly { readonly written: string; readonly name: string; readonly field: Field }[];

/** Kept, because they are asked for at each line of a manifest. */
const carried = new WeakMap<ResourceDefinition['fields'], Carried>();

/** The fields that a manifest carries, each with the name that it writes and the code's. */
export function carriedFields({ fields }: ResourceDefinition): Carried {
  const known = carried.get(fields);
  if (known !== undefined) return known;
  const all = Object.entries(fields).flatMap(([name, field]) => {
    const { manifestName: written = name } = field;
    return written === null ? [] : [{ written, name, field }];
  });
  carried.set(fields, all);
  return all;
}

/** Does not list the values of `serviceProvider`, which are the profile's. */
export function manifestSchema(kinds: Registry): JsonSchema {
  const sections = kinds.map(({ section, kind, doc }) => {
    return [section.name, section.form === 'map' ? named(ref(kind), doc) : list(ref(kind), doc)];
  });
  const aliases = Object.values(externalKinds).map(({ aliases: section, noun, prefix }) => {
    return [section, named(id(prefix), `Name → id of the ${noun} (\`${prefix}-…\`).`)];
  });
  const top = {
    apiVersion: { const: apiVersion, description: `Form of this file: ${apiVersion}.` },
    profile: text(
      'What the service accepts: `default`, `hcp-terraform`, or a .json file relative to this one. Overridden by --profile.',
      { minLength: 1, default: 'default' },
    ),
    organization: text(
      'Name of the organization, as the service knows it. One for the whole folder: one of its files names it.',
      { pattern: organizationPattern },
    ),
    aliases: {
      description: 'Names for things that the API knows by id only.',
      ...strict(Object.fromEntries(aliases)),
    },
    ...Object.fromEntries(sections),
    forget: list(
      ref('address'),
      'Addresses to stop managing: they leave the ledger, and nothing else is touched. The id of a client that is being replaced may stand for its name.',
    ),
    approved: list(
      approvalSchema(),
      'Destroys and replacements that are allowed, each for one object by its id. The plan prints the line to paste.',
    ),
    $schema: text('For editors; ignored.'),
  };
  const secret = {
    fromEnv: text('Name of an environment variable.', { pattern: environmentPattern }),
    fromFile: text('Path of a file, relative to the manifest.', { minLength: 1 }),
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tether manifest',
    description: 'VCS connections, their project attachments and run triggers of one organization.',
    ...strict(top, ['apiVersion']),
    definitions: {
      address: text('Kind and name: `OAuthClient/github`.', {
        pattern: `^(${kinds.map((one) => one.kind).join('|')})/[^/]+(/[^/]+)?$`,
      }),
      secret: {
        description: 'Where a secret comes from. A literal one is refused.',
        ...strict(secret),
        ...exactlyOne,
      },
      ...Object.fromEntries(kinds.map((definition) => [definition.kind, kindSchema(definition)])),
    },
  };
}

/** What a line may approve. */
export const approvedActions = ['destroy', 'replace'] as const;

function approvalSchema(): JsonSchema {
  const properties = { destroy: ref('address'), replace: ref('address'), id: { type: 'string' } };
  return { ...strict(properties), oneOf: approvedActions.map((action) => together([action, 'id'])) };
}

/** An entry of a map, or a line: a single link, or an exact set around one end. */
function kindSchema(definition: ResourceDefinition): JsonSchema {
  const { ends, form } = definition.section;
  const fields = carriedFields(definition);
  const endOf = (name: string) => ends.find((end) => end.singular === name);
  const properties: Record<string, JsonSchema> = form === 'map' ? ownProperties(definition) : {};
  for (const { written, field } of fields) {
    const schema = fieldSchema(field);
    properties[written] = schema;
    const plural = endOf(written)?.plural;
    if (plural === undefined) continue;
    const description = `Exactly these: every other link of this kind is deleted, whoever made it. ${schema.description}`;
    properties[plural] = { ...set(field), description };
  }
  const required = fields.flatMap(({ written, field }) =>
    field.required && !endOf(written) ? [written] : [],
  );
  const schema = { description: definition.doc, ...strict(properties, required) };
  return form === 'map' ? schema : { ...schema, oneOf: linkForms(definition).map(together) };
}

/** The keys that a line of links may have together: those of a single link, and those of each set. */
export function linkForms({ section: { ends } }: ResourceDefinition): readonly (readonly string[])[] {
  const single = ends.map((end) => end.singular);
  const sets = ends.flatMap(({ singular, plural }) =>
    plural === undefined ? [] : [single.map((name) => (name === singular ? plural : name))],
  );
  return [single, ...sets];
}

function ownProperties({ idPrefix = '' }: ResourceDefinition): Record<string, JsonSchema> {
  return {
    id: {
      ...id(idPrefix),
      description: 'Id of an existing object to adopt, or to move to this address. It never creates one.',
    },
    allowDuplicate: list(
      id(idPrefix),
      'Ids of objects with the same name, provider and URLs that this one may stand beside. The plan prints the line to paste.',
    ),
  };
}

function fieldSchema(field: Field): JsonSchema {
  const { refersTo } = field;
  const external = externalKinds[refersTo ?? ''];
  const names = external ? `An alias, an id (\`${external.prefix}-…\`) or a name` : 'An address or an id';
  const reference = refersTo === undefined ? '' : ` ${names}.`;
  const links = field.exactSetOf === undefined ? '' : ' Taking the line out detaches those that are managed.';
  const description = `${field.doc}${links}${reference}`;
  if (field.writeOnly) return { description, allOf: [ref('secret')] };
  const value = field.default === undefined ? {} : { default: field.default };
  if (field.type === 'set') return { description, ...value, ...set(field) };
  const { type, ...map } = oneOf(field);
  const url = field.format === 'url' ? { format: 'uri', pattern: '^https?://' } : {};
  return { description, ...value, ...map, type: field.nullable ? [type, 'null'].flat() : type, ...url };
}

/** One value. What is made elsewhere is a string, or a map that says whether it is an id or a name. */
function oneOf({ refersTo = '', type }: Field): JsonSchema & { readonly type: string | string[] } {
  const scalar = type === 'set' ? 'string' : type;
  const external = externalKinds[refersTo];
  if (external === undefined) return { type: scalar };
  const map = strict({ id: id(external.prefix), name: { type: 'string', minLength: 1 } });
  return { ...map, ...exactlyOne, type: [scalar, 'object'] };
}

const exactlyOne = { minProperties: 1, maxProperties: 1 };

function id(prefix: string): JsonSchema {
  return { type: 'string', pattern: `^${prefix}-[A-Za-z0-9_-]+$` };
}

function strict(properties: Properties, required: readonly string[] = []): JsonSchema {
  const needed = required.length === 0 ? {} : { required };
  return { type: 'object', additionalProperties: false, ...needed, properties };
}

/** Strict validators want to see required keys described beside `required`. */
function together(keys: readonly string[]): JsonSchema {
  return { required: keys, properties: Object.fromEntries(keys.map((key) => [key, {}])) };
}

/** A map whose keys are names. */
function named(member: JsonSchema, description: string): JsonSchema {
  const propertyNames = { pattern: namePattern };
  return { type: 'object', description, propertyNames, additionalProperties: member };
}

function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', ...more, description };
}

function list(items: JsonSchema, description?: string): JsonSchema {
  return { ...(description !== undefined && { description }), type: 'array', items };
}

function set(field: Field): JsonSchema {
  return { ...list({ ...oneOf(field), minLength: 1 }), uniqueItems: true };
}

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}
