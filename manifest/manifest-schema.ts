/** The JSON Schema of manifests, from the definitions: for editors, and for people who validate elsewhere. */
import {
  externalKind,
  externalKinds,
  type Field,
  type LinkEnd,
  type ResourceDefinition,
} from '../resources/kind';
import { environmentPattern, namePattern, organizationPattern } from '../resources/names';
import type { Registry } from '../resources/registry';
import { manifestName, ownKeys } from './entries';
import { apiVersion } from './outline';

/** A JSON Schema, or a part of one. */
export type JsonSchema = { readonly [member: string]: unknown };

const ownDocs: Readonly<Record<(typeof ownKeys)[number], JsonSchema>> = {
  id: { type: 'string', description: 'Id of an existing object to adopt. Never an order to create one.' },
  protect: {
    type: 'boolean',
    description:
      'Refuses to destroy or replace the object, even with an approval. Remembered in the ledger: removing the line or the entry does not lift it, only an applied `false` does.',
  },
  allowDuplicate: {
    type: 'boolean',
    default: false,
    description: 'Creates the object although one with the same name, provider and URLs exists.',
  },
};

/** Descriptions of the keys of a manifest that belong to no kind. */
export const topLevelDocs: Readonly<Record<string, string>> = {
  apiVersion: `Form of this file: ${apiVersion}.`,
  profile:
    'What the service accepts: `default`, `hcp-terraform`, or a .json file relative to this one. Overridden by --profile.',
  organization:
    'Name of the organization, as the service knows it. One for the whole folder: one of its files names it.',
  aliases: 'Names for things that the API knows by id only.',
  moved: 'Entries that got another address: the object stays.',
  forget: 'Addresses to let go: out of the ledger, and nothing else is touched.',
  approved:
    'Destroys and replacements that are allowed, each for one object by its id, and more deletes or missing objects at once than the limits allow, each for one serial of the ledger. The plan prints the line to paste.',
  $schema: 'For editors; ignored.',
};

/** The schema (draft-07) of a manifest with these kinds. Values of `serviceProvider` are the profile's, so it does not list them. */
export function manifestSchema(kinds: Registry): JsonSchema {
  const sections = kinds.map((definition) => [definition.section.name, sectionSchema(definition)]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tether manifest',
    description: 'VCS connections, their project attachments and run triggers of one organization.',
    ...strict(
      {
        $schema: { type: 'string', description: topLevelDocs.$schema },
        apiVersion: { const: apiVersion, description: topLevelDocs.apiVersion },
        profile: { type: 'string', minLength: 1, default: 'default', description: topLevelDocs.profile },
        organization: {
          type: 'string',
          pattern: organizationPattern,
          description: topLevelDocs.organization,
        },
        aliases: { description: topLevelDocs.aliases, ...strict(Object.fromEntries(aliasSchemas())) },
        ...Object.fromEntries(sections),
        moved: {
          description: topLevelDocs.moved,
          ...list(strict({ from: ref('address'), to: ref('address') }, ['from', 'to'])),
        },
        forget: { description: topLevelDocs.forget, ...list(ref('address')) },
        approved: {
          description: topLevelDocs.approved,
          ...list({
            oneOf: [
              ...['destroy', 'replace'].map((action) =>
                strict({ [action]: ref('address'), id: { type: 'string' } }, [action, 'id']),
              ),
              ...['deletes', 'missing'].map((action) =>
                strict(
                  { [action]: { type: 'integer', minimum: 1 }, serial: { type: 'integer', minimum: 0 } },
                  [action, 'serial'],
                ),
              ),
            ],
          }),
        },
      },
      ['apiVersion'],
    ),
    definitions: {
      address: {
        type: 'string',
        pattern: `^(${kinds.map((one) => one.kind).join('|')})/[^/]+(/[^/]+)?$`,
        description: 'Kind and name: `OAuthClient/github`.',
      },
      secret: {
        description: 'Where a secret comes from. A literal one is refused.',
        oneOf: [
          strict(
            {
              fromEnv: {
                type: 'string',
                pattern: environmentPattern,
                description: 'Name of an environment variable.',
              },
            },
            ['fromEnv'],
          ),
          strict(
            {
              fromFile: {
                type: 'string',
                minLength: 1,
                description: 'Path of a file, relative to the manifest.',
              },
            },
            ['fromFile'],
          ),
        ],
      },
      ...Object.fromEntries(kinds.map((definition) => [definition.kind, kindSchema(definition)])),
    },
  };
}

