/** What the engine sends and keeps: inputs and states as plain JSON, and how the two differ. */
import { onChangeOf } from '../resources/diff';
import {
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

/** In the order that they had, so that a diff shows one line for each that comes or goes. */
export function inPlaces(before: unknown, members: readonly string[]): string[] {
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const stays = old.flatMap((member) => members.find((one) => one === member) ?? []);
  return [...stays, ...members.filter((member) => !stays.includes(member))];
}

export function sortedSet(members: readonly string[]): string[] {
  return [...new Set(members)].sort();
}

export const addressMember = 'address';

/** Among the inputs of an import, until an `up` has had the object in its program; the engine shows no such name. */
export const importedMark = '__imported';

/** In the state of what was not created here: nobody has ever seen its secrets. */
export function unverifiedMark({ fields }: ResourceType): Props {
  return Object.values(fields).some((field) => field.writeOnly) ? { unverified: true } : {};
}

/** What the service shows of an object, lists in the order of `before`. */
export function seenOf({ values, outputs }: Omit<Found, 'id'>, before: Props): Props {
  const seen = Object.entries({ ...values, ...outputs }).map(([name, value]) => [
    name,
    Array.isArray(value) ? inPlaces(before[name], value) : value,
  ]);
  return Object.fromEntries(seen);
}

/** As given, and as the service shows it. */
export function outputsOf(inputs: Props, found: Omit<Found, 'id'>, address: string): Props {
  return { ...inputs, ...seenOf(found, inputs), [addressMember]: address };
}

/** The inputs with the values that the state has now; those of an import are all that is set. */
export function inputsBehind({ fields }: ResourceType, state: Props, inputs: Props): Props {
  const isImport = Object.keys(inputs).length === 0;
  const shown = Object.entries(fields).flatMap(([name, field]) => {
    const { [name]: value = null } = state;
    const isSet = value !== null && !(Array.isArray(value) && value.length === 0);
    // An unfinished create left its temporary name: shown as an input, it differs from the program's.
    const isGiven = name in inputs || field.required || isNonce(value) || (isImport && isSet);
    return isGiven && !field.writeOnly && name in state ? [[name, value]] : [];
  });
  return { ...inputs, ...Object.fromEntries(shown), ...(isImport && { [importedMark]: true }) };
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
    const onChange = onChangeOf(field, profile);
    // Taken for what the object has, as an adoption does.
    if (onChange === 'replace' && field.writeOnly && before === undefined && olds.unverified) continue;
    differences[onChange].push(name);
  }
  return differences;
}

/** Also of inputs that only the state records. */
export function diffResult(type: ResourceType, olds: Props, news: Props, profile: Profile) {
  const { update, replace } = differencesOf(type, olds, news, profile);
  const recorded = Object.keys(type.own).filter((name) => {
    return type.own[name]?.recorded && olds[name] !== news[name];
  });
  return { update: [...update, ...recorded], replace };
}
