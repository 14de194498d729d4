/** The diff of one resource: the definitions' own, with what only Pulumi has: unknown values and secrets in the state. */
import type { dynamic } from '@pulumi/pulumi';
import { diff, onChangeOf } from '../resources/diff';
import { type Field, type FieldValue, type ResourceDefinition, sameValue } from '../resources/kind';
import { isNonce } from '../resources/names';
import type { Profile } from '../resources/profile';
import type { OwnInput } from './own-inputs';
import { isFieldValue, isUnknown, type Props, providerMember } from './props';
import { managedMember, wereInputs } from './state';

/** A field that differs, and what a change of it does. */
export interface Difference {
  readonly field: string;
  readonly onChange: 'update' | 'replace';
}

/** Which managed fields differ between the state and the inputs. A field that is not among the inputs is not managed. */
export function compare(
  definition: ResourceDefinition,
  olds: Props,
  news: Props,
  profile: Profile,
): readonly Difference[] {
  const desired: Record<string, FieldValue> = {};
  const observed: Record<string, FieldValue> = {};
  const more: Difference[] = [];
  for (const [name, field] of Object.entries(definition.fields)) {
    const before = olds[name];
    const wish = news[name];
    if (isFieldValue(before)) observed[name] = before;
    if (wish === undefined) {
      // A create that was interrupted before the object had its real name, which is none.
      if (name === 'name' && isNonce(before)) desired[name] = null;
    } else if (isUnknown(wish) || (field.writeOnly === true && wish !== before)) {
      more.push({ field: name, onChange: onChangeOf(field, profile) });
    } else if (isFieldValue(wish)) desired[name] = wish;
  }
  return [
    ...diff(definition, desired, observed, profile).map(({ field, onChange }) => ({ field, onChange })),
    ...more,
  ];
}

/** What the engine should do about it. */
export function verdict(
  differences: readonly Difference[],
  fields: Readonly<Record<string, Field>>,
  own: Readonly<Record<string, OwnInput>>,
  olds: Props,
  news: Props,
): dynamic.DiffResult {
  const recorded = Object.entries(own).some(([name, input]) => input.recorded && olds[name] !== news[name]);
  if (differences.length === 0 && !recorded) return { changes: false };
  const replaces = differences.filter((one) => one.onChange === 'replace').map((one) => one.field);
  if (seenByEngine(fields, own, olds, news)) return { replaces };
  // The inputs are the same to the engine, which takes null for absent: only then it is told outright.
  return { changes: true, replaces };
}

/** Whether the engine, comparing the inputs in its state with the new ones, finds a difference by itself. */
function seenByEngine(
  fields: Readonly<Record<string, Field>>,
  own: Readonly<Record<string, OwnInput>>,
  olds: Props,
  news: Props,
): boolean {
  const before = wereInputs(fields, own, olds);
  const names = new Set([...Object.keys(before), ...Object.keys(news)]);
  names.delete(providerMember);
  names.delete(managedMember);
  return [...names].some((name) => !sameInput(before[name], news[name]));
}

function sameInput(before: unknown, after: unknown): boolean {
  if (isFieldValue(before) && isFieldValue(after)) return sameValue(before, after);
  return (before ?? null) === (after ?? null);
}
