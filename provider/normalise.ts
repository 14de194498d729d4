/** Inputs in one form, so that equal wishes compare equal: no null but where it clears, sets in the order of the state. */
import type { Field } from '../resources/kind';
import { inPlaces, isUnknown, type Props, sortedSet } from './props';

/** The inputs as they go into the state, which has `olds` so far. */
export function normalise(
  fields: Readonly<Record<string, Field>>,
  olds: Props,
  news: Props,
): Record<string, unknown> {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(news)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || (value === null && field?.nullable !== true)) continue;
    const isSet =
      field?.type === 'set' && Array.isArray(value) && value.every((one) => typeof one === 'string');
    normal[name] = isSet ? inPlaces(olds[name], membersIn(value)) : value;
  }
  return normal;
}

/** Each member once and in order, and then each that is not known yet. */
function membersIn(value: readonly string[]): readonly string[] {
  return [...sortedSet(value.filter((one) => !isUnknown(one))), ...value.filter(isUnknown)];
}
