/** What the engine sends and keeps: inputs and states as plain JSON, and how the two differ. */
import type { dynamic } from '@pulumi/pulumi';
import { onChangeOf } from '../resources/diff';
import {
  type Field,
  type FieldValue,
  type FieldValues,
  type Found,
  type ResourceDefinition,
  sameValue,
} from '../resources/kind';
import { isNonce } from '../resources/names';
import type { Profile } from '../resources/profile';
import type { ResourceType } from './resource-types';

/** Inputs or outputs of one resource. */
export type Props = Readonly<Record<string, unknown>>;

/** Stands in a preview for a value that only a run will tell (the SDK's `unknownValue`). */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Where the SDK keeps the text that loads this provider. */
export const providerMember = '__provider';

/** True for a value, or a list with a member, that is not known yet. */
export function isUnknown(value: unknown): boolean {
  return value === unknownValue || (Array.isArray(value) && value.some(isUnknown));
}

/** A member that is a known string. */
export function textOf(props: Props, name: string): string | undefined {
  const value = props[name];
  return typeof value === 'string' && value !== unknownValue ? value : undefined;
}

/** A member that `check` has made sure of; empty where a state lacks it. */
export function givenText(props: Props, name: string): string {
  return textOf(props, name) ?? '';
}

/** The strings of a list, each once and in order; empty when absent. */
export function membersOf(props: Props, name: string): string[] {
  const value = props[name];
  return Array.isArray(value) ? sortedSet(value.filter((member) => typeof member === 'string')) : [];
}

/** The engine compares place by place: members stay in theirs, a new one or the last one fills a gap. */
export function inPlaces(before: unknown, members: readonly string[]): string[] {
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const fresh = members.filter((member) => !old.includes(member));
  const places = old.map((member) => members.find((one) => one === member) ?? fresh.shift());
  places.push(...fresh);
  while (places.includes(undefined)) {
    const last = places.pop();
    if (last !== undefined) places[places.indexOf(undefined)] = last;
  }
  return places.filter((member) => member !== undefined);
}

export function sortedSet(members: readonly string[]): string[] {
  return [...new Set(members)].sort();
}

/** The optional readable fields that were inputs: the SDK shows `read` the outputs alone. */
const managedMember = 'managed';
export const addressMember = 'address';

/** What the service shows of an object, lists in the order of `before`. */
export function seenOf({ values, outputs }: Omit<Found, 'id'>, before: Props): Props {
  const seen = Object.entries({ ...values, ...outputs }).map(([name, value]) => [
    name,
    Array.isArray(value) ? inPlaces(before[name], value) : value,
  ]);
  return Object.fromEntries(seen);
}

/** None is undefined: the SDK would fail after the create. */
export function outputsOf(
  definition: Pick<ResourceDefinition, 'fields'>,
  inputs: Props,
  found: Omit<Found, 'id'>,
  address: string,
): Record<string, unknown> {
  const { [managedMember]: _, ...given } = inputs;
  const managed = Object.entries(definition.fields)
    .filter(([name, field]) => isOptionalReadable(field) && given[name] !== undefined)
    .map(([name]) => name);
  return {
    ...given,
    ...seenOf(found, inputs),
    [addressMember]: address,
    ...(managed.length > 0 && { [managedMember]: managed.join() }),
  };
}

/** The inputs that a state was made from, with the values it has now. */
export function inputsBehind({ fields, own }: ResourceType, state: Props): Record<string, unknown> {
  const managed = new Set(givenText(state, managedMember).split(','));
  // An unfinished create left its temporary name: shown as an input, it differs from the program's.
  if (isNonce(state.name)) managed.add('name');
  const inputs = Object.entries({ ...fields, ...own }).flatMap(([name, field]) => {
    const counts = name in own || !isOptionalReadable(field) || managed.has(name);
    return counts && state[name] !== undefined ? [[name, state[name]]] : [];
  });
  return Object.fromEntries(inputs);
}

/** The known fields among the inputs, secrets too. */
export function valuesOf({ fields }: Pick<ResourceDefinition, 'fields'>, inputs: Props): FieldValues {
  const values: Record<string, FieldValue> = {};
  for (const name of Object.keys(fields)) {
    const value = inputs[name] as FieldValue | undefined;
    if (value !== undefined && !isUnknown(value)) values[name] = value;
  }
  return values;
}

function isOptionalReadable({ required, writeOnly }: Omit<Field, 'onChange'>): boolean {
  return !required && !writeOnly;
}

/** The managed fields that differ, by what their change does. */
export function differencesOf(
  { fields }: Pick<ResourceDefinition, 'fields'>,
  olds: Props,
  news: Props,
  profile: Profile,
): Record<'update' | 'replace', string[]> {
  const differences: ReturnType<typeof differencesOf> = { update: [], replace: [] };
  for (const [name, field] of Object.entries(fields)) {
    const before = olds[name];
    // A create that was interrupted before the object had its real name, which is none.
    const { [name]: wish = name === 'name' && isNonce(before) ? null : undefined } = news;
    if (wish === undefined || (!isUnknown(wish) && sameValue(wish, before))) continue;
    differences[onChangeOf(field, profile)].push(name);
  }
  return differences;
}

export function diffResult(
  type: ResourceType,
  olds: Props,
  news: Props,
  profile: Profile,
): dynamic.DiffResult {
  const { update, replace: replaces } = differencesOf(type, olds, news, profile);
  const isRecorded = Object.entries(type.own).some(
    ([name, { recorded }]) => recorded && olds[name] !== news[name],
  );
  if (update.length + replaces.length === 0 && !isRecorded) return { changes: false };
  // The engine takes null for absent: then it must be told of the change.
  return isSeenByEngine(inputsBehind(type, olds), news) ? { replaces } : { changes: true, replaces };
}

function isSeenByEngine(before: Props, { [providerMember]: _, ...news }: Props): boolean {
  return Object.keys({ ...before, ...news }).some((name) => {
    return !sameValue(before[name] ?? null, news[name] ?? null);
  });
}
