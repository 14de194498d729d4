/** Whether an object that exists may be the wanted one, and what a successor takes over of it. */
import { sameImmutables } from './diff';
import type { FieldValues, Found, ResourceDefinition } from './kind';
import { isNonce } from './names';

/** True for an object that a create has not given its name yet, ours or that of another run. */
export function hasTemporaryName(found: Pick<Found, 'values'>): boolean {
  return isNonce(found.values.name);
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

/** What a successor has besides what is wanted of it: the values that the old object had, but for a temporary name. */
export function carriedOver(definition: ResourceDefinition, observed: FieldValues): FieldValues {
  return Object.fromEntries(
    Object.entries(observed).filter(([name, value]) => {
      const field = definition.fields[name];
      const isReadable = field !== undefined && !field.writeOnly && field.refersTo !== 'organization';
      return isReadable && value !== null && !(name === 'name' && isNonce(value));
    }),
  );
}
