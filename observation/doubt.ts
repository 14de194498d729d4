/** Where a link that a list does not show may still be: behind an end that the caller may not read. Pure. */
import { type ListRef, listName } from '../resources/lists';
import { type Expectation, isListed } from './expectation';
import type { Observed } from './observed';

/**
 * Lists to read besides, so that an absence counts: a list may leave out links whose other end the caller may not read.
 * Asked only of links that somebody wants, which are those without an id here and which a plan would create, and only of
 * ends that no list of this pass shows to be readable.
 */
export function doubtfulLists(observed: Observed, expected: readonly Expectation[]): readonly ListRef[] {
  const readable = new Set(
    Object.values(observed.lists).flatMap(({ state, ref }) => (state === 'read' ? [endOf(ref)] : [])),
  );
  const doubtful = new Map<string, ListRef>();
  for (const one of expected) {
    if (one.id !== undefined || isListed(observed, one) !== false) continue;
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
