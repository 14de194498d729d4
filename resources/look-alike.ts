/** Objects that might be the wanted one: what never changes in place is the same. */
import type { Found, ResourceDefinition } from './definition';
import type { FieldValues } from './values';

/** True when every readable field that replaces is the same; the organization is not compared. */
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

/** One line a person can recognise the object by. */
export function describe(found: Found): string {
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
