/** What one pass over the API proves of an object. Pure. */
import {
  byAge,
  type FieldValues,
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

type ReadList = ListResult & { readonly state: 'read' };

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
  const refs = placesOf(expected);
  const all = foundAll(observed, definition, key) ?? [];
  const any = definition.pair.length > 0 || id === undefined ? all[0] : undefined;
  const found = all.find((one) => one.id === id) ?? any;
  if (found !== undefined) return { state: 'present', found };
  const read = readLists(observed, refs);
  const unknown = (why: string): Observation => ({ state: 'unknown', why });
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
  // Of an id that no list shows a Show decides: reading one end is enough for it.
  if (item !== undefined && isUnlisted(observed, expected, refs) && observed.shows[item] === undefined) {
    return unknown(`the list lacks ${item}, and nobody looked at it by its id`);
  }
  return { state: 'missing', evidence: read.map(({ ref }) => ref) };
}

/** All objects of that key, oldest first; null when no list of them could be read. */
export function foundAll(observed: Observed, definition: ResourceDefinition, key: Key) {
  const pair = textOfPair(definition, key);
  const links = pair === null ? undefined : indexOf(observed, definition).linksOf(definition).get(pair);
  if (links !== undefined) return links;
  const read = readLists(observed, definition.listedIn(key));
  if (read.length === 0) return null;
  const all = pair === null ? read.flatMap(({ items }) => definition.find(items, key)) : [];
  return all.length < 2 ? all : oncePerId(all);
}

function oncePerId(all: readonly Found[]): readonly Found[] {
  return [...new Map(all.map((found) => [found.id, found])).values()].sort(byAge);
}

/** The ends of a link, in one text; null where one is missing, and for what is no link. */
function textOfPair({ pair }: ResourceDefinition, ends: FieldValues): string | null {
  const ids: string[] = [];
  for (const end of pair) {
    const id = ends[end];
    if (id === undefined) return null;
    ids.push(String(id));
  }
  return ids.length === 0 ? null : ids.join('/');
}

type Links = ReadonlyMap<string, readonly Found[]>;

/** Of some lists of one type, which are gone through once, and not for each object. */
class Index {
  readonly ids = new Set<string>();
  readonly #links = new Map<string, Links>();

  constructor(private readonly lists: readonly (readonly ListItem[])[]) {
    for (const items of lists) for (const { id } of items) this.ids.add(id);
  }

  /** Of that kind, by their ends. */
  linksOf(definition: ResourceDefinition): Links {
    const known = this.#links.get(definition.kind);
    if (known !== undefined) return known;
    const all = new Map<string, readonly Found[]>();
    for (const found of this.lists.flatMap((items) => definition.find(items, {}))) {
      const pair = textOfPair(definition, found.values) ?? '';
      const others = all.get(pair);
      all.set(pair, others === undefined ? [found] : oncePerId([...others, found]));
    }
    this.#links.set(definition.kind, all);
    return all;
  }
}

/** One list that many passes share is gone through once for all of them. */
const ofList = new WeakMap<readonly ListItem[], Index>();
/** By type, of all lists of a pass, whose object is never changed. */
const ofPass = new WeakMap<Observed['lists'], Map<string, Index>>();

function indexOf({ lists }: Observed, { listType }: ResourceDefinition): Index {
  const types = ofPass.get(lists) ?? new Map<string, Index>();
  ofPass.set(lists, types);
  const known = types.get(listType);
  if (known !== undefined) return known;
  const read = Object.values(lists).flatMap((one) =>
    one.state === 'read' && one.ref.type === listType ? [one.items] : [],
  );
  const [only = []] = read;
  const index = (read.length === 1 ? ofList.get(only) : undefined) ?? new Index(read);
  if (read.length === 1) ofList.set(only, index);
  types.set(listType, index);
  return index;
}

/** The lists that would show the object. */
export function placesOf({ definition, key }: Expectation) {
  return definition.listedIn(key);
}

/** Those of these lists that were read. */
function readLists({ lists }: Observed, places: readonly ListRef[]) {
  const read: ReadList[] = [];
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

/** Whether lists were read that would show it, and none does. `places`: its lists, where they are known. */
export function isUnlisted(
  observed: Observed,
  one: Expectation,
  places: readonly ListRef[] = placesOf(one),
): boolean {
  const item = itemOf(one);
  const hasItem = item === undefined || indexOf(observed, one.definition).ids.has(item);
  const asksForPair = one.isWanted === true || item === undefined;
  if (hasItem && !(asksForPair && lacksPair(observed, one))) return false;
  return readLists(observed, places).length > 0;
}

function lacksPair(observed: Observed, { definition, key }: Expectation): boolean {
  const pair = textOfPair(definition, key);
  if (pair !== null) return !indexOf(observed, definition).linksOf(definition).has(pair);
  return (foundAll(observed, definition, key) ?? []).length === 0;
}

/** Whose lists of this pass were read. */
export function readableOwners({ lists }: Observed): ReadonlySet<string> {
  return new Set(Object.values(lists).flatMap(({ state, ref }) => (state === 'read' ? [ref.owner] : [])));
}

/**
 * Lists to read besides, so that an absence counts: a list may leave out links whose other end the caller may not read. Asked of links
 * without an id and of ends that no list shows to be readable; of new links only where a list lacks what a Show has `shown`.
 * `missed`: those that are unlisted.
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
      return isThere ? readLists(observed, placesOf(one)).map(({ ref }) => ref.name) : [];
    }),
  );
  const isSure = (one: Expectation) =>
    one.isNew &&
    (incomplete.size === 0 ||
      !readLists(observed, placesOf(one)).some(({ ref }) => incomplete.has(ref.name)));
  const isAskedFor = (one: Expectation) =>
    one.id === undefined || (one.isWanted === true && lacksPair(observed, one));
  const asked = missed.filter((one) => isAskedFor(one) && !isSure(one));
  const doubtful = asked.flatMap(placesOf);
  return doubtful.filter(({ name, owner }) => observed.lists[name] === undefined && !readable.has(owner));
}

/** Items that a list, which may be late, should have shown: by id, with that list. */
export function unlistedItems(observed: Observed, missed: readonly Expectation[]) {
  return new Map(
    missed.flatMap((one) => {
      const item = itemOf(one);
      const [list] = item === undefined ? [] : readLists(observed, placesOf(one));
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
    for (const { ref, items } of readLists({ ...observed, lists }, placesOf(one))) {
      if (items.some(({ id }) => id === found.id)) continue;
      lists[ref.name] = { state: 'read', ref, items: [...items, found] };
    }
  }
  const shows = [...shown].map(([id, found]) => [id, found === null ? 'missing' : 'present'] as const);
  return { ...observed, lists, shows: Object.fromEntries(shows) };
}
