/** The one diff: which managed fields differ from what is observed, and whether that is an update or a replacement. */
import {
  type Field,
  type FieldValue,
  type FieldValues,
  type Found,
  type ResourceDefinition,
  sameValue,
} from './kind';

import type { Profile } from './profile';

export interface FieldChange {
  readonly field: string;
  readonly from: FieldValue | undefined;
  readonly to: FieldValue;
  readonly onChange: 'update' | 'replace';
  readonly risk: string | null;
}

/** What a change of the field does under this profile. */
export function onChangeOf(field: Field, profile: Profile): 'update' | 'replace' {
  return field.updatableWith !== undefined && profile.capabilities[field.updatableWith]
    ? 'update'
    : field.onChange;
}

/** Compares the desired readable fields with the observed ones; a field that is not desired is not managed and never differs. */
export function diff(
  definition: Pick<ResourceDefinition, 'fields'>,
  desired: FieldValues,
  observed: FieldValues,
  profile: Profile,
): readonly FieldChange[] {
  return Object.entries(definition.fields).flatMap(([name, field]) => {
    const to = desired[name];
    if (to === undefined || field.writeOnly || sameValue(to, observed[name])) return [];
    const from = observed[name];
    return [
      { field: name, from, to, onChange: onChangeOf(field, profile), risk: field.risk?.(from, to) ?? null },
    ];
  });
}

// Objects that might be the wanted one: what never changes in place is the same.
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
