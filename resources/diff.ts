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

type Kind = Pick<ResourceDefinition, 'fields'>;
type Values = Readonly<Record<string, unknown>>;

export function classifyChange({ updatableWith, onChange }: Field, { capabilities }: Profile) {
  return updatableWith !== undefined && capabilities[updatableWith] ? 'update' : onChange;
}

export function plainValues(values: DesiredValues): FieldValues {
  const plain = Object.entries(values).flatMap(([field, value]) =>
    isReference(value) ? [] : [[field, value] as const],
  );
  return Object.fromEntries(plain);
}

/** Returns the names of the fields that identify an object within its organization: its name, and all that only a replace can change. */
function identifyingFields({ fields }: Kind): readonly string[] {
  const fixed = Object.entries(fields).flatMap(([name, { onChange, writeOnly, refersTo }]) =>
    onChange === 'replace' && !writeOnly && refersTo !== 'organization' ? [name] : [],
  );
  return [...fixed, 'name'];
}

/** Returns the identity that these values give to an object within its organization. */
export function identify(definition: Kind, values: Values): string {
  return JSON.stringify(identifyingFields(definition).map((name) => values[name] ?? null));
}

/** Finds objects with the same identity. A name that is not shown may fit. */
export function possibleMatches(definition: Kind, wanted: FieldValues, existing: readonly Found[]) {
  const names = identifyingFields(definition);
  return existing.filter(({ values }) =>
    names.every((name) => !(name in values) || (wanted[name] ?? null) === values[name]),
  );
}

/** Groups the wanted fields that differ by what their change does. */
export function findDifferences({ fields }: Kind, before: Values, wanted: Values, profile: Profile) {
  const differences: Record<Field['onChange'], string[]> = { update: [], replace: [] };
  for (const [name, field] of Object.entries(fields)) {
    const isSame = wanted[name] === undefined || sameValue(wanted[name], before[name]);
    // The service may not show a field. Then the API's default is no difference.
    const isDefault = !(name in before) && sameValue(wanted[name], field.default ?? null);
    if (!isSame && !isDefault) differences[classifyChange(field, profile)].push(name);
  }
  return differences;
}

/**
 * Compares an existing object with the wanted values. `update` has the fields that an adoption writes. A secret that cannot change in
 * place counts as the existing one. `problem` says why the object cannot be adopted.
 */
export function planAdoption(definition: Kind, found: Found, wanted: Values, profile: Profile) {
  const { update, replace } = findDifferences(definition, found.values, wanted, profile);
  const isSecret = (name: string) => definition.fields[name]?.writeOnly;
  const fixed = replace.filter((name) => !isSecret(name));
  const problem = fixed.length === 0 ? null : describeFixed(fixed, found);
  return { update, keptSecrets: replace.filter(isSecret), problem };
}

/** Says why an object cannot be adopted, if values differ that the API cannot change. */
export function describeFixed(names: readonly string[], { values }: Found): string {
  const fields = names.map((name) => `its \`${name}\` is ${JSON.stringify(values[name] ?? null)}`);
  return `${fields.join(', ')}, and the API cannot change that`;
}

export function describeKeptSecret(name: string): string {
  return `${name} cannot be changed in place, so the declared one is taken for the one that is there`;
}

/** True if recorded values are those of an object that these inputs make. An absent field has the API's default. */
export function isAsCreated({ fields }: Kind, sent: DesiredValues, { values }: Pick<Found, 'values'>) {
  return Object.entries(fields).every(
    ([name, field]) =>
      field.writeOnly ||
      field.refersTo === 'organization' ||
      sameValue(sent[name] ?? field.default ?? null, values[name] ?? field.default ?? null),
  );
}

/** True if an object is as a create with these inputs makes it, as far as the service shows it. */
export function isLike({ fields }: Kind, sent: DesiredValues, found: Pick<Found, 'values'>): boolean {
  const shownFields = Object.entries(fields).filter(([name]) => name in found.values);
  return isAsCreated({ fields: Object.fromEntries(shownFields) }, sent, found);
}

/** Returns the wanted fields that the service does not show, except those with the API's default. */
export function hiddenFields({ fields }: Kind, wanted: DesiredValues, { values }: Found): readonly string[] {
  return Object.entries(fields).flatMap(([name, { writeOnly, default: usual = null }]) => {
    const { [name]: value } = wanted;
    return writeOnly || value === undefined || name in values || sameValue(value, usual) ? [] : [name];
  });
}

/** Returns a sentence about `hiddenFields`, or null if there is none. */
export function hiddenValues(definition: Kind, wanted: DesiredValues, found: Found): string | null {
  const hiddenNames = hiddenFields(definition, wanted, found);
  if (hiddenNames.length === 0) return null;
  const { fields } = definition;
  const names = hiddenNames.map((name) => `\`${fields[name]?.manifestName ?? name}\``).join(' and ');
  const isForAll = hiddenNames.some((name) => fields[name]?.isScope);
  const scope = isForAll ? 'offers it to the whole organization, and ' : '';
  return `this service ${scope}does not show ${names} of ${found.id} (Terraform Enterprise before 2024 lacks some fields): leave out what it does not know`;
}

/** Returns a sentence about fields that were not stored as sent, or null. Both values may be secrets, so none is shown. */
function keptOtherValues(sent: FieldValues, { id, values }: Found): string | null {
  const differingFields = Object.keys(sent).filter(
    (field) => field !== 'organization' && field in values && !sameValue(sent[field], values[field]),
  );
  if (differingFields.length === 0) return null;
  const hint = differingFields.includes('projectIds')
    ? '. Projects of another organization are dropped without an error: remove them from the list'
    : '';
  return `the service stored other values of ${id} than were sent: ${differingFields.join(', ')}${hint}`;
}

/** Returns a sentence about what the answer to a write lacks of the values that were sent, or null. */
export function unlikeSent(definition: Kind, sent: FieldValues, found: Found): string | null {
  return keptOtherValues(sent, found) ?? hiddenValues(definition, sent, found);
}

/** Leaves out what the service does not show. */
export function describeMatch({ id, values, outputs }: Found): string {
  const { organizationScoped: isForAll, projectIds } = values;
  const projects = setMembers(projectIds).length;
  const count = projectIds && `${projects} project${projects === 1 ? '' : 's'}`;
  const offered = isForAll === true ? 'the whole organization' : isForAll === false && count;
  const isConnected = setMembers(outputs.oauthTokenIds).length > 0;
  const parts = [
    ...(outputs.oauthTokenIds === undefined ? [] : [isConnected ? 'connected' : 'not connected']),
    ...(offered ? [`offered to ${offered}`] : []),
  ];
  return [id, `created ${String(outputs.createdAt)}`, ...parts].join(', ');
}

/** Returns the readable values that a successor takes over. */
export function carriedOver({ fields }: Kind, values: FieldValues = {}): FieldValues {
  const carried: Record<string, FieldValue> = {};
  for (const [name, { writeOnly, refersTo }] of Object.entries(fields)) {
    const { [name]: value = null } = values;
    if (value !== null && !writeOnly && refersTo !== 'organization') carried[name] = value;
  }
  return carried;
}
