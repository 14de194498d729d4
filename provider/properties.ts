/** Inputs and states of resources as plain JSON: how they are checked, compared and recorded. */
import type { dynamic } from '@pulumi/pulumi';
import { OperationalError } from '../client/errors';
import { onChangeOf } from '../resources/diff';
import {
  type Field,
  type FieldValue,
  type FieldValues,
  type Found,
  type ResourceDefinition,
  sameValue,
} from '../resources/kind';
import { suggestion } from '../resources/names';
import type { Profile } from '../resources/profile';
import { registry } from '../resources/registry';
import { idViolation, missingForCreate, stringViolation, violationsAcross } from '../resources/violations';

/** Inputs or outputs of one resource. */
export type Props = Readonly<Record<string, unknown>>;

/** The user can repair this; the message says what is wrong, where, and how. */
export class ProviderError extends OperationalError {}

export type Input = Omit<Field, 'onChange'>;

/** What a resource class takes: the fields of its kind, and inputs of its own. */
export interface ResourceType {
  readonly definition: ResourceDefinition;
  readonly fields: Readonly<Record<string, Field>>;
  readonly own: Readonly<Record<string, Input>>;
}

/** The SDK's mark for a value that a preview does not know. */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** A known string; empty for anything else. */
export function textOf(props: Props, name: string): string {
  const value = props[name];
  return typeof value === 'string' && value !== unknownValue ? value : '';
}

/** The known strings of a list, each once, sorted. */
export function membersOf(props: Props, name: string): readonly string[] {
  const value: readonly unknown[] = Array.isArray(props[name]) ? props[name] : [];
  return sorted(value.filter((one) => typeof one === 'string' && one !== unknownValue));
}

function sorted(members: readonly unknown[]): readonly string[] {
  return [...new Set(members.map(String))].sort();
}

/** Keeps the order of `before`, because the engine compares lists place by place. */
function inOrderOf(before: unknown, members: readonly string[]): readonly string[] {
  const kept = (Array.isArray(before) ? before.map(String) : []).filter((one) => members.includes(one));
  return [...kept, ...members.filter((one) => !kept.includes(one))];
}

/** The known values of the fields, secrets too. */
export function valuesOf({ fields }: Pick<ResourceType, 'fields'>, props: Props): FieldValues {
  const known = Object.keys(fields).filter(
    (name) => ![undefined, unknownValue].includes(props[name] as string),
  );
  return Object.fromEntries(known.map((name) => [name, props[name] as FieldValue]));
}

/** Gives equal wishes equal inputs, and names every mistake. */
export function check(type: ResourceType, profile: Profile, olds: Props, news: Props) {
  const known: Readonly<Record<string, Input>> = { ...type.fields, ...type.own };
  const inputs = normalise(known, olds, news);
  const values = valuesOf(type, inputs);
  const given = new Set(Object.keys(inputs));
  const isCreated = Object.keys(olds).length === 0 && inputs.adoptId === undefined;
  const needed = isCreated ? missingForCreate(type.definition, values, given, profile) : [];
  const strangers = [...given].filter((name) => name !== '__provider' && known[name] === undefined);
  const missing = Object.keys(known).filter((name) => known[name]?.required && !given.has(name));
  const names = Object.keys(known);
  const mistakes = [
    ...strangers.map(
      (name) => `${name}: there is no such property${suggestion(name, names, 'the properties')}`,
    ),
    ...missing.map((name) => `${name}: is required`),
    ...names.flatMap((name) => mistakesIn(name, known[name], inputs[name] ?? unknownValue, profile)),
    ...violationsAcross(type.definition, values, given, profile).map(
      ({ path, message }) => `${path}: ${message}`,
    ),
    ...needed.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
  ];
  return { inputs, failures: mistakes.map(failure) };
}

/** A failure names no property, because the engine would print its value. */
export function failure(reason: string): dynamic.CheckFailure {
  return { property: '', reason };
}

