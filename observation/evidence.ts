/** What one pass over the API proves of an object. Pure. */
import { groupBy } from '../resources/groups';
import {
  byAge,
  type Found,
  type Key,
  type ListItem,
  type ListRef,
  type ResourceDefinition,
} from '../resources/kind';

export type Observation =
  | { readonly state: 'present'; readonly found: Found }
  /** Proved by lists that were read whole and, where the id was known, by a Show that answered 404. */
  | { readonly state: 'missing'; readonly evidence: readonly ListRef[] }
  /** "Not found" and "not allowed" look the same in this API. */
  | { readonly state: 'unknown'; readonly why: string };

/** What one call showed of an object, and when (`performance.now`). */
export type Look = Found & { readonly at: number };

export type ListResult =
  | { readonly state: 'read'; readonly ref: ListRef; readonly items: readonly ListItem[] }
  | { readonly state: 'unreadable'; readonly ref: ListRef; readonly why: string };

export interface Observed {
  /** Base URL of the service. */
  readonly address: string;
  readonly lists: Readonly<Record<string, ListResult>>;
  /** By item id, what a Show answered where a list lacked what it should have; what it found stands in the lists. */
  readonly shows: Readonly<Record<string, 'present' | 'missing'>>;
}

/** An object to look at; where its id is known, a Show can prove its absence. */
export interface Expectation {
  readonly definition: ResourceDefinition;
  readonly key: Key;
  readonly id?: string;
  /** Of a link that nobody made yet: its create tells whether its other end can be seen. */
  readonly isNew?: true;
  /** Of a link with an id: where it is gone, another one of its pair would do. */
  readonly isWanted?: true;
}

/** What the pass says of one object. For a link without a known id, any link of the pair counts. */
export function observationOf(observed: Observed, expected: Expectation): Observation {
  const { definition, key, id } = expected;
  const read = readLists(observed, expected);
  for (const { items } of read) {
    const all = findIn(items, definition, key);
    const any = definition.pair.length > 0 || id === undefined ? all[0] : undefined;
    const found = all.find((one) => one.id === id) ?? any;
    if (found !== undefined) return { state: 'present', found };
  }
  const unknown = (why: string): Observation => ({ state: 'unknown', why });
  const refs = placesOf(expected);
  let unreadable: string | undefined;
  for (const { name } of refs) {
    const result = observed.lists[name];
    if (result?.state === 'unreadable') unreadable ??= result.why;
  }
  if (read.length === 0) {
    return unknown(unreadable ?? `none of ${refs.map(({ name }) => name).join(', ')} was read`);
  }
  const item = itemOf(expected);
  // It may exist unseen: a list can leave out what the token may not read.
  if (item === undefined && unreadable !== undefined) return unknown(unreadable);
  // Where the id is known, a Show decides: reading one end is enough for it.
  if (item !== undefined && !isListed(read, expected) && observed.shows[item] === undefined) {
    return unknown(`the list lacks ${item}, and nobody looked at it by its id`);
  }
  return { state: 'missing', evidence: read.map(({ ref }) => ref) };
}

/** All objects of that key, oldest first; null when no list of them could be read. */
export function foundAll(observed: Observed, definition: ResourceDefinition, key: Key) {
  const read = readLists(observed, { definition, key });
  if (read.length === 0) return null;
  const all = read.flatMap(({ items }) => findIn(items, definition, key));
  if (all.length < 2) return all;
  return [...new Map(all.map((found) => [found.id, found])).values()].sort(byAge);
}

interface ListIndex {
  readonly ids: ReadonlySet<string>;
  /** Of links, by kind. */
  readonly found: Map<string, ReturnType<typeof byEnd>>;
}

/** A list is gone through once, not for each of its objects. */
const indexes = new WeakMap<readonly ListItem[], ListIndex>();

function indexOf(items: readonly ListItem[]): ListIndex {
  const known = indexes.get(items);
  if (known !== undefined) return known;
  const index = { ids: new Set(items.map(({ id }) => id)), found: new Map() };
  indexes.set(items, index);
  return index;
}

/** `find` of the definition. */
function findIn(items: readonly ListItem[], { find, kind, pair }: ResourceDefinition, key: Key) {
  if (pair.length === 0 || pair.some((end) => key[end] === undefined)) return find(items, key);
  const { found } = indexOf(items);
  const known = found.get(kind) ?? byEnd(find(items, {}), pair);
  if (!found.has(kind)) found.set(kind, known);
  const all = known.groups.get(key[known.end]) ?? none;
  const isOfPair = ({ values }: Found) => pair.every((end) => values[end] === key[end]);
  return all.every(isOfPair) ? all : all.filter(isOfPair);
}

const none: readonly Found[] = [];

