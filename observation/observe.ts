/** One pass over the API: the chosen lists, proofs of what they lack, then each item that its list should have shown. */
import type { OpenList, ReadApi, Reading } from '../client/api';
import { type ApiError, NotFound } from '../client/errors';
import { clientDefaults } from '../client/options';
import { pageSize } from '../client/pages';
import type { ListItem, ListRef } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import { chooseLists } from './choose-lists';
import {
  doubtfulLists,
  type Expectation,
  isUnlisted,
  type ListResult,
  type Observed,
  placesOf,
  unlistedItems,
  withShown,
} from './evidence';
import { ListCache } from './list-cache';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  /** Lists that an exact set or a check for possible matches needs. */
  readonly forced: readonly ListRef[];
}

/** A 404 becomes "unreadable"; every other failure is thrown. */
export async function observe(api: ReadApi, needs: ObservationNeeds, cache = new ListCache(api)) {
  const { expected, forced } = needs;
  const wanted = expected.map(placesOf);
  const pass = new Pass(cache, heldIn(expected, wanted));
  await pass.read([...forced, ...wanted.flat().filter((ref) => cache.has(ref))], 'once', 'needed');
  await pass.cover(wanted, 'once', 'needed');
  // More are read after it.
  const seen = (): Observed => ({ address: api.address, lists: { ...pass.lists }, shows: {} });
  const first = seen();
  // One reading proves what is there. What it lacks needs another one, or the list of the other end.
  const unproved = wanted.filter((places, index) => {
    const one = expected[index];
    return one !== undefined && isUnlisted(first, one, places);
  });
  if (unproved.length === 0) return { ...first, budget: pass.budget(0) };
  await pass.cover(unproved, 'whole', 'proof');
  const second = seen();
  const missed = expected.filter((one, index) => isUnlisted(second, one, wanted[index]));
  const shown = new Map<string, ListItem | null>();
  const items = [...unlistedItems(second, missed)];
  cache.onReading(items.length, 0);
  await inParallel(items, async ([id, ref]) => {
    shown.set(id, (await unlessNotFound(ref.readItem(api, id))) ?? null);
    cache.onReading(0, 1);
  });
  await pass.read(doubtfulLists(second, missed, shown), 'whole', 'access');
  return { ...withShown(seen(), expected, shown), budget: pass.budget(shown.size) };
}

