/** Whether values may be those of an object: the one set of rules for manifests and for Pulumi programs. */
import {
  definitionOf,
  type Field,
  type FieldsIssue,
  type FieldValues,
  type Registry,
  type ResourceDefinition,
} from './kind';
import { externalKind, isId, kindOfId, organizationPattern, suggestion, withArticle } from './names';
import { type Profile, profileWithProvider, type ServiceProvider } from './profile';

/** What is wrong with a string. */
export interface Violation {
  readonly rule: string;
  /** What the sentence is about. Only a value that is the subject may be shown. */
  readonly subject: 'field' | 'value';
  /** The rest of the sentence: `must be a URL that begins with https:// or http://`. */
  readonly problem: string;
}

/** Of a string that is neither a reference nor a secret. Without a profile, what it would say is left out. */
export function stringViolation(
  field: Pick<Field, 'format' | 'valuesFrom'>,
  text: string,
  profile: Profile | null,
): Violation | undefined {
  return (
    characterViolation(text, field.format === 'text') ??
    (field.valuesFrom === undefined || profile === null ? undefined : providerViolation(text, profile)) ??
    (field.format === 'url' ? urlViolation(text) : undefined)
  );
}

// Control characters, line separators, what turns the direction of text around, and halves of characters.
const invisible = /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;
const invisibleButLines = /(?![\n\r\t])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

/** A character that cannot be seen; `manyLines` allows line breaks and tabs. */
export function characterViolation(text: string, manyLines = false): Violation | undefined {
  const found = (manyLines ? invisibleButLines : invisible).exec(text)?.[0];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const problem = `holds the invisible character U+${code}: remove it`;
  return { rule: 'control-character', subject: 'field', problem };
}

/** Of what is no id of such a thing, or no name of an organization. */
export function idViolation(refersTo: string, text: string, kinds: Registry): Violation | undefined {
  if (refersTo === 'organization') return organizationViolation(text);
  const external = externalKind(refersTo);
  const prefix = external?.prefix ?? definitionOf(refersTo, kinds).idPrefix ?? '';
  if (isId(text, prefix)) return undefined;
  const looks = kindOfId(text, kinds);
  const wanted = `the id of ${withArticle(external?.noun ?? refersTo)} (\`${prefix}-…\`) belongs here`;
  return {
    rule: looks === undefined ? 'bad-id' : 'wrong-id-kind',
    subject: 'value',
    problem: `is ${looks === undefined ? 'not an id' : `the id of ${looks}`}; ${wanted}`,
  };
}

function organizationViolation(text: string): Violation | undefined {
  const reserved = text === '__proto__' || text in Object.prototype;
  if (new RegExp(organizationPattern).test(text) && !reserved) return undefined;
  const problem = 'is not the name of an organization: use letters, digits, dashes and underscores';
  return { rule: 'bad-name', subject: 'value', problem };
}

function providerViolation(text: string, { name, serviceProviders }: Profile): Violation | undefined {
  if (Object.hasOwn(serviceProviders, text)) return undefined;
  const values = Object.keys(serviceProviders);
  const near = suggestion(text, values, 'the values');
  const all = near.includes('did you mean') ? ` The values are ${values.join(', ')}` : '';
  const elsewhere = profileWithProvider(text);
  const hint =
    elsewhere === undefined
      ? `${near}${all}`
      : `: profile \`${elsewhere}\` has it; write \`profile: ${elsewhere}\` if that is your service`;
  const problem = `is not a serviceProvider of profile \`${name}\`${hint}`;
  return { rule: 'unknown-value', subject: 'value', problem };
}

function urlViolation(text: string): Violation | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    const problem = 'holds a user name or password: a URL must not carry secrets';
    return { rule: 'literal-secret', subject: 'field', problem };
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && !/\s/.test(text)) return undefined;
  return { rule: 'bad-url', subject: 'field', problem: 'must be a URL that begins with https:// or http://' };
}

/** By the rules of the kind and of the service provider. `given`: every field that is set, secrets too. */
export function violationsAcross(
  definition: ResourceDefinition,
  inputs: FieldValues,
  given: ReadonlySet<string>,
  profile: Profile,
): readonly FieldsIssue[] {
  const { name, forbids = [], neverEmpty = [], together = [] } = providerOf(definition, inputs, profile);
  return [
    ...(definition.check?.(inputs) ?? []),
    ...forbids
      .filter((field) => given.has(field))
      .map((field) => ({
        rule: 'field-not-taken',
        path: field,
        message: `${name} does not take \`${field}\`: remove it, or choose another serviceProvider`,
      })),
    ...neverEmpty
      .filter((field) => inputs[field] === '')
      .map((field) => ({
        rule: 'never-empty',
        path: field,
        message: `${name} does not accept an empty \`${field}\`: give a value, or leave the field out`,
      })),
    ...together.flatMap((group) => {
      const [present] = group.filter((field) => given.has(field));
      const missing = group.filter((field) => !given.has(field));
      if (present === undefined || missing.length === 0) return [];
      const message = `${name} takes ${quoted(group)} together: add ${quoted(missing)}`;
      return [{ rule: 'fields-together', path: present, message }];
    }),
  ];
}

/** What the service provider needs for a create; an object that exists may lack it. */
export function missingForCreate(
  definition: ResourceDefinition,
  inputs: FieldValues,
  given: ReadonlySet<string>,
  profile: Profile,
): readonly string[] {
  const { needs = [] } = providerOf(definition, inputs, profile);
  return needs.filter((field) => !given.has(field));
}

/** What the profile says of the service provider; nothing of one that it lacks. */
function providerOf(
  { fields }: ResourceDefinition,
  inputs: FieldValues,
  { serviceProviders }: Profile,
): Partial<ServiceProvider> & { readonly name: string } {
  const field = Object.keys(fields).find((one) => fields[one]?.valuesFrom === 'serviceProviders');
  const name = inputs[field ?? ''];
  if (typeof name !== 'string' || !Object.hasOwn(serviceProviders, name)) return { name: '' };
  return { name, ...serviceProviders[name] };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' and ');
}
