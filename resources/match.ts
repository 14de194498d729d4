/** Whether an object that exists may be the wanted one, and what a successor takes over of it. */
import type { FieldValue, FieldValues, Found, ResourceDefinition } from './kind';
import { isNonce } from './names';

/** True for an object that a create has not given its name yet, ours or that of another run. */
export function hasTemporaryName(found: Pick<Found, 'values'>): boolean {
  return isNonce(found.values.name);
}

/** True when every readable field that never changes in place is the same; the organization is not compared. */
export function sameImmutables(
  definition: ResourceDefinition,
  wanted: FieldValues,
  there: FieldValues,
): boolean {
  return Object.entries(definition.fields).every(
    ([name, field]) =>
      field.onChange !== 'replace' ||
      field.writeOnly === true ||
      field.refersTo === 'organization' ||
      wanted[name] === there[name],
  );
}

/**
 * The objects that may be the wanted one, under the same name and under others: all that never changes in place is the same.
 * An unfinished one is no match.
 */
export function possibleMatches(
  definition: ResourceDefinition,
  wanted: FieldValues,
  there: readonly Found[],
): { readonly same: readonly Found[]; readonly renamed: readonly Found[] } {
  const matches = there.filter(
    (found) => !hasTemporaryName(found) && sameImmutables(definition, wanted, found.values),
  );
  const isNamesake = (found: Found): boolean => (found.values.name ?? null) === (wanted.name ?? null);
  return { same: matches.filter(isNamesake), renamed: matches.filter((found) => !isNamesake(found)) };
}

/** One line a person can recognise the object by. */
export function describeMatch(found: Found): string {
  const { createdAt, oauthTokenIds } = found.outputs;
  const projects = found.values.projectIds;
  const tokens = Array.isArray(oauthTokenIds) ? oauthTokenIds.length : 0;
  const count = Array.isArray(projects) ? projects.length : 0;
  const offered =
    found.values.organizationScoped === true
      ? 'offered to the whole organization'
      : `offered to ${count} ${count === 1 ? 'project' : 'projects'}`;
  return `${found.id}, created ${String(createdAt)}, ${tokens === 0 ? 'not connected' : 'connected'}, ${offered}`;
}

/** What a successor has besides what is wanted of it: every readable value of the old object, but for a temporary name. */
export function carriedOver({ fields }: ResourceDefinition, values: FieldValues = {}): FieldValues {
  const carried: Record<string, FieldValue> = {};
  for (const [name, { writeOnly, refersTo }] of Object.entries(fields)) {
    const { [name]: value = null } = values;
    const isUnfinished = name === 'name' && isNonce(value);
    if (value !== null && !writeOnly && refersTo !== 'organization' && !isUnfinished) carried[name] = value;
  }
  return carried;
}
