/** Checks the values of an object, for manifests and Pulumi programs alike. */

import type { DesiredValues, Edge, Field, FieldsIssue, FieldValues, ResourceDefinition } from './kind';
import { describeIdKind, externalKinds, idPrefixes, isId, organizationPattern, withArticle } from './names';
import { type Profile, profileWithProvider, type ServiceProvider } from './profile';

export interface Violation {
  readonly rule: string;
  /**
   * The caller writes the subject of the sentence. It is the value itself, as in "`oc-1` is not an id", or the name of the field alone, as in
   * "`httpUrl` must be a URL", because the value may hold a password or an invisible character and must not be shown.
   */
  readonly subject: 'field' | 'value';
  /** The rest of the sentence, such as `must be a URL that begins with https:// or http://`. */
  readonly problem: string;
}

/** Checks a string that is neither a reference nor a secret. `chooseProfile` says how the user chooses another profile. */
export function stringViolation(
  field: Pick<Field, 'format' | 'valuesFrom'>,
  text: string,
  profile: Profile | null,
  chooseProfile?: (name: string) => string,
): Violation | undefined {
  return (
    characterViolation(text, field.format === 'text') ??
    (field.valuesFrom === undefined || profile === null
      ? undefined
      : providerViolation(text, profile, chooseProfile)) ??
    (field.format === 'url' ? urlViolation(text) : undefined)
  );
}

// These are control characters, line separators, direction marks and lone surrogates.
const invisible = /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;
const invisibleButLines = /(?![\n\r\t])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

/** Finds invisible characters. `manyLines` allows line breaks and tabs. */
export function characterViolation(text: string, manyLines = false): Violation | undefined {
  const character = (manyLines ? invisibleButLines : invisible).exec(text)?.[0];
  if (character === undefined) return undefined;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const problem = `holds the invisible character U+${code}: remove it`;
  return { rule: 'control-character', subject: 'field', problem };
}

export function idViolation(refersTo: string, text: string): Violation | undefined {
  if (refersTo === 'organization') return organizationViolation(text);
  const prefix = findPrefix(refersTo);
  if (isId(text, prefix)) return undefined;
  const idKind = describeIdKind(text);
  const advice = `the id of ${withArticle(externalKinds[refersTo]?.noun ?? refersTo)} (\`${prefix}-…\`) belongs here`;
  return {
    rule: idKind === undefined ? 'bad-id' : 'wrong-id-kind',
    subject: 'value',
    problem: `is ${idKind === undefined ? 'not an id' : `the id of ${idKind}`}; ${advice}`,
  };
}

export function findPrefix(refersTo: string): string {
  const ownPrefixes: Readonly<Record<string, string>> = idPrefixes;
  return externalKinds[refersTo]?.prefix ?? ownPrefixes[refersTo] ?? '';
}

function organizationViolation(text: string): Violation | undefined {
  if (new RegExp(organizationPattern).test(text) && !(text in Object.prototype)) return undefined;
  const problem = 'is not the name of an organization: use letters, digits, dashes and underscores';
  return { rule: 'bad-name', subject: 'value', problem };
}

function providerViolation(
  text: string,
  { name, serviceProviders }: Profile,
  chooseProfile = (name: string) => `write \`profile: ${name}\``,
): Violation | undefined {
  if (Object.hasOwn(serviceProviders, text)) return undefined;
  const otherProfile = profileWithProvider(text);
  const hint =
    otherProfile === undefined
      ? `: the values are ${Object.keys(serviceProviders).join(', ')}`
      : `: profile \`${otherProfile}\` has it; ${chooseProfile(otherProfile)} if that is your service`;
  const problem = `is not a serviceProvider of profile \`${name}\`${hint}`;
  return { rule: 'unknown-value', subject: 'value', problem };
}

