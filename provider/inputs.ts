/** `check` of every type: the inputs in one form, and every mistake in them, never with a secret. */
import type { dynamic } from '@pulumi/pulumi';
import type { Field, ResourceDefinition } from '../resources/kind';
import { suggestion } from '../resources/names';
import { type Profile, ProfileError } from '../resources/profile';
import { registry } from '../resources/registry';
import {
  characterViolation,
  idViolation,
  missingForCreate,
  stringViolation,
  violationsAcross,
} from '../resources/violations';
import { messageOf } from './failures';
import type { ResourceType } from './resource-types';
import type { Session } from './session';
import { inPlaces, isUnknown, type Props, providerMember, sortedSet, valuesOf } from './state';

type Shape = Pick<ResourceType, 'fields' | 'own'>;

/** Further rules of a type: a sentence for each mistake. */
export type Rules = (inputs: Props, profile: Profile, creating: boolean) => readonly string[];

/** Validates the inputs. Failures carry no property: the engine would print its value, a secret too. */
export async function check(
  session: Session,
  shape: Shape,
  rules: Rules,
  olds: Props,
  news: Props,
): Promise<dynamic.CheckResult> {
  const inputs = normalise(shape.fields, olds, news);
  const creating = Object.keys(olds).length === 0;
  let profile: Profile;
  try {
    profile = session.profile;
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    return { inputs, failures: [{ property: '', reason: messageOf(error) }] };
  }
  const mistakes = [...mistakesIn(shape, inputs, profile), ...rules(inputs, profile, creating)];
  return { inputs, failures: mistakes.map((reason) => ({ property: '', reason })) };
}

/** Rules across fields; what is unknown yet counts as given. */
export function definitionRules(definition: ResourceDefinition): Rules {
  return (inputs, profile, creating) => {
    const known = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isUnknown(value)));
    const values = valuesOf(definition, known);
    const given = new Set(Object.keys(inputs).filter((name) => Object.hasOwn(definition.fields, name)));
    const across = violationsAcross(definition, values, given, profile);
    const missing =
      creating && inputs.adoptId === undefined ? missingForCreate(definition, values, given, profile) : [];
    return [
      ...across.map(({ path, message }) => `${path}: ${message}`),
      ...missing.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
    ];
  };
}

/** Inputs in one form, so that equal wishes compare equal: no null but where it clears, sets in the order of the state. */
function normalise(fields: Shape['fields'], olds: Props, news: Props): Record<string, unknown> {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(news)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || (value === null && field?.nullable !== true)) continue;
    const isSet =
      field?.type === 'set' && Array.isArray(value) && value.every((one) => typeof one === 'string');
    normal[name] = isSet ? inPlaces(olds[name], knownFirst(value)) : value;
  }
  return normal;
}

function knownFirst(members: readonly string[]): readonly string[] {
  return [...sortedSet(members.filter((one) => !isUnknown(one))), ...members.filter(isUnknown)];
}

/** One sentence per mistake, each beginning with the path of the property. */
export function mistakesIn({ fields, own }: Shape, inputs: Props, profile: Profile): readonly string[] {
  const shown = Object.keys(own).filter((name) => !own[name]?.hidden);
  const names = [...Object.keys(fields), ...shown];
  const mistakes: string[] = [];
  for (const name of Object.keys(inputs)) {
    if (name === providerMember || Object.hasOwn(fields, name) || Object.hasOwn(own, name)) continue;
    mistakes.push(`${name}: there is no such property${suggestion(name, names, 'the properties')}`);
  }
  for (const [name, field] of Object.entries(fields)) {
    const value = inputs[name];
    if (value === undefined) {
      if (field.required) mistakes.push(`${name}: is required`);
    } else if (value !== null && (Array.isArray(value) || !isUnknown(value))) {
      mistakes.push(...mistakesInField(name, field, value, profile));
    }
  }
  for (const [name, { type }] of Object.entries(own)) {
    const value = inputs[name];
    if (value !== undefined && !isUnknown(value)) mistakes.push(...mistakesInType(name, type, value));
  }
  return mistakes;
}

function mistakesInField(path: string, field: Field, value: unknown, profile: Profile): readonly string[] {
  const { type } = field;
  if (type === 'set') {
    if (!Array.isArray(value)) return [`${path}: must be a list of strings, not ${nounOf(value)}`];
    return value.flatMap((one: unknown, index) =>
      isUnknown(one) ? [] : mistakesInField(`${path}[${index}]`, { ...field, type: 'string' }, one, profile),
    );
  }
  if (typeof value !== 'string' || type !== 'string') return mistakesInType(path, type, value);
  const problem = problemOf(field, value, profile);
  return problem === undefined ? [] : [`${path}: ${problem}`];
}

function mistakesInType(path: string, type: 'string' | 'boolean', value: unknown): readonly string[] {
  return typeof value === type ? [] : [`${path}: must be a ${type}, not ${nounOf(value)}`];
}

/** Repeats the string only where it cannot be a secret. */
function problemOf(field: Field, text: string, profile: Profile): string | undefined {
  if (field.writeOnly && text === '') {
    return 'is empty, and an empty secret is never sent: give a value, or leave it out';
  }
  const violation = field.writeOnly
    ? characterViolation(text, field.format === 'text')
    : (stringViolation(field, text, profile) ??
      (field.refersTo === undefined ? undefined : idViolation(field.refersTo, text, registry)));
  if (violation === undefined) return undefined;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return violation.subject === 'value' ? `${shown} ${violation.problem}` : violation.problem;
}

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
