/** Proves from the lists of one pass over the API whether objects exist. */
import {
  byAge,
  type FieldValues,
  type Found,
  isLink,
  type Key,
  type ListItem,
  type ListRef,
  type ResourceDefinition,
} from '../resources/kind';
import { settledAfter, settledAfterMs, settledAt } from '../resources/safe-calls';

export type Observation =
  | { readonly state: 'present'; readonly found: Found }
  /** These lists were read whole and lack it. If its id is known, a Show of it answered 404. */
  | { readonly state: 'missing'; readonly evidence: readonly ListRef[]; readonly found?: undefined }
  /** "Not found" and "not allowed" look the same in this API. */
  | { readonly state: 'unknown'; readonly why: string; readonly found?: undefined };

export type ListResult =
  | { readonly state: 'read'; readonly ref: ListRef; readonly items: readonly ListItem[] }
  | { readonly state: 'unreadable'; readonly ref: ListRef; readonly why: string };

type ReadList = Extract<ListResult, { state: 'read' }>;

export interface Observed {
  /** The base URL of the service. */
  readonly address: string;
  /** The service's time after the reads, in milliseconds since 1970. */
  readonly now: number;
  readonly lists: Readonly<Record<string, ListResult>>;
  /** The results of a Show of each id that the lists, or their item, did not decide. Found objects are also in the lists. */
  readonly shows: Readonly<Record<string, 'present' | 'missing'>>;
}

/** An object to look for. If its id is known, a Show can prove its absence. */
export interface Expectation {
  readonly definition: ResourceDefinition;
  readonly key: Key;
  readonly id?: string | undefined;
  readonly createdAt?: string | undefined;
  /** When true, another link of the pair does not count. */
  readonly isOnly?: boolean | undefined;
}

/** True for a client that lists may not show yet. `now` is the service's time in milliseconds. */
export function isYoung(createdAt: string, now: number): boolean {
  return now - Date.parse(createdAt) < settledAfterMs;
}

/** Returns the state of an object. Any link of the pair counts, unless `isOnly`, but the known id is preferred. */
export function findObservation(observed: Observed, expected: Expectation): Observation {
  const { definition, key, id, createdAt, isOnly = !isLink(definition.kind) } = expected;
  const all = foundAll(observed, definition, key) ?? [];
  const match = all.find((object) => object.id === id) ?? (isOnly && id !== undefined ? undefined : all[0]);
  if (match !== undefined) return { state: 'present', found: match };
  const refs = definition.listedIn(key);
  // The token may not see one end, so the list of the other end proves nothing.
  const unreadable = refs
    .map(({ name }) => observed.lists[name])
    .find((list) => list?.state === 'unreadable');
  if (unreadable?.state === 'unreadable') return { state: 'unknown', why: unreadable.why };
  const resultsRead = readLists(observed, refs);
  if (resultsRead.length === 0) {
    const why = `none of its lists was read: ${refs.map(({ name }) => name).join(', ')}`;
    return { state: 'unknown', why };
  }
  const item = unlistedItem(observed, expected);
  if (item !== undefined && observed.shows[item] !== 'missing') {
    const why = observed.shows[item]
      ? `the service does not show what ${item} is linked with`
      : `the list lacks ${item}, and it was not asked for by its id`;
    return { state: 'unknown', why };
  }
  // A link that is made again makes no second one.
  if (!isLink(definition.kind) && createdAt !== undefined && isYoung(createdAt, observed.now)) {
    const until = settledAt(Date.parse(createdAt));
    const why = `it was created less than ${settledAfter} ago, and lists may not show it before ${until}: try again then`;
    return { state: 'unknown', why };
  }
  return { state: 'missing', evidence: resultsRead.map(({ ref }) => ref) };
}

/** Returns all objects with this key, oldest first, or null if no list of them could be read. */
export function foundAll(
  observed: Observed,
  definition: ResourceDefinition,
  key: Key,
): readonly Found[] | null {
  const pair = pairText(definition, key);
  const links = pair === undefined ? undefined : findIndex(observed, definition).links.get(pair);
  if (links !== undefined) return links;
  const resultsRead = readLists(observed, definition.listedIn(key));
  if (resultsRead.length === 0) return null;
  if (pair !== undefined) return [];
  const all = resultsRead.flatMap(({ items }) => definition.find(items, key));
  // A Show may also find an object of another organization.
  const isHere = ({ values: { organization = key.organization } }: Found) =>
    organization === key.organization;
  return oncePerId(all.filter(isHere));
}

