/** Every mistake in the inputs of one resource, at once, each with its path and never with a secret. */

import { definitionOf, externalKind, type Field, type Profile, registry } from '../resources';
import { badCharacter, isId, kindOfId, organizationPattern, withArticle } from '../resources/names';
import { suggestion } from '../resources/suggest';
import type { OwnInput } from './own-inputs';
import { isUnknown, type Props, providerMember } from './props';

/** What a resource takes. */
export interface Shape {
  readonly fields: Readonly<Record<string, Field>>;
  readonly own: Readonly<Record<string, OwnInput>>;
}

/** One sentence per mistake, each beginning with the path of the property; empty when there is none. */
export function judge(shape: Shape, inputs: Props, profile: Profile): readonly string[] {
  const { fields, own } = shape;
  const names = [
    ...Object.keys(fields),
    ...Object.entries(own).flatMap(([name, input]) => (input.hidden ? [] : [name])),
  ];
  const mistakes: string[] = [];
  for (const name of Object.keys(inputs)) {
    if (name === providerMember || Object.hasOwn(fields, name) || Object.hasOwn(own, name)) continue;
    mistakes.push(`${name}: there is no such property${suggestion(name, names, 'the properties')}`);
  }
  for (const [name, field] of Object.entries(fields)) {
    const value = inputs[name];
    if (value === undefined) {
      if (field.required) mistakes.push(`${name}: is required`);
    } else if (value === null || isWholly(value)) continue;
    else if (field.type === 'set') mistakes.push(...judgeSet(name, field, value, profile));
    else mistakes.push(...judgeOne(name, field, value, profile));
  }
  for (const [name, input] of Object.entries(own)) {
    const value = inputs[name];
    if (value !== undefined && !isUnknown(value) && typeof value !== input.type) {
      mistakes.push(`${name}: must be a ${input.type}, not ${nounOf(value)}`);
    }
  }
  return mistakes;
}

function isWholly(value: unknown): boolean {
  return !Array.isArray(value) && isUnknown(value);
}

function judgeSet(name: string, field: Field, value: unknown, profile: Profile): readonly string[] {
  if (!Array.isArray(value)) return [`${name}: must be a list of strings, not ${nounOf(value)}`];
  return value.flatMap((member: unknown, index) =>
    isUnknown(member) ? [] : judgeOne(`${name}[${index}]`, { ...field, type: 'string' }, member, profile),
  );
}

function judgeOne(path: string, field: Field, value: unknown, profile: Profile): readonly string[] {
  if (typeof value !== field.type) return [`${path}: must be a ${field.type}, not ${nounOf(value)}`];
  if (typeof value !== 'string') return [];
  const problem = problemOf(path, field, value, profile);
  return problem === undefined ? [] : [`${path}: ${problem}`];
}

/** What is wrong with a text; the text itself is only repeated where it cannot be a secret. */
function problemOf(path: string, field: Field, text: string, profile: Profile): string | undefined {
  if (field.writeOnly && text === '') {
    return 'is empty, and an empty secret is never sent: give a value, or leave it out';
  }
  const bad = badCharacter(text, field.format === 'text');
  if (bad !== undefined) return `holds a character that does not belong there (${bad})`;
  if (field.writeOnly) return undefined;
  if (field.valuesFrom !== undefined && !Object.hasOwn(profile[field.valuesFrom], text)) {
    const values = Object.keys(profile[field.valuesFrom]);
    return `${quoted(text)} is no ${path} of profile ${profile.name}${suggestion(text, values, 'the values')}`;
  }
  if (field.format === 'url') return urlProblem(text);
  return field.refersTo === undefined ? undefined : idProblem(field.refersTo, text);
}

function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    return 'holds a user name or password: a URL must not carry secrets';
  }
  if (url !== undefined && /^https?:$/u.test(url.protocol) && !/\s/u.test(text)) return undefined;
  return 'must be a URL that begins with https:// or http://';
}

function idProblem(refersTo: string, text: string): string | undefined {
  if (refersTo === 'organization') {
    return new RegExp(organizationPattern).test(text)
      ? undefined
      : `${quoted(text)} is no name of an organization: letters, digits, dashes and underscores`;
  }
  const external = externalKind(refersTo);
  const prefix = String(external === undefined ? definitionOf(refersTo).idPrefix : external.prefix);
  if (isId(text, prefix)) return undefined;
  const wanted = `the id of ${withArticle(external?.noun ?? refersTo)} (${prefix}-…) belongs here`;
  const looks = kindOfId(text, registry);
  return looks === undefined
    ? `${quoted(text)} is no id; ${wanted}`
    : `${quoted(text)} is the id of ${looks}; ${wanted}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
