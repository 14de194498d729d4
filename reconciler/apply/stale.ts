/** Whether an object is still what the plan saw, right before it is changed or destroyed. */
import { type FieldValue, type Found, sameValue } from '../../resources/kind';

import type { Run, Task } from './run';

/** Somebody changed the object after it was planned; nothing was written. */
export class Stale extends Error {
  override readonly name = 'Stale';
}

/** Throws `Stale` that names each readable field with its planned and its current value. */
export function refuseStale(run: Run, { step, definition }: Task, found: Found): void {
  if (step.observed === undefined) return;
  const expected = run.own.expected(found.id, step.observed);
  const differing = Object.entries(definition.fields)
    .filter(([, field]) => !field.writeOnly)
    .flatMap(([name]) => {
      const [was, is] = [expected[name], found.values[name]];
      const same = was === undefined || is === undefined || sameValue(was, is);
      return same ? [] : [`${name} was ${show(was)} and is ${show(is)}`];
    });
  if (differing.length === 0) return;
  throw new Stale(
    `${found.id} was changed since it was planned: ${differing.join('; ')}. Nothing was written; plan again`,
  );
}

function show(value: FieldValue): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