function aliasSchemas(): [string, JsonSchema][] {
  return Object.values(externalKinds).map(({ aliases, noun, prefix }) => [
    aliases,
    {
      type: 'object',
      description: `Name → id of the ${noun} (\`${prefix}-…\`).`,
      propertyNames: { pattern: namePattern },
      additionalProperties: { type: 'string', pattern: `^${prefix}-[A-Za-z0-9_-]+$` },
    },
  ]);
}

function sectionSchema(definition: ResourceDefinition): JsonSchema {
  const description = definition.doc;
  if (definition.section.form === 'links') return { description, ...list(ref(definition.kind)) };
  return {
    type: 'object',
    description,
    propertyNames: { pattern: namePattern },
    additionalProperties: ref(definition.kind),
  };
}

function kindSchema(definition: ResourceDefinition): JsonSchema {
  const fields = Object.entries(definition.fields).flatMap(([name, field]) => {
    const written = manifestName(name, field);
    return written === null ? [] : [[written, field] as const];
  });
  if (definition.section.form === 'links') return linkSchema(definition, fields);
  const own = ownKeys.map((key) => {
    const extra = key === 'id' ? { pattern: `^${definition.idPrefix ?? ''}-[A-Za-z0-9_-]+$` } : {};
    return [key, { ...ownDocs[key], ...extra }];
  });
  const properties = fields.map(([name, field]) => [name, fieldSchema(field)]);
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  return { description: definition.doc, ...strict(Object.fromEntries([...own, ...properties]), required) };
}

/** A line is a single link, or an exact set around one end. */
function linkSchema(
  definition: ResourceDefinition,
  fields: readonly (readonly [string, Field])[],
): JsonSchema {
  const ends = definition.section.ends;
  const extras = fields.filter(([name]) => !ends.some((end) => end.singular === name));
  const form = (listed: LinkEnd | undefined): JsonSchema => {
    const properties = ends.map((end) => {
      const schema = fieldSchema(definition.fields[end.field] as Field);
      if (end !== listed) return [end.singular, schema];
      const description = `Exactly these: every other link of this kind is deleted, whoever made it. ${String(schema.description)}`;
      return [end.plural, { ...list({ type: 'string', minLength: 1 }), uniqueItems: true, description }];
    });
    const more = extras.map(([name, field]) => [name, fieldSchema(field)]);
    const required = [
      ...properties.map(([name]) => String(name)),
      ...extras.flatMap(([name, field]) => (field.required ? [name] : [])),
    ];
    return strict(Object.fromEntries([...properties, ...more]), required);
  };
  const sets = ends.filter((end) => end.plural !== undefined).map(form);
  return {
    description: definition.doc,
    ...(sets.length === 0 ? form(undefined) : { oneOf: [form(undefined), ...sets] }),
  };
}

function fieldSchema(field: Field): JsonSchema {
  const external = externalKind(field.refersTo ?? '');
  const names = external === undefined ? '' : ` An alias or an id (\`${external.prefix}-…\`).`;
  const links = field.exactSetOf === undefined ? '' : ' Taking the line out detaches those that are managed.';
  const description = `${field.doc}${links}${field.doc.includes('alias') ? '' : names}`;
  if (field.writeOnly) return { description, allOf: [ref('secret')] };
  const value = field.default === undefined ? {} : { default: field.default };
  if (field.type === 'set')
    return { description, ...value, ...list({ type: 'string', minLength: 1 }), uniqueItems: true };
  const type = field.nullable ? [field.type, 'null'] : field.type;
  const url = field.format === 'url' ? { format: 'uri', pattern: '^https?://' } : {};
  return { description, ...value, type, ...url };
}

function strict(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties,
  };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}
