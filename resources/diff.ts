/** Compares the declared object with existing ones. */
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
import type { Profile } from './profile';

export function onChangeOf({ updatableWith, onChange }: Field, { capabilities }: Profile) {
  return updatableWith !== undefined && capabilities[updatableWith] ? 'update' : onChange;
}

export function plainValues(values: DesiredValues): FieldValues {
  const plain = Object.entries(values).flatMap(([field, value]) =>
    isReference(value) ? [] : [[field, value] as const],
  );
  return Object.fromEntries(plain);
}

/** Finds objects with the same name and the same values in all fields that only a replace can change. */
export function possibleMatches(
  { fields }: ResourceDefinition,
  wanted: FieldValues,
  there: readonly Found[],
): readonly Found[] {
  const compared = Object.entries(fields).flatMap(([name, { onChange, writeOnly, refersTo }]) =>
    onChange === 'replace' && !writeOnly && refersTo !== 'organization' ? [name] : [],
  );
  return there.filter(({ values }) =>
    [...compared, 'name'].every((name) => (wanted[name] ?? null) === (values[name] ?? null)),
  );
}

/** True if an object is as a create with these inputs makes it. An absent field has the API's default. */
export function isAsCreated(
  { fields }: Pick<ResourceDefinition, 'fields'>,
  sent: DesiredValues,
  { values }: Pick<Found, 'values'>,
): boolean {
  return Object.entries(fields).every(
    ([name, field]) =>
      field.writeOnly ||
      field.refersTo === 'organization' ||
      sameValue(sent[name] ?? field.default ?? null, values[name] ?? field.default ?? null),
  );
}

/** Returns a sentence about fields that were not stored as sent, or null. What was stored may be a secret, so it is not shown. */
export function keptOtherValues(sent: FieldValues, { id, values }: Found): string | null {
  const differing = Object.keys(sent).filter(
    (field) => field !== 'organization' && field in values && !sameValue(sent[field], values[field]),
  );
  if (differing.length === 0) return null;
  const texts = differing.map((field) => `${field} was sent as ${JSON.stringify(sent[field])}`);
  const hint = differing.includes('projectIds')
    ? '. Projects of another organization are dropped without an error: remove them from the list'
    : '';
  return `the service stored other values of ${id} than were sent: ${texts.join('; ')}${hint}`;
}

export function describeMatch({ id, values, outputs }: Found): string {
  const connected = setMembers(outputs.oauthTokenIds).length === 0 ? 'not connected' : 'connected';
  const projects = setMembers(values.projectIds).length;
  const some = projects === 1 ? '1 project' : `${projects} projects`;
  const offered = values.organizationScoped === true ? 'the whole organization' : some;
  return `${id}, created ${String(outputs.createdAt)}, ${connected}, offered to ${offered}`;
}

/** Returns the readable values that a successor takes over. */
export function carriedOver({ fields }: ResourceDefinition, values: FieldValues = {}): FieldValues {
  const carried: Record<string, FieldValue> = {};
  for (const [name, { writeOnly, refersTo }] of Object.entries(fields)) {
    const { [name]: value = null } = values;
    if (value !== null && !writeOnly && refersTo !== 'organization') carried[name] = value;
  }
  return carried;
}
