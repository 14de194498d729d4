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

/** Finds objects with the same name and the same values in all fields that only a replace can change. A name that is not shown may fit. */
export function possibleMatches(
  { fields }: ResourceDefinition,
  wanted: FieldValues,
  there: readonly Found[],
): readonly Found[] {
  const compared = Object.entries(fields).flatMap(([name, { onChange, writeOnly, refersTo }]) =>
    onChange === 'replace' && !writeOnly && refersTo !== 'organization' ? [name] : [],
  );
  return there.filter(({ values }) =>
    [...compared, 'name'].every((name) => !(name in values) || (wanted[name] ?? null) === values[name]),
  );
}

/** True if recorded values are those of an object that these inputs make. An absent field has the API's default. */
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

/** True if an object is as a create with these inputs makes it, as far as the service shows it. */
export function isLike(
  { fields }: Pick<ResourceDefinition, 'fields'>,
  sent: DesiredValues,
  found: Pick<Found, 'values'>,
): boolean {
  const shown = Object.entries(fields).filter(([name]) => name in found.values);
  return isAsCreated({ fields: Object.fromEntries(shown) }, sent, found);
}

/** Returns the wanted fields that the service does not show, except those with the API's default. */
export function hiddenFields(
  { fields }: Pick<ResourceDefinition, 'fields'>,
  wanted: DesiredValues,
  { values }: Pick<Found, 'values'>,
): readonly string[] {
  return Object.entries(fields).flatMap(([name, { writeOnly, default: usual = null }]) => {
    const { [name]: value } = wanted;
    return writeOnly || value === undefined || name in values || sameValue(value, usual) ? [] : [name];
  });
}

/** Returns a sentence about `hiddenFields`, or null if there is none. */
export function hiddenValues(
  definition: Pick<ResourceDefinition, 'fields'>,
  wanted: DesiredValues,
  found: Pick<Found, 'id' | 'values'>,
): string | null {
  const hidden = hiddenFields(definition, wanted, found);
  if (hidden.length === 0) return null;
  const { fields } = definition;
  const names = hidden.map((name) => `\`${fields[name]?.manifestName ?? name}\``).join(' and ');
  const isForAll = hidden.some((name) => fields[name]?.isScope);
  const scope = isForAll ? 'offers it to the whole organization, and ' : '';
  return `this service ${scope}does not show ${names} of ${found.id} (Terraform Enterprise before 2024 lacks some fields): leave out what it does not know`;
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

/** Leaves out what the service does not show. */
export function describeMatch({ id, values, outputs }: Found): string {
  const { organizationScoped: isForAll, projectIds } = values;
  const projects = setMembers(projectIds).length;
  const some = projectIds && `${projects} project${projects === 1 ? '' : 's'}`;
  const offered = isForAll === true ? 'the whole organization' : isForAll === false && some;
  const isConnected = setMembers(outputs.oauthTokenIds).length > 0;
  const parts = [
    ...(outputs.oauthTokenIds === undefined ? [] : [isConnected ? 'connected' : 'not connected']),
    ...(offered ? [`offered to ${offered}`] : []),
  ];
  return [id, `created ${String(outputs.createdAt)}`, ...parts].join(', ');
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
