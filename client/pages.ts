/** Complete lists of the API, while others may change them. */
import type { OpenList, Perform, Reading } from './api';
import { BadAnswer, Invalid } from './errors';
import { isRecord, type Resource, readResources, recordOf, routeOf, Unreadable } from './json-api';

/** The largest that services are known to serve; the list of clients is asked for without (`unpaginated`). */
export const pageSize = 100;

interface Identified {
  id: string;
}

export interface List<Item> {
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  type: string;
  /** See `ReadApi.oauthClients.list`. */
  unpaginated?: true;
  /** Throws `Unreadable`. */
  item: (resource: Resource) => Item;
}

/** It remembers, for its own lists, that the service refused our page size, and then leaves it out. */
export function createPageReader(perform: Perform) {
  let sizeRefused = false;
  return async <Item extends Identified>(list: List<Item>, number: number): Promise<Page<Item>> => {
    const paging = { 'page[number]': String(number) };
    if (sizeRefused) return readPage(perform, list, paging);
    try {
      return await readPage(perform, list, { ...paging, 'page[size]': String(pageSize) });
    } catch (error) {
      const isOfSize = error instanceof Invalid && [400, 422].includes(error.context.status ?? 0);
      if (!isOfSize || number > 1) throw error;
      const first = await readPage(perform, list, paging);
      sizeRefused = true;
      return first;
    }
  };
}

/** Asks for the first page; the rest is read as far as the caller needs it. */
export function createListReader(perform: Perform) {
  const readNumbered = createPageReader(perform);
  return async <Item extends Identified>(list: List<Item>): Promise<OpenList<Item>> => {
    if (list.unpaginated) {
      const { items, totalCount, last } = await readPage(perform, list, {});
      if (last && items.length === totalCount) return openedAsOne(items);
    }
    return openPages(routeOf(list.path), (number) => readNumbered(list, number));
  };
}

function readPage<Item extends Identified>(
  perform: Perform,
  { path, query, type, unpaginated, item }: List<Item>,
  paging: Readonly<Record<string, string>>,
): Promise<Page<Item>> {
  return perform({
    method: 'GET',
    path,
    query: { ...query, ...paging },
    read: (document) => {
      const items = readResources(document, type).map(item);
      const ids = new Set(items.map(({ id }) => id));
      if (ids.size < items.length) throw new Unreadable('an id repeats');
      const pagination = readPagination(document);
      if (pagination !== null) return { items, ...pagination };
      if (!unpaginated) throw new Unreadable('meta.pagination is missing, so the list may not be whole');
      return { items, totalCount: items.length, last: true };
    },
  });
}

export interface Page<Item> {
  /** No id twice. */
  items: readonly Item[];
  totalCount: number;
  last: boolean;
}

export const mostPasses = 40;
/** Of a list: a service may always name one more. */
export const mostPages = 1500;
/** Two readings must agree. */
const mostPageReads = 2 * mostPages;
/** Single pages that contradict their own count. */
const mostContradictions = 3;

/** What was read with one request. */
export function openedAsOne<Item>(items: readonly Item[]): OpenList<Item> {
  return { requests: 1, left: () => 0, read: async () => items };
}

/** One complete reading. A snapshot, of one page, lacks nothing that was there. */
interface Pass<Item> {
  /** One array for all who ask, and no id twice: what is found out about it is kept with it. */
  readonly items: readonly Item[];
  readonly isSnapshot: boolean;
}

/**
 * A list by its first page. One page is an atomic snapshot. Over several, a pass can miss an item that was always there and still
 * count right (one deleted, one added), so what it lacks counts only once two readings agree. Throws `BadAnswer` when none do.
 */