/** By the end in which the links of a list differ most: the other one is often the list's owner. */
function byEnd(links: readonly Found[], pair: readonly string[]) {
  const ways = pair.map((end) => ({ end, groups: groupBy(links, ({ values }) => values[end]) }));
  return ways.reduce((one, other) => (other.groups.size > one.groups.size ? other : one));
}

/** The lists that would show the object. */
export function placesOf({ definition, key }: Expectation) {
  return definition.listedIn(key);
}

/** Those of them that were read. */
function readLists({ lists }: Observed, one: Expectation, places = placesOf(one)) {
  const read: (ListResult & { readonly state: 'read' })[] = [];
  for (const { name } of places) {
    const result = lists[name];
    if (result?.state === 'read') read.push(result);
  }
  return read;
}

/** The id of the list's item: the object's own, or that of the one that shows it. */
export function itemOf({ definition, key, id }: Expectation): string | undefined {
  return definition.shownBy === undefined ? id : key[definition.shownBy];
}

/** `read`: the lists that would show it. */
function isListed(read: ReturnType<typeof readLists>, expected: Expectation): boolean {
  const item = itemOf(expected);
  const hasItem = item === undefined || hasId(read, item);
  const asksForPair = expected.isWanted === true || item === undefined;
  return hasItem && (!asksForPair || hasPair(read, expected));
}

function hasId(read: ReturnType<typeof readLists>, id: string): boolean {
  for (const { items } of read) if (indexOf(items).ids.has(id)) return true;
  return false;
}

function hasPair(read: ReturnType<typeof readLists>, { definition, key }: Expectation): boolean {
  for (const { items } of read) if (findIn(items, definition, key).length > 0) return true;
  return false;
}

/** Those that no list shows which was read of them. `places`: of each, where it is known. */
export function unlisted(
  observed: Observed,
  expected: readonly Expectation[],
  places: readonly (readonly ListRef[])[] = expected.map(placesOf),
): readonly Expectation[] {
  return expected.filter((one, index) => {
    const read = readLists(observed, one, places[index]);
    return read.length > 0 && !isListed(read, one);
  });
}

/** Whose lists of this pass were read. */
export function readableOwners({ lists }: Observed): ReadonlySet<string> {
  return new Set(Object.values(lists).flatMap(({ state, ref }) => (state === 'read' ? [ref.owner] : [])));
}

/**
 * Lists to read besides, so that an absence counts: a list may leave out links whose other end the caller may not read. Asked of links
 * without an id and of ends that no list shows to be readable; of new links only where a list lacks what a Show has `shown`.
 * `missed`: those that are `unlisted`.
 */
export function doubtfulLists(
  observed: Observed,
  missed: readonly Expectation[],
  shown: ReadonlyMap<string, ListItem | null>,
): readonly ListRef[] {
  const readable = readableOwners(observed);
  const incomplete = new Set(
    missed.flatMap((one) => {
      const isThere = (shown.get(itemOf(one) ?? '') ?? null) !== null;
      return isThere ? readLists(observed, one).map(({ ref }) => ref.name) : [];
    }),
  );
  const isSure = (one: Expectation) =>
    one.isNew &&
    (incomplete.size === 0 || !readLists(observed, one).some(({ ref }) => incomplete.has(ref.name)));
  const isOfPair = (one: Expectation) =>
    one.id === undefined || (one.isWanted === true && !hasPair(readLists(observed, one), one));
  const asked = missed.filter((one) => isOfPair(one) && !isSure(one));
  const doubtful = asked.flatMap(placesOf);
  return doubtful.filter(({ name, owner }) => observed.lists[name] === undefined && !readable.has(owner));
}

/** Items that a list, which may be late, should have shown: by id, with that list. */
export function unlistedItems(observed: Observed, missed: readonly Expectation[]) {
  return new Map(
    missed.flatMap((one) => {
      const item = itemOf(one);
      const [list] = item === undefined ? [] : readLists(observed, one);
      return item === undefined || list === undefined ? [] : [[item, list.ref] as const];
    }),
  );
}

/** The pass with what Shows of unlisted items found (null: not found), which then counts as listed. */
export function withShown(
  observed: Observed,
  expected: readonly Expectation[],
  shown: ReadonlyMap<string, ListItem | null>,
): Observed {
  const lists: Record<string, ListResult> = { ...observed.lists };
  for (const one of expected) {
    const found = shown.get(itemOf(one) ?? '') ?? null;
    if (found === null) continue;
    for (const { ref, items } of readLists({ ...observed, lists }, one)) {
      if (items.some(({ id }) => id === found.id)) continue;
      lists[ref.name] = { state: 'read', ref, items: [...items, found] };
    }
  }
  const shows = [...shown].map(([id, found]) => [id, found === null ? 'missing' : 'present'] as const);
  return { ...observed, lists, shows: Object.fromEntries(shows) };
}
