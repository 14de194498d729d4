/** Complete lists of the API, while others may change them. */
import type { Perform } from './api';
import { BadAnswer, Invalid } from './errors';
import { isRecord, type Resource, readResources, recordOf, routeOf, Unreadable } from './json-api';

/** The largest that services of this API are known to serve. */
const PAGE_SIZE = '100';

export interface List<Item> {
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** JSON:API type of the items. */
  readonly type: string;
  /** The API text gives it no pages: it is asked for without, and taken whole where the answer counts none. */
  readonly unpaginated?: true;
  /** Throws `Unreadable`. */
  readonly item: (resource: Resource) => Item;
}

/** A reader of whole lists. It remembers for all of them that the service refuses our page size, and then leaves it out. */
export function createListReader(perform: Perform) {
  let sizeRefused = false;
  const readPage = <Item extends { readonly id: string }>(
    { path, query, type, unpaginated, item }: List<Item>,
    paging: Readonly<Record<string, string>>,
  ): Promise<Page<Item>> =>
    perform({
      method: 'GET',
      path,
      query: { ...query, ...paging },
      read: (document) => {
        const items = readResources(document, type).map(item);
        const pagination = readPagination(document);
        if (pagination !== null) return { items, ...pagination };
        if (!unpaginated) throw new Unreadable('meta.pagination is missing, so the list may not be whole');
        if (countIds(items) < items.length) throw new Unreadable('an id repeats');
        return { items, totalCount: items.length, last: true };
      },
    });
  return async <Item extends { readonly id: string }>(list: List<Item>): Promise<readonly Item[]> => {
    if (list.unpaginated) {
      const whole = await readPage(list, {});
      if (whole.last && whole.items.length === whole.totalCount) return whole.items;
    }
    return readAllPages(routeOf(list.path), async (number) => {
      const page = { 'page[number]': String(number) };
      if (sizeRefused) return readPage(list, page);
      try {
        return await readPage(list, { ...page, 'page[size]': PAGE_SIZE });
      } catch (error) {
        if (!(error instanceof Invalid) || number > 1) throw error;
        sizeRefused = true;
        return readPage(list, page);
      }
    });
  };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly last: boolean;
}

/** Passes over one list that does not stand still. */
const MOST_PASSES = 40;
/** Pages over all passes: a service that always names one more must not be read for ever. */
const MOST_PAGES = 3000;
/** Single pages that contradict their own count. */
const MOST_CONTRADICTIONS = 3;

/**
 * All items of a list. One page is an atomic snapshot. Over several, a pass can miss an item that was always there and
 * still count right (one deleted, one added), so all are read until two readings agree. Throws `BadAnswer` when none do.
 */
export async function readAllPages<Item extends { readonly id: string }>(
  route: string,
  readPage: (number: number) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  let earlier: ReadonlyMap<string, Item> | null = null;
  let collected = new Map<string, Item>();
  let contradictions = 0;
  let pages = 0;
  const nextPage = async (number: number): Promise<Page<Item>> => {
    pages += 1;
    if (pages > MOST_PAGES) throw endless(route, pages);
    const page = await readPage(number);
    // Said at the first page already where its own count says so.
    const announced = page.totalCount / Math.max(1, page.items.length);
    if (!page.last && announced > MOST_PAGES) throw endless(route, pages);
    return page;
  };
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const read = await readPass(nextPage, collected);
    if (read.state === 'snapshot') return read.items;
    if (read.state === 'partial') continue;
    if (read.state === 'complete') {
      if (earlier !== null && sameIds(earlier, collected)) return [...collected.values()];
      earlier = collected;
    }
    if (read.state === 'contradiction') contradictions += 1;
    if (contradictions === MOST_CONTRADICTIONS) throw unsteady(route, pass);
    collected = new Map();
  }
  throw unsteady(route, MOST_PASSES);
}

type Pass<Item> =
  | { readonly state: 'snapshot'; readonly items: readonly Item[] }
  /** `partial`: items repeat, since each page is ordered anew: read on. `changed`: start again. */
  | { readonly state: 'complete' | 'partial' | 'changed' | 'contradiction' };

/** Reads page after page into `collected`, which earlier passes of the same reading began. */
async function readPass<Item extends { readonly id: string }>(
  readPage: (number: number) => Promise<Page<Item>>,
  collected: Map<string, Item>,
): Promise<Pass<Item>> {
  let page = await readPage(1);
  const { items, totalCount: total } = page;
  if (page.last) {
    const isWhole = items.length === total && countIds(items) === total;
    return isWhole ? { state: 'snapshot', items } : { state: 'contradiction' };
  }
  for (let number = 2; ; number += 1) {
    for (const item of page.items) collected.set(item.id, item);
    if (page.totalCount !== total || collected.size > total) return { state: 'changed' };
    if (page.last) return { state: collected.size === total ? 'complete' : 'partial' };
    // Pages without end or without content would be read for ever.
    if (page.items.length === 0 || number > total) return { state: 'changed' };
    page = await readPage(number);
  }
}

function countIds(items: readonly { readonly id: string }[]): number {
  return new Set(items.map(({ id }) => id)).size;
}

function sameIds(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((id) => other.has(id));
}

function unsteady(route: string, passes: number): BadAnswer {
  const what = 'the list kept changing, or its pages contradict its count';
  return badList(route, passes, `${what}, over ${passes} readings: try again when fewer changes are made`);
}

function endless(route: string, pages: number): BadAnswer {
  const text = `the list has no end, or more than ${MOST_PAGES} pages: the service may be broken`;
  return badList(route, pages, text);
}

function badList(route: string, attempts: number, text: string): BadAnswer {
  const context = { method: 'GET', route, status: 200, attempts, details: [] };
  return new BadAnswer(`GET ${route}: ${text}`, 'ambiguous', context);
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
