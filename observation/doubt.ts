/** Where a link that a list does not show may still be: behind an end that the caller may not read. Pure. */
import { type ListRef, listName } from '../resources/lists';
import { type Expectation, isListed } from './expectation';
import type { Observed } from './observed';

/**
 * Lists to read besides, so that an absence counts: a list may leave out links whose other end the caller may not read.
 * Asked only of links without a known id, which a plan would create, and only of ends that no list of this pass shows
 * to be readable.
 */
export function doubtfulLists(observed: Observed, expected: readonly Expectation[]): readonly ListRef[] {
  const readable = new Set(
    Object.values(observed.lists).flatMap(({ state, ref }) => (state === 'read' ? [endOf(ref)] : [])),
  );
  const known = new Set(expected.filter((one) => one.id !== undefined).map(pairName));
  const doubtful = new Map<string, ListRef>();
  for (const one of expected) {
    if (known.has(pairName(one)) || isListed(observed, one) !== false) continue;
    for (const ref of one.definition.listedIn(one.key)) {
      const name = listName(ref);
      if (observed.lists[name] === undefined && !readable.has(endOf(ref))) doubtful.set(name, ref);
    }
  }
  return [...doubtful.values()];
}

/** What must be readable for the list to be. */
function endOf(ref: ListRef): string {
  return ref.list === 'runTriggers' ? ref.workspaceId : listName(ref);
}

function pairName({ definition, key }: Expectation): string {
  return JSON.stringify([definition.kind, ...definition.pair.map((field) => key[field])]);
}
