/** The wanted object beside those there: the diff, possible matches, and what a successor takes over. */
import {
  type DesiredValues,
  type Field,
  type FieldValue,
  type FieldValues,
  type Found,
  isReference,
  type ResourceDefinition,
  sameValue,
  setMembers,
} from './kind';
import { isNonce } from './names';
import type { Profile } from './profile';

export interface FieldChange {
  readonly field: string;
  readonly from: FieldValue | undefined;
  readonly to: FieldValue;
  readonly onChange: Field['onChange'];
  readonly risk: string | null;
}

/** What a change of the field does under this profile. */
export function onChangeOf({ updatableWith, onChange }: Field, { capabilities }: Profile) {
  return updatableWith !== undefined && capabilities[updatableWith] ? 'update' : onChange;
}

/** What can be compared: no references. */
export function plainValues(values: DesiredValues): FieldValues {
  const plain = Object.entries(values).flatMap(([field, value]) =>
    isReference(value) ? [] : [[field, value] as const],
  );
  return Object.fromEntries(plain);
}

/** The desired readable fields that differ; one that is not desired is not managed. */
export function diff(
  { fields }: Pick<ResourceDefinition, 'fields'>,
  desired: FieldValues,
  observed: FieldValues,
  profile: Profile,
): readonly FieldChange[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const from = observed[name];
    const to = desired[name];
    if (to === undefined || field.writeOnly || sameValue(to, from)) return [];
    const risk = field.risk?.(from, to) ?? null;
    return [{ field: name, from, to, onChange: onChangeOf(field, profile), risk }];
  });
}

/** Finished objects that may be the wanted one: all readable fields that only a replace changes are the same. */
export function possibleMatches(
  { fields }: ResourceDefinition,
  wanted: FieldValues,
  there: readonly Found[],
) {
  const fixed = Object.entries(fields).flatMap(([name, { onChange, writeOnly, refersTo }]) =>
    onChange === 'replace' && !writeOnly && refersTo !== 'organization' ? [name] : [],
  );
  const matches = there.filter(
    (found) => !isNonce(found.values.name) && fixed.every((name) => wanted[name] === found.values[name]),
  );
  const isNamesake = ({ values }: Found): boolean => (values.name ?? null) === (wanted.name ?? null);
  return { same: matches.filter(isNamesake), renamed: matches.filter((found) => !isNamesake(found)) };
}

/** One line a person can recognise the object by. */
export function describeMatch({ id, values, outputs }: Found): string {
  const connected = setMembers(outputs.oauthTokenIds).length === 0 ? 'not connected' : 'connected';
  const projects = setMembers(values.projectIds).length;
  const some = projects === 1 ? '1 project' : `${projects} projects`;
  const offered = values.organizationScoped === true ? 'the whole organization' : some;
  return `${id}, created ${String(outputs.createdAt)}, ${connected}, offered to ${offered}`;
}

/** What a successor takes over: every readable value, but for a temporary name. */
export function carriedOver({ fields }: ResourceDefinition, values: FieldValues = {}): FieldValues {
  const carried: Record<string, FieldValue> = {};
  for (const [name, { writeOnly, refersTo }] of Object.entries(fields)) {
    const { [name]: value = null } = values;
    const isUnfinished = name === 'name' && isNonce(value);
    if (value !== null && !writeOnly && refersTo !== 'organization' && !isUnfinished) carried[name] = value;
  }
  return carried;
}
