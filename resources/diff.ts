/** The one diff: which managed fields differ from what is observed, and whether that is an update or a replacement. */
import type { Field, FieldValue, FieldValues, Profile, ResourceDefinition } from './kind';

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

/** Equality of two field values; sets compare without order or repeats. */
export function sameValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    const one = new Set<string>(left);
    const two = new Set<string>(right);
    return one.size === two.size && [...one].every((member) => two.has(member));
  }
  return left === right;
}
