/** The JSON Schema of manifests, for the reader and for editors. `shape.ts` reports the mistakes that the reader finds with it. */
import { idSchema, type JsonSchema, strict } from '../resources/json-schema';
import type { Field, ResourceDefinition } from '../resources/kind';
import { environmentPattern, externalKinds, namePattern, organizationPattern } from '../resources/names';
import { builtInProfiles } from '../resources/profile';
import { registry } from '../resources/registry';
import { ledgerPlacePattern } from './ledger-place';

export const apiVersion = 'tether/v1';

/** Returns the fields that manifests carry, by their names in code and in manifests. */
export function carriedFields({ fields }: ResourceDefinition) {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { manifestName: keyInManifest = name } = field;
    return keyInManifest === null ? [] : [{ keyInManifest, name, field }];
  });
}

/** The schema does not list the values of `serviceProvider`, because they depend on the profile. */
export function manifestSchema(): JsonSchema {
  const sections = registry.map(({ section: { name, form }, kind, doc }) => {
    return [name, form === 'map' ? mapByName(ref(kind), doc) : list(ref(kind), doc)];
  });
  const aliases = Object.values(externalKinds).map(({ aliases: name, noun, prefix }) => {
    return [name, mapByName(idSchema(prefix), `Name → id of the ${noun} (\`${prefix}-…\`).`)];
  });
  const top = {
    $schema: text('For editors; ignored.'),
    apiVersion: { const: apiVersion, description: 'The form of this file.' },
    profile: {
      ...text(`\`${builtInProfiles.join('`, `')}\`, or a .json file relative to this one.`),
      default: 'default',
    },
    organization: {
      ...text('Name of the organization. One file is enough.'),
      pattern: organizationPattern,
    },
    ledger: {
      ...text(
        'Home of the ledger, beside `organization`: `s3://bucket/key`, or the URL of a Terraform state.',
      ),
      pattern: ledgerPlacePattern,
    },
    addresses: list(
      { type: 'string' },
      'Addresses of one service, beside `organization`. The ledger of one may be used at the others.',
    ),
    aliases: { description: 'Names for ids.', ...strict(Object.fromEntries(aliases)) },
    ...Object.fromEntries(sections),
    forget: list(ref('address'), 'Addresses to stop managing. Nothing else is touched.'),
    approved: list(approval, 'Destroys and replacements. The plan prints the lines.'),
  };
  const kindNames = registry.map(({ kind }) => kind).join('|');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tether manifest',
    description: 'VCS connections and run triggers of one organization.',
    ...strict(top, ['apiVersion']),
    definitions: {
      address: {
        ...text('Kind and name: `OAuthClient/github`.'),
        pattern: `^(${kindNames})/[^/]+(/[^/]+)?$`,
      },
      secret,
      ...Object.fromEntries(registry.map((definition) => [definition.kind, kindSchema(definition)])),
    },
  };
}

export const approvedActions = ['destroy', 'replace'] as const;

const approval = {
  ...strict({ destroy: ref('address'), replace: ref('address'), id: { type: 'string' } }),
  oneOf: approvedActions.map((action) => ({ required: [action, 'id'] })),
};

const names = { type: 'array', items: { type: 'string', minLength: 1 } };

const secret = {
  description: 'Where a secret comes from. A literal one is refused.',
  ...strict({
    fromEnv: { ...text('Name of an environment variable.'), pattern: environmentPattern },
    fromFile: { ...text('Path of a file, relative to the manifest.'), minLength: 1 },
  }),
  minProperties: 1,
  maxProperties: 1,
};

/** Describes an entry of a map, a single link, or an exact set. */
function kindSchema(definition: ResourceDefinition): JsonSchema {
  const { doc: description, section } = definition;
  const carried = carriedFields(definition);
  const schemas = carried.map(({ keyInManifest, field }) => [keyInManifest, fieldSchema(field)] as const);
  const fields: Record<string, JsonSchema> = Object.fromEntries(schemas);
  if (section.form === 'map') {
    const required = carried.flatMap(({ keyInManifest, field }) => (field.required ? [keyInManifest] : []));
    return { description, ...strict({ ...ownFields(definition), ...fields }, required) };
  }
  const single = section.ends.map(({ singular }) => singular);
  const forms = [single];
  for (const { singular, plural } of section.ends) {
    if (plural === undefined) continue;
    const exactly = 'Exactly these: every other link is deleted.';
    fields[plural] = { ...names, description: `${exactly} ${fields[singular]?.description}` };
    forms.push(single.map((name) => (name === singular ? plural : name)));
  }
  const oneOf = forms.map((required) => {
    const excluded = Object.keys(fields).filter((name) => !required.includes(name));
    return { required, properties: Object.fromEntries(excluded.map((name) => [name, { not: {} }])) };
  });
  return { description, ...strict(fields), oneOf };
}

function ownFields({ idPrefix = '' }: ResourceDefinition) {
  const description = 'Id of an existing object to adopt or to move.';
  const beside = 'Ids of possible matches that may stay.';
  return { id: { ...idSchema(idPrefix), description }, allowDuplicate: list(idSchema(idPrefix), beside) };
}

function fieldSchema(field: Field): JsonSchema {
  const { doc, nullable, refersTo, type } = field;
  const external = externalKinds[refersTo ?? ''];
  const forms = external ? `An alias, an id (\`${external.prefix}-…\`) or a name.` : 'An address or an id.';
  const description = refersTo === undefined ? doc : `${doc} ${forms}`;
  if (field.writeOnly) return { description, allOf: [ref('secret')] };
  const value = field.default === undefined ? {} : { default: field.default };
  if (type === 'set') return { description, ...value, ...names };
  return { description, ...value, type: nullable ? [type, 'null'] : type };
}

/** Describes a map whose keys are names. */
function mapByName(member: JsonSchema, description: string): JsonSchema {
  const propertyNames = { pattern: namePattern };
  return { type: 'object', description, propertyNames, additionalProperties: member };
}

function text(description: string): JsonSchema {
  return { type: 'string', description };
}

function list(items: JsonSchema, description: string): JsonSchema {
  return { description, type: 'array', items };
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}
