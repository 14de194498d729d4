/** Property bags as the engine sends them: plain JSON, secrets unwrapped, unknown values as one sentinel. */
import type { FieldValue } from '../resources/kind';

/** Inputs or outputs of one resource. A member may be null where a program said so. */
export type Props = Readonly<Record<string, unknown>>;

/** What the engine sends in a preview for a value of any type that only a run will tell (the SDK's `unknownValue`). */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** The member in which the SDK keeps the text that loads this provider. */
export const providerMember = '__provider';

/** True for a value, or a list with a member, that is not known yet. */
export function isUnknown(value: unknown): boolean {
  return value === unknownValue || (Array.isArray(value) && value.some(isUnknown));
}

/** True for what a field can hold. */
export function isFieldValue(value: unknown): value is FieldValue {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (Array.isArray(value) && value.every((member) => typeof member === 'string'))
  );
}

/** A member that is a known text; undefined otherwise. */
export function textOf(props: Props, name: string): string | undefined {
  const value = props[name];
  return typeof value === 'string' && value !== unknownValue ? value : undefined;
}

/** A member that `check` has made sure of: a known text, empty where the state lacks it all the same. */
export function givenText(props: Props, name: string): string {
  return textOf(props, name) ?? '';
}

/** A member that is a list of texts, each once and in order; empty when it is absent. */
export function membersOf(props: Props, name: string): readonly string[] {
  const value = props[name];
  return Array.isArray(value) ? sortedSet(value.filter((member) => typeof member === 'string')) : [];
}

/**
 * The members in the places that they had, since the engine compares lists place by place: a gap is filled by a new member,
 * or else by the last one, so that one change is one line.
 */
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

/** Order and repeats mean nothing in a set; the engine compares lists member by member. */
export function sortedSet(members: readonly string[]): string[] {
  return [...new Set(members)].sort();
}
