/** One pass over the API: the chosen lists, doubtful ones, then each item that its list should have shown. */
import type { ReadApi } from '../client/api';
import { type ApiError, NotFound } from '../client/errors';
import type { ListItem, ListRef } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import { chooseLists } from './choose-lists';
import {
  doubtfulLists,
  type Expectation,
  type ListResult,
  type Observed,
  unlistedItems,
  withShown,
} from './evidence';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  /** Lists that an exact set or a check for possible matches needs whole. */
  readonly forced: readonly ListRef[];
}

/** A 404 becomes "unreadable"; every other failure is thrown. */
export async function observe(api: ReadApi, needs: ObservationNeeds, cache = new ListCache(api)) {
  const { expected, forced } = needs;
  const wanted = expected.map(({ definition, key }) => definition.listedIn(key));
  const known = wanted.flatMap((refs) => refs.find((ref) => cache.has(ref)) ?? []);
  const lists = await readEach(cache, distinct([...forced, ...known]));
  // Again without what answered 404: the other end may show it.
  const costOf = ({ name }: ListRef) => costs[lists[name]?.state ?? 'unread'];
  for (let chosen = chooseLists(wanted, costOf); chosen.length > 0; chosen = chooseLists(wanted, costOf)) {
    Object.assign(lists, await readEach(cache, chosen));
  }
  const observed: Observed = { address: api.address, lists, shows: {} };
  Object.assign(lists, await readEach(cache, doubtfulLists(observed, expected)));
  const shown = new Map<string, ListItem | null>();
  const unlisted = [...unlistedItems(observed, expected)];
  cache.onReading(unlisted.length, 0);
  await inParallel(unlisted, async ([id, ref]) => {
    shown.set(id, (await unlessNotFound(ref.readItem(api, id))) ?? null);
    cache.onReading(0, 1);
  });
  return withShown(observed, expected, shown);
}

const costs = { read: 0, unread: 1, unreadable: Number.POSITIVE_INFINITY };

function distinct(refs: readonly ListRef[]) {
  return [...new Map(refs.map((ref) => [ref.name, ref])).values()];
}

/** By name: each list, or why it cannot be read, where that failure is a `tolerated` one. */
export async function readEach(
  cache: ListCache,
  refs: readonly ListRef[],
  tolerated: typeof ApiError = NotFound,
): Promise<Record<string, ListResult>> {
  const lists: Record<string, ListResult> = {};
  cache.onReading(refs.filter((ref) => !cache.has(ref)).length, 0);
  await inParallel(refs, async (ref) => {
    try {
      lists[ref.name] = { state: 'read', ref, items: await cache.read(ref) };
    } catch (error) {
      if (!(error instanceof tolerated)) throw error;
      lists[ref.name] = { state: 'unreadable', ref, why: error.message };
    }
  });
  return lists;
}

/** How many more lists and objects are known to be needed, and how many more of them are read. */
type OnReading = (needed: number, read: number) => void;

/** A read of a list is shared by all who ask for `ttlMs`, unless own writes forget it. */
export class ListCache {
  onReading: OnReading = () => {};
  readonly #reads = new Map<string, { since: number; items: Promise<readonly ListItem[]> }>();

  /** `now`, in monotonic milliseconds, is for tests. */
  constructor(
    private readonly api: ReadApi,
    private readonly ttlMs = Number.POSITIVE_INFINITY,
    private readonly now = () => performance.now(),
  ) {}

  /** Throws `ApiError`; errors are not kept. */
  read(ref: ListRef): Promise<readonly ListItem[]> {
    const known = this.#reads.get(ref.name);
    if (known !== undefined && this.now() - known.since < this.ttlMs) return known.items;
    const read = { since: this.now(), items: ref.read(this.api) };
    this.#reads.set(ref.name, read);
    const failed = () => {
      if (this.#reads.get(ref.name) === read) this.forget(ref);
    };
    void read.items.catch(failed).then(() => this.onReading(0, 1));
    return read.items;
  }

  /** Read, or being read. */
  has({ name }: ListRef): boolean {
    return this.#reads.has(name);
  }

  forget({ name }: ListRef): void {
    this.#reads.delete(name);
  }
}

/** Calls under way at once; the client paces them besides. */
const concurrency = 8;

/** A few at a time; the first failure is thrown once those under way have ended. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const failures: unknown[] = [];
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      await work(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
