/** Every mistake in the inputs of one resource, at once, each with its path and never with a secret. */

import type { Field } from '../resources/kind';
import { suggestion } from '../resources/names';
import type { Profile } from '../resources/profile';
import { registry } from '../resources/registry';
import { characterViolation, idViolation, stringViolation } from '../resources/violations';
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
  const problem = problemOf(field, value, profile);
  return problem === undefined ? [] : [`${path}: ${problem}`];
}

/** What is wrong with a string; the string itself is only repeated where it cannot be a secret. */
function problemOf(field: Field, text: string, profile: Profile): string | undefined {
  if (field.writeOnly && text === '') {
    return 'is empty, and an empty secret is never sent: give a value, or leave it out';
  }
  const violation = field.writeOnly
    ? characterViolation(text, field.format === 'text')
    : (stringViolation(field, text, profile) ??
      (field.refersTo === undefined ? undefined : idViolation(field.refersTo, text, registry)));
  if (violation === undefined) return undefined;
  return `${violation.subject === 'value' ? `${quoted(text)} ` : ''}${violation.problem}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
