/** `check` of every type: inputs in one form, and every mistake in them, never with a secret. */
import type { Field, ResourceDefinition } from '../resources/kind';
import { suggestion } from '../resources/names';
import { type Profile, ProfileError } from '../resources/profile';
import { registry } from '../resources/registry';
import { idViolation, missingForCreate, stringViolation, violationsAcross } from '../resources/violations';
import { bindingsIn } from './bindings';
import { messageOf, ProviderError } from './failures';
import { inputNames, type ResourceType } from './resource-types';
import type { Session } from './session';
import { importedMark, inPlaces, isUnknown, type Props, sortedSet, valuesOf } from './state';

/** Across inputs: a sentence for each mistake. */
export type Rules = (inputs: Props, profile: Profile, isNew: boolean) => readonly string[];

/** Validates the inputs. Failures carry no property: the engine would print its value, a secret too. */
export async function check(
  session: Session,
  urn: string,
  type: ResourceType,
  olds: Props,
  news: Props,
  rules: Rules = definitionRules(type.definition),
) {
  const { [importedMark]: _, ...given } = news;
  const inputs = normalise(type.fields, olds, given);
  let mistakes: readonly string[];
  try {
    const { profile } = session.account;
    const isNew = Object.keys(olds).length === 0;
    mistakes = [...mistakesIn(type, inputs, profile), ...rules(inputs, profile, isNew)];
    if (mistakes.length === 0) bindingsIn(session).bind(urn, type, inputs);
  } catch (error) {
    if (!(error instanceof ProfileError || error instanceof ProviderError)) throw error;
    mistakes = [messageOf(error)];
  }
  return { inputs, failures: mistakes.map((reason) => ({ reason })) };
}

/** What is not known yet counts as given. */
function definitionRules(definition: ResourceDefinition): Rules {
  return (inputs, profile, isNew) => {
    const values = valuesOf(definition, inputs);
    const given = new Set(Object.keys(inputs));
    const across = violationsAcross(definition, values, given, profile);
    const isCreated = isNew && inputs.adoptId === undefined;
    const missing = isCreated ? missingForCreate(definition, values, given, profile) : [];
    return [
      ...across.map(({ path, message }) => `${path}: ${message}`),
      ...missing.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
    ];
  };
}

/** So that equal wishes compare equal: no null but where it clears, sets in the order of the state. */
function normalise(fields: ResourceType['fields'], olds: Props, news: Props): Props {
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

function knownFirst(members: string[]): string[] {
  return [...sortedSet(members.filter((one) => !isUnknown(one))), ...members.filter(isUnknown)];
}

/** One sentence per mistake, each beginning with the path of the property. */
export function mistakesIn(type: TakesInputs, inputs: Props, profile: Profile): string[] {
  const fields: Readonly<Record<string, InputField>> = { ...type.fields, ...type.own };
  const mistakes: string[] = [];
  for (const name of Object.keys(inputs)) {
    if (Object.hasOwn(fields, name)) continue;
    const known = suggestion(name, inputNames(type), 'the properties');
    mistakes.push(`${name}: there is no such property${known}`);
  }
  for (const [name, field] of Object.entries(fields)) {
    const value = inputs[name];
    if (value === undefined) {
      if (field.required) mistakes.push(`${name}: is required`);
    } else if (value !== null && (Array.isArray(value) || !isUnknown(value))) {
      mistakes.push(...mistakesInField(name, field, value, profile));
    }
  }
  return mistakes;
}

type InputField = Omit<Field, 'onChange'>;

interface TakesInputs extends Pick<ResourceType, 'own'> {
  readonly fields: Readonly<Record<string, InputField>>;
}

function mistakesInField(path: string, field: InputField, value: unknown, profile: Profile): string[] {
  const { type } = field;
  if (type === 'set') {
    if (!Array.isArray(value)) return [`${path}: must be a list of strings, not ${nounOf(value)}`];
    return value.flatMap((one: unknown, index) =>
      isUnknown(one) ? [] : mistakesInField(`${path}[${index}]`, { ...field, type: 'string' }, one, profile),
    );
  }
  if (typeof value !== type) return [`${path}: must be a ${type}, not ${nounOf(value)}`];
  const problem = typeof value === 'string' ? problemOf(field, value, profile) : undefined;
  return problem === undefined ? [] : [`${path}: ${problem}`];
}

/** Repeats the string only where it cannot be a secret. */
function problemOf(field: InputField, text: string, profile: Profile): string | undefined {
  if (field.writeOnly && text === '') {
    return 'is empty, and an empty secret is never sent: give a value, or leave it out';
  }
  const violation =
    stringViolation(field, text, profile) ??
    (field.refersTo === undefined ? undefined : idViolation(field.refersTo, text, registry));
  if (violation?.subject !== 'value' || field.writeOnly) return violation?.problem;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return `${shown} ${violation.problem}`;
}

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