function oncePerId(all: readonly Found[]): readonly Found[] {
  return all.length < 2 ? all : [...new Map(all.map((found) => [found.id, found])).values()].sort(byAge);
}

/** Returns the ids of a link's ends as one text. It is undefined if an end is missing or the object is not a link. */
function pairText({ pair }: ResourceDefinition, ends: FieldValues): string | undefined {
  const ids: string[] = [];
  for (const end of pair) {
    const id = ends[end];
    if (id === undefined) return undefined;
    ids.push(String(id));
  }
  return ids.length === 0 ? undefined : ids.join('/');
}

/** The ids of the items that are evidence, and the links by their pair. */
interface Index {
  readonly ids: ReadonlySet<string>;
  readonly links: ReadonlyMap<string, readonly Found[]>;
}

/** The lists of a pass are indexed once per kind, and not searched for each object. */
const indexes = new WeakMap<Observed['lists'], Map<string, Index>>();

function findIndex({ lists }: Observed, definition: ResourceDefinition): Index {
  const byKind = indexes.get(lists) ?? new Map<string, Index>();
  indexes.set(lists, byKind);
  const existingIndex = byKind.get(definition.kind);
  if (existingIndex !== undefined) return existingIndex;
  const items = listedItems(lists, definition.listType);
  const links = new Map<string, readonly Found[]>();
  for (const link of isLink(definition.kind) ? definition.find(items, {}) : []) {
    const pair = pairText(definition, link.values) ?? '';
    const linksOfPair = links.get(pair);
    links.set(pair, linksOfPair ? oncePerId([...linksOfPair, link]) : [link]);
  }
  const evidence = definition.showsLinks ? items.filter((item) => definition.showsLinks?.(item)) : items;
  const index = { ids: new Set(evidence.map(({ id }) => id)), links };
  byKind.set(definition.kind, index);
  return index;
}

/** Returns the items of all lists that were read, or of those of one type. */
export function listedItems(lists: Observed['lists'], type?: string): readonly ListItem[] {
  return Object.values(lists).flatMap((list) => {
    const isWanted = list.state === 'read' && (type === undefined || list.ref.type === type);
    return isWanted ? list.items : [];
  });
}

function readLists({ lists }: Observed, refs: readonly ListRef[]): readonly ReadList[] {
  const results: ReadList[] = [];
  for (const { name } of refs) {
    const result = lists[name];
    if (result?.state === 'read') results.push(result);
  }
  return results;
}

/** Returns the id that a Show must decide: that of the object, or of the object that shows the link. */
function unlistedItem(observed: Observed, { definition, key, id }: Expectation): string | undefined {
  const item = definition.shownBy === undefined ? id : key[definition.shownBy];
  return item === undefined || findIndex(observed, definition).ids.has(item) ? undefined : item;
}

/** Finds the ids that a Show must decide, each with its list, which may lack the object or show it as it was before it was linked. */
export function itemsToShow(observed: Observed, expected: readonly Expectation[]) {
  const items = new Map<string, ListRef>();
  for (const expectation of expected) {
    const { definition, key } = expectation;
    const { shownBy } = definition;
    const isListed = shownBy !== undefined && foundAll(observed, definition, key)?.length;
    const item = shownBy === undefined ? unlistedItem(observed, expectation) : key[shownBy];
    if (isListed || item === undefined || items.has(item)) continue;
    const [list] = readLists(observed, definition.listedIn(key));
    if (list !== undefined) items.set(item, list.ref);
  }
  return items;
}

/** Adds the results of Shows to those of a pass. A null item is a 404, and an item that a Show returned takes the place of the listed one. */
export function withShowResults(
  observed: Observed,
  results: ReadonlyMap<string, { readonly ref: ListRef; readonly item: ListItem | null }>,
): Observed {
  const lists: Record<string, ListResult> = { ...observed.lists };
  const shows = { ...observed.shows };
  for (const [id, { ref, item }] of results) {
    shows[id] = item === null ? 'missing' : 'present';
    const list = lists[ref.name];
    if (item === null || list?.state !== 'read') continue;
    lists[ref.name] = { ...list, items: [...list.items.filter((listed) => listed.id !== id), item] };
  }
  return { ...observed, lists, shows };
}
