/** One pass over the API: the chosen lists, those that a doubt asks for, then each item that its list should have shown. */
import type { ReadApi } from '../client/api';
import { NotFound } from '../client/errors';
import type { ListItem, ListRef } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import {
  doubtfulLists,
  type Expectation,
  type ListResult,
  type Observed,
  unlistedItems,
  withShown,
} from './evidence';
import { chooseLists, createListCache, type ListCache } from './lists';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  /** Lists that an exact set or a check for possible matches needs whole. */
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
      lists[ref.name] = await readable(cache, ref);
    });
  await readAll(refs);
  const observed: Observed = { address: api.address, lists, shows: {}, affected: {} };
  await readAll(doubtfulLists(observed, needs.expected));
  const shown = new Map<string, ListItem | null>();
  await inParallel([...unlistedItems(observed, needs.expected)], async ([id, ref]) => {
    shown.set(id, (await unlessNotFound(ref.readItem(api, id))) ?? null);
  });
  return withShown(observed, needs.expected, shown);
}

async function readable(cache: ListCache, ref: ListRef): Promise<ListResult> {
  try {
    return { state: 'read', ref, items: await cache.read(ref) };
  } catch (error) {
    if (error instanceof NotFound) return { state: 'unreadable', ref, why: error.message };
    throw error;
  }
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