/** By name of a list, how many objects are known to have been in it; empty where all of them fit on one page. */
function heldIn(expected: readonly Expectation[], places: readonly (readonly ListRef[])[]) {
  const counts = new Map<string, number>();
  if (expected.length <= pageSize) return counts;
  for (const [index, refs] of places.entries()) {
    if (expected[index]?.id === undefined) continue;
    for (const { name } of refs) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** What a pass asked for. All its requests are one for each list, and those that the other members count. */
export interface Budget {
  /** Lists without which nothing can be told: the choice proves that no fewer would do. */
  readonly needed: number;
  /** Lists in place of some that answered 404 or have many pages. */
  readonly instead: number;
  /** Lists that prove what others lack. */
  readonly proof: number;
  /** Lists that tell whether the other end of a link can be read. */
  readonly access: number;
  /** Beyond the first of a list. */
  readonly pages: number;
  /** Pages that were read a second time, for what a list lacks. */
  readonly again: number;
  readonly objects: number;
}

type Purpose = 'needed' | 'instead' | 'proof' | 'access';

interface Opened {
  readonly ref: ListRef;
  readonly list: OpenList<ListItem>;
  /** Its requests before this pass. */
  readonly before: number;
  /** What of it stands in the lists of the pass. */
  recorded?: Reading;
}

/** The lists of one pass, as far as they are read. */
class Pass {
  readonly lists: Record<string, ListResult> = {};
  private readonly opened = new Map<string, Opened>();
  private readonly counts = { needed: 0, instead: 0, proof: 0, access: 0, again: 0 };

  /** `held`: see `heldIn`. */
  constructor(
    private readonly cache: ListCache,
    private readonly held: ReadonlyMap<string, number>,
  ) {}

  budget(objects: number): Budget {
    const { again, ...lists } = this.counts;
    const sent = [...this.opened.values()].map(
      ({ list, before }) => list.requests - before - Number(before === 0),
    );
    return { ...lists, pages: sent.reduce((sum, one) => sum + one, 0) - again, again, objects };
  }

  async read(refs: readonly ListRef[], reading: Reading, purpose: Purpose): Promise<void> {
    await this.open(refs, purpose);
    await this.finish(refs, reading);
  }

  /** Reads the cheapest lists that show each of these objects, chosen anew where a first page tells what they cost. */
  async cover(wanted: readonly (readonly ListRef[])[], reading: Reading, purpose: Purpose): Promise<void> {
    const all = [...new Set(wanted.flat())];
    let open = wanted;
    for (let first = true; ; first = false) {
      const isFree = ({ name }: ListRef) => this.opened.get(name)?.list.left(reading) === 0;
      await this.finish(all.filter(isFree), reading);
      // What the token may not see at one end is unknown: nothing is done there, whatever the other end shows.
      const isLost = ({ name }: ListRef) => purpose === 'needed' && this.lists[name]?.state === 'unreadable';
      const settled = new Set(all.filter((ref) => isLost(ref) || this.cost(ref, reading) === 0));
      open = open.filter((refs) => !refs.some((ref) => settled.has(ref)));
      const chosen = chooseLists(open, (ref) => this.cost(ref, reading));
      if (chosen.length === 0) return;
      if (chosen.every(({ name }) => this.opened.has(name))) await this.finish(chosen, reading);
      else await this.open(chosen, first ? purpose : 'instead');
    }
  }

  /** In requests, as far as anybody knows. */
  private cost({ name }: ListRef, reading: Reading): number {
    if (this.lists[name]?.state === 'unreadable') return Number.POSITIVE_INFINITY;
    const opened = this.opened.get(name);
    if (opened === undefined) return Math.max(1, Math.ceil((this.held.get(name) ?? 0) / pageSize));
    return isRecorded(opened, reading) ? 0 : opened.list.left(reading);
  }

  /** Asks for the first page of each that nobody asked for. */
  private async open(refs: readonly ListRef[], purpose: Purpose): Promise<void> {
    const unknown = refs.filter(({ name }) => !this.opened.has(name) && this.lists[name] === undefined);
    const distinct = [...new Map(unknown.map((ref) => [ref.name, { ref }])).values()];
    await readingEach(this.cache, this.lists, distinct, async ({ ref }) => {
      const isShared = this.cache.has(ref);
      if (!isShared) this.counts[purpose] += 1;
      const list = await this.cache.open(ref);
      this.opened.set(ref.name, { ref, list, before: isShared ? list.requests : 0 });
    });
  }

  private async finish(refs: readonly ListRef[], reading: Reading): Promise<void> {
    const asked = new Set(refs.flatMap(({ name }) => this.opened.get(name) ?? []));
    const isOpen = (one: Opened) => this.lists[one.ref.name]?.state !== 'unreadable';
    const unfinished = [...asked].filter((one) => isOpen(one) && !isRecorded(one, reading));
    const further = new Set(unfinished.filter(({ list }) => list.left(reading) > 0));
    const work = async (opened: Opened) => {
      const { ref, list } = opened;
      const way = list.left('whole') === 0 ? 'whole' : reading;
      const isAgain = list.left('once') === 0;
      const before = list.requests;
      this.lists[ref.name] = { state: 'read', ref, items: await list.read(way) };
      opened.recorded = way;
      if (isAgain) this.counts.again += list.requests - before;
    };
    await readingEach(this.cache, this.lists, unfinished, work, { isCounted: (one) => further.has(one) });
  }
}

function isRecorded({ recorded }: Opened, reading: Reading): boolean {
  return recorded === reading || recorded === 'whole';
}

interface Asking<Some> {
  readonly tolerated?: typeof ApiError;
  /** In the progress; else all are. */
  readonly isCounted?: (one: Some) => boolean;
}

/** Asks for lists; "unreadable" are those whose failure is a `tolerated` one. */
async function readingEach<Some extends { readonly ref: ListRef }>(
  cache: ListCache,
  lists: Record<string, ListResult>,
  some: readonly Some[],
  work: (one: Some) => Promise<void>,
  { tolerated = NotFound, isCounted = () => true }: Asking<Some> = {},
): Promise<void> {
  cache.onReading(some.filter(isCounted).length, 0);
  await inParallel(some, async (one) => {
    try {
      await work(one);
    } catch (error) {
      if (!(error instanceof tolerated)) throw error;
      lists[one.ref.name] = { state: 'unreadable', ref: one.ref, why: error.message };
    }
    if (isCounted(one)) cache.onReading(0, 1);
  });
}

/** By name: each list, surely whole, or why it cannot be read, where that failure is a `tolerated` one. */
export async function readEach(
  cache: ListCache,
  refs: readonly ListRef[],
  tolerated: typeof ApiError = NotFound,
) {
  const lists: Record<string, ListResult> = {};
  const read = async ({ ref }: { ref: ListRef }) => {
    lists[ref.name] = { state: 'read', ref, items: await cache.read(ref) };
  };
  const some = refs.map((ref) => ({ ref }));
  const unread = new Set(refs.filter((ref) => !cache.has(ref)));
  await readingEach(cache, lists, some, read, { tolerated, isCounted: ({ ref }) => unread.has(ref) });
  return lists;
}

/** As many at a time as a client may have in flight, which its pace and their latency decide; the first failure is thrown once those under way have ended. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const failures: unknown[] = [];
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      await work(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(clientDefaults.concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
