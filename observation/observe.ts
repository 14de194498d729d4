/** One pass over the API: the chosen lists, those that a doubt asks for, then each item that its list should have shown. */
import type { ReadApi } from '../client/api';
import { NotFound } from '../client/errors';
import { byAge } from '../resources/found';
import {
  type Found,
  type Key,
  type ListContents,
  type ListRef,
  listName,
  type ResourceDefinition,
  readItem,
} from '../resources/kind';

import { unlessNotFound } from '../resources/safe-calls';
import {
  doubtfulLists,
  type Expectation,
  isListed,
  itemOf,
  type ListResult,
  type Observation,
  type Observed,
  readLists,
  unlistedItems,
  withShown,
} from './evidence';

import { chooseLists, createListCache, type ListCache } from './lists';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  /** Lists that an exact set or a look-alike check needs whole. */
  readonly forced: readonly ListRef[];
}

/** How many reads are under way at once; the client paces them besides. */
const concurrency = 8;

/** Reads what the needs ask for. A 404 becomes "unreadable"; every other failure is thrown. */
export async function observe(
  api: ReadApi,
  needs: ObservationNeeds,
  cache: ListCache = createListCache(api),
): Promise<Observed> {
  const refs = chooseLists(
    needs.expected.map(({ definition, key }) => definition.listedIn(key)),
    needs.forced,
  );
  const lists: Record<string, ListResult> = {};
  const readAll = (all: readonly ListRef[]): Promise<void> =>
    inParallel(all, async (ref) => {
      lists[listName(ref)] = await readable(cache, ref);
    });
  await readAll(refs);
  const observed: Observed = { address: api.address, lists, shows: {}, affected: {} };
  await readAll(doubtfulLists(observed, needs.expected));
  const shown = new Map<string, ListContents | null>();
  await inParallel([...unlistedItems(observed, needs.expected)], async ([id, ref]) => {
    shown.set(id, (await unlessNotFound(readItem(api, ref, id))) ?? null);
  });
  return withShown(observed, needs.expected, shown);
}

async function readable(cache: ListCache, ref: ListRef): Promise<ListResult> {
  try {
    return { state: 'read', ref, contents: await cache.read(ref) };
  } catch (error) {
    if (error instanceof NotFound) return { state: 'unreadable', ref, why: error.message };
    throw error;
  }
}

/** All objects of that key that the pass shows, oldest first; null when no list of it could be read. */
export function foundAll(
  observed: Observed,
  definition: ResourceDefinition,
  key: Key,
): readonly Found[] | null {
  const read = readLists(observed, definition, key);
  if (read.length === 0) return null;
  const all = read.flatMap((one) => definition.find(one.contents, key));
  return [...new Map(all.map((found) => [found.id, found])).values()].sort(byAge);
}

/** What the pass says of one object. For a link without a known id, any link of the pair counts. */
export function observationOf(observed: Observed, expected: Expectation): Observation {
  const { definition, key, id } = expected;
  const item = itemOf(expected);
  const refs = definition.listedIn(key);
  const read = readLists(observed, definition, key);
  for (const one of read) {
    const all = definition.find(one.contents, key);
    const found =
      all.find((item) => item.id === id) ??
      (definition.pair.length > 0 || id === undefined ? all[0] : undefined);
    if (found !== undefined) return { state: 'present', found };
  }
  const unreadable = refs
    .map((ref) => observed.lists[listName(ref)])
    .find((result) => result?.state === 'unreadable');
  if (read.length === 0) {
    return {
      state: 'undetermined',
      why: unreadable?.why ?? `none of ${refs.map(listName).join(', ')} was read`,
    };
  }
  // Where the id is known, a Show decides instead: reading one end is enough for it.
  if (unreadable !== undefined && item === undefined) {
    const why = `it may exist unseen, since a list can leave out what the token may not read: ${unreadable.why}`;
    return { state: 'undetermined', why };
  }
  if (item !== undefined && isListed(observed, expected) === false && observed.shows[item] === undefined) {
    return { state: 'undetermined', why: `the list lacks ${item}, and nobody looked at it by its id` };
  }
  return { state: 'absent', evidence: read.map((one) => one.ref) };
}

/** Runs the work for each item, a few at a time; the first failure is thrown once those under way have ended. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const item = items[next++] as Item;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