export async function openPages<Item extends Identified>(
  route: string,
  readPage: (number: number) => Promise<Page<Item>>,
): Promise<OpenList<Item>> {
  const bad = (attempts: number, text: string) => {
    const context = { method: 'GET', route, status: 200, attempts, details: [] };
    return new BadAnswer(`GET ${route}: ${text}`, 'ambiguous', context);
  };
  let requests = 0;
  const requestPage = async (number: number): Promise<Page<Item>> => {
    requests += 1;
    if (requests <= mostPageReads) {
      const page = await readPage(number);
      // The first page may already count more than that.
      if (page.last || page.totalCount / Math.max(1, page.items.length) <= mostPages) return page;
    }
    throw bad(requests, `the list has no end, or more than ${mostPages} pages: the service may be broken`);
  };
  const first = await requestPage(1);
  let opened: Page<Item> | null = first;
  const nextPage = async (number: number): Promise<Page<Item>> => {
    const page = number === 1 ? opened : null;
    opened = null;
    return page ?? requestPage(number);
  };
  let passes = 0;
  let contradictions = 0;
  const readPasses = async (): Promise<Pass<Item>> => {
    let collected = new Map<string, Item>();
    while (passes < mostPasses && contradictions < mostContradictions) {
      passes += 1;
      const pass = await readPass(nextPage, collected);
      if (typeof pass !== 'string') {
        return { items: pass, isSnapshot: true };
      }
      if (pass === 'complete') return { items: [...collected.values()], isSnapshot: false };
      if (pass === 'contradiction') contradictions += 1;
      if (pass !== 'partial') collected = new Map();
    }
    const what = 'the list kept changing, or its pages contradict its count';
    throw bad(passes, `${what}, over ${passes} readings: try again when fewer changes are made`);
  };
  const begun: Partial<Record<Reading, Promise<Pass<Item>>>> = {};
  const begin = (reading: Reading, read: () => Promise<Pass<Item>>) => {
    const under = begun[reading] ?? read();
    begun[reading] = under;
    return under;
  };
  const readUntilSure = async (): Promise<Pass<Item>> => {
    for (let earlier = await begin('once', readPasses); ; ) {
      const later = earlier.isSnapshot ? earlier : await readPasses();
      if (later.isSnapshot || sameIds(earlier.items, later.items)) return later;
      earlier = later;
    }
  };
  const pages = first.last ? 1 : Math.max(2, Math.ceil(first.totalCount / Math.max(1, first.items.length)));
  return {
    get requests() {
      return requests;
    },
    left: (reading) => {
      const again = reading === 'once' || pages === 1 || begun.whole !== undefined ? 0 : pages;
      return again + (begun.once === undefined ? pages - 1 : 0);
    },
    read: async (reading) => (await begin(reading, reading === 'once' ? readPasses : readUntilSure)).items,
  };
}

/**
 * Reads all pages into `collected`, which earlier passes of the same reading began, or returns the one page that is all.
 * `partial`: items repeat, since each page is ordered anew: read on. `changed`: start again.
 */
async function readPass<Item extends Identified>(
  readPage: (number: number) => Promise<Page<Item>>,
  collected: Map<string, Item>,
): Promise<readonly Item[] | 'complete' | 'partial' | 'changed' | 'contradiction'> {
  let page = await readPage(1);
  const { items, totalCount: total } = page;
  if (page.last) return items.length === total ? items : 'contradiction';
  for (let number = 2; ; number += 1) {
    for (const item of page.items) collected.set(item.id, item);
    if (page.totalCount !== total || collected.size > total) return 'changed';
    if (page.last) return collected.size === total ? 'complete' : 'partial';
    // Pages without end or without content would be read for ever.
    if (page.items.length === 0 || number > total) return 'changed';
    page = await readPage(number);
  }
}

function sameIds(one: readonly Identified[], other: readonly Identified[]): boolean {
  const ids = new Set(other.map(({ id }) => id));
  return one.length === other.length && one.every(({ id }) => ids.has(id));
}

/** Null where the document has no `meta.pagination`. */
export function readPagination(document: unknown): { totalCount: number; last: boolean } | null {
  const { pagination } = recordOf(recordOf(document).meta);
  if (!isRecord(pagination)) return null;
  const { 'total-count': totalCount, 'next-page': next = null } = pagination;
  if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0) {
    throw new Unreadable('meta.pagination.total-count is not a count');
  }
  if (next !== null && typeof next !== 'number') {
    throw new Unreadable('meta.pagination.next-page is neither a number nor null');
  }
  return { totalCount, last: next === null };
}