function urlViolation(text: string): Violation | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    const problem = 'holds a user name or password: a URL must not carry secrets';
    return { rule: 'literal-secret', subject: 'field', problem };
  }
  if (url !== undefined && /^https?:\/\/[^\s/?#]\S*$/i.test(text)) return undefined;
  return { rule: 'bad-url', subject: 'field', problem: 'must be a URL that begins with https:// or http://' };
}

/** Checks fields against each other. `fieldsSet` has every field that is set, including secrets. */
export function violationsAcross(
  definition: ResourceDefinition,
  inputs: FieldValues,
  fieldsSet: Pick<ReadonlySet<string>, 'has'>,
  profile: Profile | null,
): readonly FieldsIssue[] {
  const provider = findServiceProvider(definition, inputs, profile);
  const { forbids = [], neverEmpty = [], together = [] } = provider;
  const issues = [...(definition.check?.(inputs) ?? [])];
  const add = (rule: string, path: string, rest: string) =>
    issues.push({ rule, path, message: `${provider.name} ${rest}` });
  for (const path of forbids.filter((field) => fieldsSet.has(field))) {
    add('field-not-taken', path, `does not take \`${path}\`: remove it, or choose another serviceProvider`);
  }
  for (const path of neverEmpty.filter((field) => inputs[field] === '')) {
    add('never-empty', path, `does not accept an empty \`${path}\`: give a value, or leave the field out`);
  }
  for (const group of together) {
    const path = group.find((field) => fieldsSet.has(field));
    const missing = group.filter((field) => !fieldsSet.has(field));
    if (path === undefined || missing.length === 0) continue;
    add('fields-together', path, `takes ${quoted(group)} together: add ${quoted(missing)}`);
  }
  return issues;
}

/** Returns the limit on the links that end at one object, or null. */
export function maxLinks(edge: Edge | undefined, { limits }: Profile): number | null {
  return edge?.limit === undefined ? null : limits[edge.limit];
}

/** Returns the end of a sentence about a target with more sources than the limit, or null. */
export function tooManySources(edge: Edge | undefined, count: number, profile: Profile): string | null {
  const max = maxLinks(edge, profile);
  return max !== null && count > max ? `${count} sources, but profile ${profile.name} allows ${max}` : null;
}

/** Returns the missing fields that a create needs. An existing object may lack them. */
export function missingForCreate(
  definition: ResourceDefinition,
  inputs: DesiredValues,
  fieldsSet: ReadonlySet<string>,
  profile: Profile,
): readonly string[] {
  const { needs = [] } = findServiceProvider(definition, inputs, profile);
  return needs.filter((field) => !fieldsSet.has(field));
}

/** Returns a sentence about the fields that a create needs and the manifest lacks, or null. */
export function lackingForCreate(
  definition: ResourceDefinition,
  { address, inputs, secrets }: { address: string; inputs: DesiredValues; secrets: object },
  profile: Profile,
): string | null {
  const names = new Set([...Object.keys(inputs), ...Object.keys(secrets)]);
  const missing = missingForCreate(definition, inputs, names, profile);
  if (missing.length === 0) return null;
  return `${address} must be created, and ${quoted(missing)} is missing: add it to the manifest, or adopt an existing object with \`id:\``;
}

/** True for a secret of several lines. While the provider is unknown, each field may hold one. */
export function isKey(
  definition: ResourceDefinition,
  field: string,
  inputs: DesiredValues,
  profile: Profile,
): boolean {
  const { name, sshKeys = [] } = findServiceProvider(definition, inputs, profile);
  return definition.fields[field]?.format === 'text' || name === '' || sshKeys.includes(field);
}

function findServiceProvider(
  { fields }: ResourceDefinition,
  inputs: DesiredValues,
  profile: Profile | null,
): Partial<ServiceProvider> & { readonly name: string } {
  const field = Object.keys(fields).find((name) => fields[name]?.valuesFrom === 'serviceProviders');
  const name = inputs[field ?? ''];
  const { serviceProviders = {} } = profile ?? {};
  if (typeof name !== 'string' || !Object.hasOwn(serviceProviders, name)) return { name: '' };
  return { name, ...serviceProviders[name] };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' and ');
}