/** Drops null except where it clears a value, and sorts sets. */
function normalise(known: Readonly<Record<string, Input>>, olds: Props, news: Props): Props {
  const given = Object.entries(news).flatMap(([name, value]) => {
    if (value === undefined || (value === null && known[name]?.nullable !== true)) return [];
    const isSet = known[name]?.type === 'set' && Array.isArray(value);
    return [[name, isSet ? inOrderOf(olds[name], sorted(value)) : value] as const];
  });
  return Object.fromEntries(given);
}

/** Repeats a value only where it cannot be a secret. */
function mistakesIn(
  path: string,
  field: Input | undefined,
  value: unknown,
  profile: Profile,
): readonly string[] {
  if (field === undefined || value === unknownValue) return [];
  if (field.type === 'set' && Array.isArray(value)) {
    const member: Input = { ...field, type: 'string' };
    return value.flatMap((one, index) => mistakesIn(`${path}[${index}]`, member, one, profile));
  }
  if (typeof value !== field.type) {
    const wanted = field.type === 'set' ? 'list of strings' : field.type;
    return [
      `${path}: must be a ${wanted}, not ${Array.isArray(value) ? 'a list' : `of type ${typeof value}`}`,
    ];
  }
  if (typeof value !== 'string') return [];
  if (field.writeOnly && value === '') return [`${path}: is empty: give the secret, or leave it out`];
  const violation =
    stringViolation(field, value, profile) ??
    (field.refersTo === undefined ? undefined : idViolation(field.refersTo, value, registry));
  if (violation === undefined) return [];
  const isShown = violation.subject === 'value' && !field.writeOnly;
  return [`${path}: ${isShown ? `${JSON.stringify(value.slice(0, 80))} ` : ''}${violation.problem}`];
}

/** The given fields that differ from the state, by what their change does. */
export function differences(
  { fields }: Pick<ResourceType, 'fields'>,
  olds: Props,
  news: Props,
  profile: Profile,
) {
  const differing: Record<Field['onChange'], string[]> = { update: [], replace: [] };
  for (const [name, field] of Object.entries(fields)) {
    const { [name]: wish } = news;
    if (wish !== undefined && !sameValue(wish, olds[name])) differing[onChangeOf(field, profile)].push(name);
  }
  return differing;
}

/** Without `changes` the engine compares the inputs itself, and shows each difference. */
export function diff(type: ResourceType, olds: Props, news: Props, profile: Profile) {
  const { update, replace } = differences(type, olds, news, profile);
  const own = Object.keys(type.own).filter((name) => !sameValue(olds[name], news[name]));
  const isRecorded = optionalIn(type, news) === olds.managed;
  if (isRecorded && update.length + replace.length + own.length === 0) return { changes: false };
  // The engine takes null for absent, so it must be told of a change that only it cannot see.
  const before = inputsBehind(type, olds);
  const isSeen = Object.keys({ ...before, ...news }).some((name) => {
    return name !== '__provider' && !sameValue(before[name] ?? null, news[name] ?? null);
  });
  return { replaces: replace, ...(!isSeen && { changes: true }) };
}

/** The state after a create or an update. It names the optional inputs, because `read` is shown no inputs. */
export function outputsOf(type: ResourceType, inputs: Props, found: Omit<Found, 'id'>, address: string) {
  return stateOf({ ...inputs, managed: optionalIn(type, inputs) }, found, address);
}

/** What was given, with what the service shows now. The SDK fails for a member that is undefined. */
export function stateOf(before: Props, { values, outputs }: Omit<Found, 'id'>, address: string): Props {
  const all = Object.entries({ ...before, ...values, ...outputs, address }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? inOrderOf(before[name], sorted(value)) : value] as const];
  });
  return Object.fromEntries(all);
}

function optionalIn({ fields, own }: ResourceType, inputs: Props): string | undefined {
  const optional = Object.entries<Input>({ ...fields, ...own }).filter(([, { required }]) => !required);
  return optional.flatMap(([name]) => (inputs[name] === undefined ? [] : [name])).join() || undefined;
}

/** The inputs that the state was made from, with the values that it has now. */
export function inputsBehind({ fields }: ResourceType, state: Props): Props {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const names = [...required, ...textOf(state, 'managed').split(',')];
  return Object.fromEntries(
    names.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]])),
  );
}
