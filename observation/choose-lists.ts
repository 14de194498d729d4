/** Which lists to read so that every object is shown by one of them. */
import { type ListRef, listName } from '../resources/lists';

/**
 * Picks lists until every object of `wanted` (each given by the lists that would show it) is covered. `forced` lists
 * are read anyway and cover what they can first; then whichever list covers most of the rest. Deterministic.
 */
export function chooseLists(
  wanted: readonly (readonly ListRef[])[],
  forced: readonly ListRef[],
): readonly ListRef[] {
  const chosen = new Map<string, ListRef>();
  for (const ref of forced) chosen.set(listName(ref), ref);
  for (const alternatives of wanted) {
    const only = alternatives.length === 1 ? alternatives[0] : undefined;
    if (only !== undefined) chosen.set(listName(only), only);
  }
  const open = wanted
    .map((alternatives, index) => ({ index, alternatives }))
    .filter(
      ({ alternatives }) => alternatives.length > 0 && !alternatives.some((ref) => chosen.has(listName(ref))),
    );
  const candidates = new Map<string, { ref: ListRef; objects: Set<number> }>();
  for (const { index, alternatives } of open) {
    for (const ref of alternatives) {
      const name = listName(ref);
      const candidate = candidates.get(name) ?? { ref, objects: new Set() };
      candidate.objects.add(index);
      candidates.set(name, candidate);
    }
  }
  const byObject = new Map(open.map(({ index, alternatives }) => [index, alternatives]));
  while (byObject.size > 0) {
    const best = [...candidates.entries()].reduce((one, two) =>
      two[1].objects.size > one[1].objects.size ? two : one,
    );
    chosen.set(best[0], best[1].ref);
    for (const index of [...best[1].objects]) {
      for (const ref of byObject.get(index) ?? []) candidates.get(listName(ref))?.objects.delete(index);
      byObject.delete(index);
    }
  }
  return [...chosen.values()];
}
