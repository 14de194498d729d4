/** An error that names a broken promise and the observation. */

export class Broken extends Error {
  constructor(
    /** The name of the promise. It is stable, so that a course can be shortened while it breaks the same promise. */
    readonly oracle: string,
    detail: string,
  ) {
    super(`${oracle}\n${detail}`);
  }
}

/** Returns the error for a case that a `switch` leaves out. The compiler refuses the call unless every case is there. */
export function unhandled(value: never): Error {
  return new Error(`no case for ${JSON.stringify(value)}`);
}

/** Fails unless both lists hold the same, in any order. */
export function sameMembers(oracle: string, actual: Iterable<string>, wanted: Iterable<string>): void {
  const [left, right] = [[...actual].sort(), [...wanted].sort()];
  if (JSON.stringify(left) === JSON.stringify(right)) return;
  const rest = [...right];
  const extra = left.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  const list = (title: string, items: readonly string[]): string =>
    items.length === 0 ? '' : `${title}:\n${items.map((item) => `  ${item}\n`).join('')}`;
  throw new Broken(oracle, list('not expected', extra) + list('missing', rest));
}
