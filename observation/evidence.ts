/** What is known of one object: it is there, it is proved absent, or nobody can tell. */

import {
  type Found,
  joined,
  type Key,
  type ListContents,
  type ListRef,
  listName,
  type ResourceDefinition,
} from '../resources/kind';

export type Observation =
  | { readonly state: 'present'; readonly found: Found }
  /** Proved by lists that were read whole and lack it, and by a Show that answered 404 where the id was known. */
  | { readonly state: 'absent'; readonly evidence: readonly ListRef[] }
  /** "Not found" and "not allowed" look the same in this API. */
  | { readonly state: 'undetermined'; readonly why: string };

// One pass over the API, as a value: every list that was read or could not be, and single objects looked at again.
/** A list read whole, or why it could not be (404 means "not found or not allowed"). */
export type ListResult =
  | { readonly state: 'read'; readonly ref: ListRef; readonly contents: ListContents }
  | { readonly state: 'unreadable'; readonly ref: ListRef; readonly why: string };

/** What a Show of one id answered; what it found stands in the lists. */
export type ShowResult = 'present' | 'absent';

export interface Observed {
  /** Base URL of the service that was looked at. */
  readonly address: string;
  /** By list name (resources/lists.ts). */
  readonly lists: Readonly<Record<string, ListResult>>;
  /** By item id: only those that a list was expected to show and did not. */
  readonly shows: Readonly<Record<string, ShowResult>>;
  /** By client id, for clients that the plan may destroy or replace, where the profile can tell. */
  readonly affected: Readonly<Record<string, { readonly count: number; readonly names: readonly string[] }>>;
}

// An object somebody wants to know about, and whether the lists of a pass show it. Pure.
/** `id` where it is known, so that an absence can be proved by a Show. */
export interface Expectation {
  readonly definition: ResourceDefinition;
  readonly key: Key;
  readonly id?: string;
}

/** The lists that would show the object and were read, in the order of the definition. */
export function readLists(
  observed: Observed,
  definition: ResourceDefinition,
  key: Key,
): readonly Extract<ListResult, { state: 'read' }>[] {
  return definition
    .listedIn(key)
    .map((ref) => observed.lists[listName(ref)])
    .filter((result) => result?.state === 'read');
}

/** The id of the item in which a list shows the object: its own, or that of the object whose page shows it; absent where nobody knows it. */
export function itemOf({ definition, key, id }: Expectation): string | undefined {
  return definition.shownBy === undefined ? id : key[definition.shownBy];
}

/** True when a list has the object's item, false when one was read and does not, null when none was read. */
export function isListed(observed: Observed, expected: Expectation): boolean | null {
  const { definition, key } = expected;
  const read = readLists(observed, definition, key);
  if (read.length === 0) return null;
  const item = itemOf(expected);
  return item === undefined
    ? read.some((one) => definition.find(one.contents, key).length > 0)
    : read.some((one) => one.contents.items.some((other) => other.id === item));
}

// Where a link that a list does not show may still be: behind an end that the caller may not read. Pure.
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

// What a list does not show and a Show may: a list can be late, so an item that a Show finds counts as listed. Pure.
/** The items that were expected in a list of this pass and are not there, by id, each with a list that lacks it. */
export function unlistedItems(
  observed: Observed,
  expected: readonly Expectation[],
): ReadonlyMap<string, ListRef> {
  return new Map(
    expected.flatMap((one): [string, ListRef][] => {
      const item = itemOf(one);
      const [list] = readLists(observed, one.definition, one.key);
      if (item === undefined || list === undefined || isListed(observed, one) !== false) return [];
      return [[item, list.ref]];
    }),
  );
}

/** The pass with what the Shows of unlisted items found, null for one that answered "not found". */
export function withShown(
  observed: Observed,
  expected: readonly Expectation[],
  shown: ReadonlyMap<string, ListContents | null>,
): Observed {
  const lists: Record<string, ListResult> = { ...observed.lists };
  for (const one of expected) {
    const found = shown.get(itemOf(one) ?? '') ?? null;
    if (found === null) continue;
    const ids = new Set(found.items.map((item) => item.id));
    for (const { ref, contents } of readLists({ ...observed, lists }, one.definition, one.key)) {
      if (contents.items.some((item) => ids.has(item.id))) continue;
      lists[listName(ref)] = { state: 'read', ref, contents: joined(contents, found) };
    }
  }
  const shows = [...shown].map(([id, found]): [string, ShowResult] => [
    id,
    found === null ? 'absent' : 'present',
  ]);
  return { ...observed, lists, shows: Object.fromEntries(shows) };
}
