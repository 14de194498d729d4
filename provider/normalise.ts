/** Inputs in one form, so that equal wishes compare equal: no null but where it clears, sets in order. */
import type { Field } from '../resources';
import { isUnknown, type Props, sortedSet } from './props';

/** The inputs as they go into the state. */
export function normalise(fields: Readonly<Record<string, Field>>, news: Props): Record<string, unknown> {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(news)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || (value === null && field?.nullable !== true)) continue;
    const isSet = field?.type === 'set' && Array.isArray(value) && !isUnknown(value);
    normal[name] = isSet && value.every((one) => typeof one === 'string') ? sortedSet(value) : value;
  }
  return normal;
}
